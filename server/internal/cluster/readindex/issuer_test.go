package readindex

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/postgres/readlease"
)

// fakeEngine is a stack of a leader. shown is the channel of Visible.
type fakeEngine struct {
	latest clock.Version
	shown  chan struct{}
}

func (e *fakeEngine) Latest(resource.Database) clock.Version { return e.latest }
func (e *fakeEngine) Visible() <-chan struct{}               { return e.shown }

// newIssuer returns the issuer of a leader that has led for a while.
func newIssuer(t *testing.T, log LeaderLog, stack LeaderStack) (*Issuer, *readlease.Grants) {
	t.Helper()
	leases, err := readlease.New(readlease.Options{Leading: func() time.Duration { return time.Hour }})
	if err != nil {
		t.Fatal(err)
	}
	i, err := NewIssuer(IssuerOptions{Log: log, Stack: stack, Rules: func() string { return "r" }, Leases: leases})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(readlease.Quiet)
	return i, leases
}

// TestAnIndexNamesWhatIsVisible requests an index while a row is written: it is issued once readers of the leader see
// the row.
func TestAnIndexNamesWhatIsVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, e := newLog(), &fakeEngine{latest: 50, shown: make(chan struct{})}
		i, _ := newIssuer(t, log, e)
		log.write(5)
		time.AfterFunc(time.Second, func() { close(e.shown) })
		began := time.Now()
		index, err := i.Issue(t.Context(), Request{Databases: []string{nameOf(db)}})
		if err != nil || index.Seq != 5 || index.Rules != "r" || index.Versions[nameOf(db)] != 50 || time.Since(began) != time.Second {
			t.Errorf("Issue = %+v, %v after %v", index, err, time.Since(began))
		}
		e.shown = make(chan struct{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := i.Issue(ctx, Request{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Issue of a row that is not shown: %v", err)
		}
	})
}

// TestALeaderThatIsStaleIssuesNothing requests indexes and leases of a node that no longer leads, or stops leading
// while it waits.
func TestALeaderThatIsStaleIssuesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stale := errors.New("another node leads")
		log, e := newLog(), &fakeEngine{}
		i, _ := newIssuer(t, log, e)
		lose := func() {
			log.mu.Lock()
			defer log.mu.Unlock()
			log.held = stale
		}
		time.AfterFunc(indexWait/2, lose)
		if index, err := i.Issue(t.Context(), Request{Wait: true}); !errors.Is(err, stale) {
			t.Errorf("it stops leading while it waits: %+v, %v", index, err)
		}
		for _, r := range []Request{{}, {Wait: true}, {Wait: true, Lease: true, Holder: new(readlease.Holder), Received: time.Now()}} {
			if index, err := i.Issue(t.Context(), r); !errors.Is(err, stale) {
				t.Errorf("Issue(%+v) = %+v, %v", r, index, err)
			}
		}
	})
}

// TestTheLeaderWaitsForARow requests indexes that wait for a row: until there is one, until the time limit, and not at
// all after another row than the last one.
func TestTheLeaderWaitsForARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog()
		i, _ := newIssuer(t, log, &fakeEngine{})
		for _, tt := range []struct {
			write time.Duration
			after int64
			want  time.Duration
		}{{indexWait / 4, 0, indexWait / 4}, {time.Hour, 1, indexWait}, {time.Hour, 7, 0}} {
			timer := time.AfterFunc(tt.write, func() { log.write(1) })
			began := time.Now()
			index, err := i.Issue(t.Context(), Request{Wait: true, After: tt.after})
			if took := time.Since(began); err != nil || index.Seq != 1 || took != tt.want {
				t.Errorf("after row %d: row %d, %v after %v, want row 1 after %v", tt.after, index.Seq, err, took, tt.want)
			}
			timer.Stop()
		}
	})
}

// TestLeasesAreGrantedAndRecalled requests leases: one is granted to a node that has all rows, and none to one that
// lacks a row. A change recalls it, although the change's row is not shown yet.
func TestLeasesAreGrantedAndRecalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, e := newLog(), &fakeEngine{latest: 9}
		i, leases := newIssuer(t, log, e)
		log.write(3)
		h := new(readlease.Holder)
		request := func(after int64) Index {
			t.Helper()
			index, err := i.Issue(t.Context(), Request{Wait: true, Lease: true, After: after, Holder: h, Received: time.Now(), Databases: []string{nameOf(db)}})
			if err != nil {
				t.Fatal(err)
			}
			return index
		}
		if index := request(2); index.Lease != 0 {
			t.Errorf("a node that lacks a row has the lease %v", index.Lease)
		}
		if index := request(3); index.Lease == 0 {
			t.Error("a node that has all rows has no lease")
		}
		change := leases.Change()
		e.shown = make(chan struct{}) // the change's row is shown after Wait
		if recall := request(3); recall.Lease != 0 || recall.Seq != 3 || recall.Versions != nil {
			t.Errorf("the recall is %+v", recall)
		}
		waited := make(chan struct{})
		go func() {
			defer close(waited)
			change.Wait()
			close(e.shown)
			change.End()
		}()
		if index := request(2); index.Lease != 0 { // which confirms the recall
			t.Errorf("there is a lease of %v during a change", index.Lease)
		}
		<-waited
	})
}
