package readindex

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// TestAReadWaitsForItsRow lets a read wait until the replica has the row of its index, whose versions it then has.
func TestAReadWaitsForItsRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog()
		r, _ := newReader(t, log, &fakeLeader{answer: func(context.Context, Request) (Index, error) {
			return Index{Seq: 7, Rules: "r", Versions: map[string]clock.Version{nameOf(db): 70}}, nil
		}})
		s := newStack("r")
		done := make(chan error, 1)
		go func() { done <- r.Now(t.Context(), s) }()
		synctest.Wait()
		log.write(6)
		synctest.Wait()
		if len(done) > 0 {
			t.Error("a read does not wait for its row")
		}
		log.write(7)
		if err := <-done; err != nil || s.at != 70 {
			t.Errorf("the read: %v, with the version %d, want 70", err, s.at)
		}
	})
}

// TestAStaleLeader reads by the index of a leader whose log is shorter than the replica's: another one leads by now, or
// it has not shown the row yet.
func TestAStaleLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog()
		log.write(8)
		r, _ := newReader(t, log, &fakeLeader{answer: func(context.Context, Request) (Index, error) {
			return Index{Seq: 7, Rules: "r"}, nil
		}})
		if err := r.Now(t.Context(), newStack("r")); !errors.Is(err, errAhead) {
			t.Errorf("a read by an index of row 7 at a replica with row 8: %v, want %v", err, errAhead)
		}
	})
}

// TestALostAnswer lets two reads wait for a leader that does not answer, the second one behind the first one's request.
// Neither waits for two requests: it is forwarded then, and waits for a leader once more. Once the leader answers
// again, so do reads.
func TestALostAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lost atomic.Bool
		lost.Store(true)
		leader := &fakeLeader{answer: func(ctx context.Context, r Request) (Index, error) {
			if lost.Load() {
				return silent(ctx, r)
			}
			return Index{Rules: "r"}, nil
		}}
		r, _ := newReader(t, newLog(), leader)
		s := newStack("r")
		reads := make(chan time.Duration)
		for range 2 {
			go func() {
				began := time.Now()
				if err := r.Now(t.Context(), s); err == nil {
					t.Error("there is an index without a leader")
				}
				reads <- time.Since(began)
			}()
			synctest.Wait()
		}
		for range 2 {
			if took := <-reads; took > indexTimeout {
				t.Errorf("a read has waited %v for an index, want at most %v", took, indexTimeout)
			}
		}
		lost.Store(false)
		if err := r.InStream(t.Context(), s); err != nil {
			t.Errorf("the leader answers again: %v", err)
		}
	})
}

// TestReadsOfStreamsWaitForALeader lets reads of streams wait for a leader: until there is none for long, until their
// stack ends, and until their client is gone.
func TestReadsOfStreamsWaitForALeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newReader(t, newLog(), &fakeLeader{answer: func(context.Context, Request) (Index, error) {
			return Index{}, errors.New("no leader")
		}})
		began := time.Now()
		err := r.InStream(t.Context(), newStack("r"))
		if !fault.Is(err, fault.Unavailable) || fault.FromError(err).Message != "no leader" || time.Since(began) != streamWait {
			t.Errorf("without a leader: %v after %v", err, time.Since(began))
		}
		s := newStack("r")
		time.AfterFunc(time.Second, s.End)
		if err := r.InStream(t.Context(), s); !fault.Is(err, fault.Unavailable) || fault.FromError(err).Message != "ended" {
			t.Errorf("at a stack that ends: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if err := r.InStream(ctx, newStack("r")); err == nil || fault.Is(err, fault.Unavailable) {
			t.Errorf("without a client: %v", err)
		}
	})
}

// TestRulesThatDiffer lets the leader's rules differ from those of a node: for a moment, as at each release, and for
// long. Meanwhile reads are refused; after rulesWait another stack is opened, with the rules of its state.
func TestRulesThatDiffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rules atomic.Pointer[string]
		set := func(text string) { rules.Store(&text) }
		set("r")
		r, stacks := newReader(t, newLog(), &fakeLeader{answer: func(ctx context.Context, r Request) (Index, error) {
			if r.Wait {
				<-time.After(indexWait)
			}
			return Index{Rules: *rules.Load()}, nil
		}})
		stop := running(t, r)
		defer stop()
		first := serving(t, r)
		if <-stacks != first {
			t.Fatal("the first stack does not serve")
		}
		set("other")
		if err := r.Now(t.Context(), first); !errors.Is(err, errRules) {
			t.Errorf("a read by other rules than the leader's: %v", err)
		}
		time.Sleep(rulesWait / 2)
		set("r")
		time.Sleep(2 * rulesWait)
		if s, ok := r.Current(); !ok || s != first || r.Now(t.Context(), s) != nil {
			t.Error("rules that differ for a moment end a stack")
		}
		began := time.Now()
		set("other")
		<-first.closed
		if took := time.Since(began); took < rulesWait || took > 2*rulesWait {
			t.Errorf("rules that differ end a stack after %v", took)
		}
		if _, ok := r.Current(); ok {
			t.Error("a stack with other rules than the leader's serves reads")
		}
		set("r")
		if s := serving(t, r); s == first {
			t.Error("a stack serves that has ended")
		}
	})
}

// TestDifference looks at rules that differ for a moment, for two stacks one after the other, and for long.
func TestDifference(t *testing.T) {
	var d difference[int]
	for i, look := range []struct {
		by     int
		differ bool
		at     time.Duration
		want   bool
	}{
		{1, true, 0, false}, {1, true, rulesWait - 1, false}, {1, false, rulesWait, false}, {1, true, rulesWait + 1, false},
		{2, true, 2*rulesWait + 1, false}, {2, true, 3*rulesWait + 1, true},
	} {
		if got := d.lasts(look.by, look.differ, look.at); got != look.want {
			t.Errorf("look %d: lasts = %v, want %v", i, got, look.want)
		}
	}
}

// TestALeaseThatRunsOut reads by a lease, whose leader then grants no more and answers no more.
func TestALeaseThatRunsOut(t *testing.T) {
	for _, tt := range []struct {
		name string
		last func(ctx context.Context, r Request) (Index, error)
	}{
		{"the leader is lost", silent},
		{"the leader grants none", func(ctx context.Context, _ Request) (Index, error) {
			select {
			case <-ctx.Done():
			case <-time.After(indexWait):
			}
			return Index{Rules: "r"}, ctx.Err()
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			const lease = 300 * time.Millisecond
			var over atomic.Bool
			r, _ := newReader(t, newLog(), &fakeLeader{answer: func(ctx context.Context, r Request) (Index, error) {
				switch {
				case over.Load():
					return tt.last(ctx, r)
				case !r.Wait:
					return Index{Rules: "r"}, nil
				}
				select {
				case <-ctx.Done():
				case <-time.After(lease / 3): // as the leader, which replaces a lease of which a third is over
				}
				if r.Lease {
					return Index{Rules: "r", Lease: lease}, ctx.Err()
				}
				return Index{Rules: "r"}, ctx.Err()
			}})
			stop := running(t, r)
			defer stop()
			s := serving(t, r)
			leased := func() bool {
				before, _ := r.Counts()
				_ = r.Now(t.Context(), s)
				after, _ := r.Counts()
				return after > before
			}
			for range 2 * leaseDemand {
				_ = leased()
			}
			time.Sleep(2 * lease)
			for range 20 {
				if !leased() {
					t.Errorf("%s: a read has no lease", tt.name)
				}
				time.Sleep(lease / 10)
			}
			over.Store(true)
			time.Sleep(lease + time.Millisecond)
			if leased() {
				t.Errorf("%s: a read has a lease after its end", tt.name)
			}
		})
	}
}

// TestReadsShareARequest lets many reads wait during a request. They share the next one, which reaches its index once
// for all of them, and the versions that it names.
func TestReadsShareARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		leader := &fakeLeader{answer: func(ctx context.Context, r Request) (Index, error) {
			if len(r.Databases) != 1 || r.Databases[0] != nameOf(db) {
				t.Errorf("the request is for the databases %v", r.Databases)
			}
			select {
			case <-answer:
				return Index{Rules: "r", Versions: map[string]clock.Version{nameOf(db): 5}}, nil
			case <-ctx.Done():
				return Index{}, ctx.Err()
			}
		}}
		r, _ := newReader(t, newLog(), leader)
		s := newStack("r")
		r.opened.Store(&s)
		var reads sync.WaitGroup
		read := func() {
			reads.Go(func() {
				if err := r.Now(t.Context(), s); err != nil {
					t.Error(err)
				}
			})
		}
		read()
		synctest.Wait()
		for range 100 {
			read()
		}
		synctest.Wait()
		answer <- struct{}{}
		answer <- struct{}{}
		reads.Wait()
		if n := leader.requests.Load(); n != 2 || s.at != 5 {
			t.Errorf("101 reads have made %d requests, want 2, and have the version %d", n, s.at)
		}
	})
}

// TestAStackThatEndsServesNothingNew ends a stack. Reads that wait for an index, such as those that wait in a node that
// was suspended, must not be served by it, because it takes no more rows of the log.
func TestAStackThatEndsServesNothingNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStack("r")
		r, _ := newReader(t, newLog(), &fakeLeader{answer: func(context.Context, Request) (Index, error) {
			s.End()
			return Index{Rules: "r"}, nil
		}})
		if err := r.Now(t.Context(), s); !errors.Is(err, errEnding) {
			t.Errorf("a read reaches an index at parts that end: %v", err)
		}
	})
}

// TestAStackWithoutContact lets a node lose its contact. Another stack is opened once it is back.
func TestAStackWithoutContact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newReader(t, newLog(), &fakeLeader{answer: func(ctx context.Context, r Request) (Index, error) {
			if r.Wait {
				<-time.After(indexWait)
			}
			return Index{Rules: "r"}, nil
		}})
		stop := running(t, r)
		first := serving(t, r)
		first.lost.Store(true)
		<-first.closed
		second := serving(t, r)
		if second == first {
			t.Error("a stack serves that has ended")
		}
		stop()
		<-second.closed
		if _, ok := r.Opened(); ok {
			t.Error("a reader that has stopped has a stack")
		}
	})
}
