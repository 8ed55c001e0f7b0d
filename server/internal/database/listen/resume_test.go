package listen_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
)

// resumes opens a target, ends its stream, does writes, and checks the events of a stream that resumes.
func resumes(t *testing.T, name string, target listen.Target, opening string, expected int32, writes [][]document.Write, want string) {
	t.Helper()
	h := newFixture(t, listen.Options{})
	h.commit(set("c/a", 1), set("c/b", 2), set("c/c", 3), set("c/d", 4))
	c := h.open()
	target.ID = 1
	c.stream.Add(target)
	c.want(name+", open", opening)
	c.close()
	for _, w := range writes {
		h.commit(w...)
	}
	target.Resume = c.token
	if expected >= 0 {
		target.Expected = &expected
	}
	again := h.open()
	again.last = c.last
	again.stream.Add(target)
	again.want(name, want)
	again.quiet(name + ", after")
}

func TestResume(t *testing.T) {
	below4 := listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Query: collection(t, "c", func(q *query.Query) {
		q.Where = query.Field{Path: value.FieldPath{"n"}, Op: query.LessThan, Value: value.Int(4)}
	})}}
	first2 := listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Query: collection(t, "c", byN(2))}}
	const open3 = "ADD[1], chg c/a>[1], chg c/b>[1], chg c/c>[1], CUR[1], B"
	const open2 = "ADD[1], chg c/a>[1], chg c/b>[1], CUR[1], B"
	w := func(writes ...document.Write) []document.Write { return writes }
	for _, c := range []struct {
		name     string
		target   listen.Target
		opening  string
		expected int32
		writes   [][]document.Write
		want     string
	}{
		{"nothing", below4, open3, -1, nil, "ADD[1], B, F(3;0), CUR[1], B"},
		{"nothing, counted", below4, open3, 3, nil, "ADD[1], B, CUR[1], B"},
		{"nothing, counted wrongly", below4, open3, 4, nil, "ADD[1], B, F(3;14), CUR[1], B"},
		{"one", below4, open3, -1, [][]document.Write{w(set("c/b", 0))}, "ADD[1], B, chg c/b>[1], B, CUR[1], B"},
		{"one of two documents", below4, open3, -1, [][]document.Write{w(set("c/b", 0), set("c/c"))},
			"ADD[1], B, chg c/b>[1], del c/c>-[1], B, CUR[1], B"},
		{"one, counted", below4, open3, 3, [][]document.Write{w(set("c/b", 0))}, "ADD[1], B, chg c/b>[1], F(3;14), CUR[1], B"},
		{"two", below4, open3, -1, [][]document.Write{w(set("c/a", 0)), w(set("c/b", 1))},
			"ADD[1], B, chg c/a>[1], chg c/b>[1], F(3;0), CUR[1], B"},
		{"two, counted wrongly", below4, open3, 4, [][]document.Write{w(set("c/a", 0)), w(set("c/b", 1))},
			"ADD[1], B, chg c/a>[1], chg c/b>[1], F(3;14), CUR[1], B"},
		{"twice the same", below4, open3, -1, [][]document.Write{w(set("c/b", 0)), w(set("c/b", 1))},
			"ADD[1], B, chg c/b>[1], F(3;0), CUR[1], B"},
		{"deleted and left", below4, open3, 3, [][]document.Write{w(set("c/b")), w(set("c/c", 9))},
			"ADD[1], B, del c/b>-[1], chg c/c>-[1], CUR[1], B"},
		{"deleted and left, counted wrongly", below4, open3, 4, [][]document.Write{w(set("c/b")), w(set("c/c", 9))},
			"ADD[1], B, del c/b>-[1], chg c/c>-[1], F(1;12), CUR[1], B"},
		{"deleted and left, not counted", below4, open3, -1, [][]document.Write{w(set("c/b")), w(set("c/c", 9))},
			"ADD[1], B, del c/b>-[1], chg c/c>-[1], F(1;0), CUR[1], B"},
		{"came and went", below4, open3, -1, [][]document.Write{w(set("c/x", 1)), w(set("c/x"))}, "ADD[1], B, del c/x>-[1], F(3;0), CUR[1], B"},
		{"came and went, counted", below4, open3, 3, [][]document.Write{w(set("c/x", 1)), w(set("c/x"))}, "ADD[1], B, del c/x>-[1], CUR[1], B"},
		{"came and left, counted", below4, open3, 3, [][]document.Write{w(set("c/x", 1)), w(set("c/x", 9))}, "ADD[1], B, chg c/x>-[1], CUR[1], B"},
		{"limit, came and went", first2, open2, 2, [][]document.Write{w(set("c/x", 0)), w(set("c/x"))}, "ADD[1], B, del c/x>-[1], CUR[1], B"},
		{"limit, nothing", first2, open2, 2, nil, "ADD[1], B, CUR[1], B"},
		{"limit, counted wrongly", first2, open2, 1, nil, "ADD[1], B, F(2;13), CUR[1], B"},
		{"limit, not counted", first2, open2, -1, nil, "ADD[1], B, F(2;0), CUR[1], B"},
		{"limit, refilled", first2, open2, 2, [][]document.Write{w(set("c/a"))},
			"ADD[1], B, chg c/c>[1], del c/a>-[1], F(2;13), CUR[1], B"},
		{"limit, pushed out", first2, open2, 2, [][]document.Write{w(set("c/z", 0))},
			"ADD[1], B, chg c/z>[1], left c/b>-[1], F(2;13), CUR[1], B"},
		{"document, nothing", listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Documents: docs("c/a")}}, "ADD[1], chg c/a>[1], CUR[1], B", 1, nil, "ADD[1], B, CUR[1], B"},
		{"document, deleted", listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Documents: docs("c/a")}}, "ADD[1], chg c/a>[1], CUR[1], B", 1,
			[][]document.Write{w(set("c/a"))}, "ADD[1], B, del c/a>-[1], CUR[1], B"},
	} {
		resumes(t, c.name, c.target, c.opening, c.expected, c.writes, c.want)
	}
}

func TestReadTime(t *testing.T) {
	h := newFixture(t, listen.Options{})
	v1 := h.commit(set("c/a", 1))
	v2 := h.commit(set("c/b", 1))
	v3 := h.commit(set("c/b", 2))
	for _, c := range []struct {
		name string
		at   clock.Version
		want string
	}{
		{"before two writes", v1, "ADD[1], B, chg c/b>[1], F(2;0), CUR[1], B"},
		{"before a write", v2, "ADD[1], B, chg c/b>[1], CUR[1], B"},
		{"at the last write", v3, "ADD[1], B, CUR[1], B"},
	} {
		s := h.open()
		s.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", nil), ReadTime: c.at}})
		s.want(c.name, c.want)
		s.close()
	}
}

func TestReadTimeOfAnotherRunResets(t *testing.T) {
	before := clock.VersionOf(clock.System().Now())
	h := newFixture(t, listen.Options{})
	h.commit(set("c/a", 1))
	later := clock.VersionOf(clock.System().Now().Add(time.Hour))
	for _, want := range []target.Target{
		{Query: collection(t, "c", nil)}, {Query: collection(t, "c", byN(1))}, {Documents: docs("c/a")},
	} {
		target := listen.Target{Target: want}
		for _, target.ReadTime = range []clock.Version{before, later} {
			c := h.open()
			target.ID, target.Authorization = 1, listen.Unrestricted()
			c.stream.Add(target)
			c.want(fmt.Sprint("target of ", target.ReadTime), "ADD[1], RESET[1], chg c/a>[1], CUR[1], B")
			c.close()
		}
	}
}

// TestOldTokenOnANewStream checks that a target with a token that is older than the stream's last snapshot does not
// make the snapshot version decrease.
func TestOldTokenOnANewStream(t *testing.T) {
	h := newFixture(t, listen.Options{})
	h.commit(set("c/a", 1))
	c := h.open()
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
	c.want("open", "ADD[1], chg c/a>[1], CUR[1], B")
	old := c.token
	h.commit(set("c/a", 2))
	c.want("a commit", "chg c/a>[1], B")
	c.stream.Remove(1)
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 2, Query: collection(t, "d", nil)}})
	c.want("another target", "REM[1], ADD[2], CUR[2], B")
	c.stream.Remove(2)
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 3, Query: collection(t, "c", nil), Resume: old}})
	c.want("the first again", "REM[2], ADD[3], chg c/a>[3], CUR[3], B")
	c.close()
}

// TestTokenOfAnotherQuery checks that a target with the token of another receives the number of its documents, from
// which the client infers that it has others.
func TestTokenOfAnotherQuery(t *testing.T) {
	h := newFixture(t, listen.Options{})
	h.commit(set("c/a", 1), set("c/b", 2))
	c := h.open()
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
	c.want("open", "ADD[1], chg c/a>[1], chg c/b>[1], CUR[1], B")
	c.close()
	again := h.open()
	again.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "d", nil), Resume: c.token}})
	again.want("another collection", "ADD[1], B, F(0;0), CUR[1], B")
	again.close()
}

// TestOldTokenResets checks that a token from before the retained log resets a target, unless nothing was committed
// since or the documents' update times show the changes.
func TestOldTokenResets(t *testing.T) {
	manual := clocktest.NewManual(clock.System().Now())
	h := newFixtureOf(t, engine.Options{Clock: manual, Retention: time.Hour}, listen.Options{})
	h.commit(set("c/a", 1), set("c/b", 2))
	targets := []target.Target{{Query: collection(t, "c", nil)}, {Query: collection(t, "c", byN(1))}, {Documents: docs("c/a")}}
	opened := []string{"chg c/a>[1], chg c/b>[1]", "chg c/a>[1]", "chg c/a>[1]"}
	var tokens [][]byte
	for i, want := range targets {
		target := listen.Target{Target: want}
		c := h.open()
		target.ID, target.Authorization = 1, listen.Unrestricted()
		c.stream.Add(target)
		c.want("open", "ADD[1], "+opened[i]+", CUR[1], B")
		tokens = append(tokens, c.token)
		c.close()
	}
	manual.Advance(2 * time.Hour)
	resume := func(what string, want ...string) {
		t.Helper()
		for i, wanted := range targets {
			target := listen.Target{Target: wanted}
			c := h.open()
			target.ID, target.Resume, target.Authorization = 1, tokens[i], listen.Unrestricted()
			c.stream.Add(target)
			c.want(fmt.Sprintf("%s, target %d", what, i), want[i])
			c.close()
		}
	}
	resume("nothing since", "ADD[1], B, F(2;0), CUR[1], B", "ADD[1], B, F(1;0), CUR[1], B", "ADD[1], B, CUR[1], B")
	h.commit(set("c/c", 0))
	resume("a commit since", "ADD[1], B, RESET[1], chg c/a>[1], chg c/b>[1], chg c/c>[1], CUR[1], B",
		"ADD[1], B, RESET[1], chg c/c>[1], CUR[1], B", "ADD[1], B, CUR[1], B")
}

func TestAuthorization(t *testing.T) {
	h := newFixture(t, listen.Options{})
	h.commit(set("c/a", 1))
	refuse := make(chan bool, 1)
	refuse <- false
	checks := 0
	decided := listen.Authorization{Key: "ann", Check: func(context.Context, listen.Read) ([]resource.Document, error) {
		checks++
		no := <-refuse
		refuse <- no
		if no {
			return nil, fault.E(fault.PermissionDenied, "Missing or insufficient permissions.")
		}
		return nil, nil
	}}
	c := h.open()
	c.stream.Add(listen.Target{Target: target.Target{ID: 1, Query: collection(t, "c", nil)}, Authorization: decided})
	c.want("open", "ADD[1], chg c/a>[1], CUR[1], B")
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 2, Documents: docs("c/a")}})
	c.want("open to an unrestricted caller", "ADD[2], chg c/a>[2], CUR[2], B")
	<-refuse
	refuse <- true
	h.hub.Reauthorize(func(key any) bool { return key == "bob" })
	h.commit(set("c/a", 2))
	c.want("another key", "chg c/a>[1], chg c/a>[2], B")
	h.hub.Reauthorize(func(key any) bool { return key == "ann" })
	c.want("refused now", "REM[1]{7}")
	h.commit(set("c/a", 3))
	c.want("the other goes on", "chg c/a>[2], B")
	c.stream.Add(listen.Target{Target: target.Target{ID: 3, Query: collection(t, "c", nil)}, Authorization: decided})
	c.want("refused at once", "ADD[3], REM[3]{7}")
	c.stream.Add(listen.Target{Target: target.Target{ID: 4, Query: collection(t, "c", nil)}})
	c.want("without an authorization", "ADD[4], REM[4]{7}")
	if checks != 3 {
		t.Errorf("the authorization was checked %d times, want 3", checks)
	}
}

func TestAuthorizationThatDependsOnTheDocument(t *testing.T) {
	h := newFixture(t, listen.Options{})
	h.commit(set("c/a", 1))
	c := h.open()
	c.stream.Add(listen.Target{Target: target.Target{ID: 1, Documents: docs("c/a")}, Authorization: listen.Authorization{PerVersion: true, Check: func(ctx context.Context, read listen.Read) ([]resource.Document, error) {
		d, err := read(ctx, docs("c/a")[0])
		if err != nil || d.Fields["n"] == value.Int(1) {
			return nil, err
		}
		return nil, fault.E(fault.PermissionDenied, "no")
	}}})
	c.want("open", "ADD[1], chg c/a>[1], CUR[1], B")
	h.commit(set("c/a", 2))
	if got := text(c.next()); got != "REM[1]{7}" {
		t.Errorf("a document that may no longer be seen = %s, want its target's removal", got)
	}
}

func TestSlowClientIsReset(t *testing.T) {
	h := newFixture(t, listen.Options{MaxQueue: 5})
	h.commit(set("c/a", 0))
	c := h.open()
	gate, stuck := make(chan struct{}), make(chan struct{})
	first := true
	c.close()
	slow := &client{h: h, stream: h.hub.Open(testDB), events: make(chan *target.Event, 10000), ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	slow.cancel = cancel
	go func() {
		defer slow.stream.Close()
		slow.ended <- slow.stream.Run(ctx, func(e *target.Event) error {
			if e.Kind == target.Changed && first {
				first = false
				close(stuck)
				<-gate
			}
			slow.events <- e
			return nil
		})
	}()
	t.Cleanup(cancel)
	slow.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
	slow.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 2, Query: collection(t, "c", byN(1))}})
	<-stuck
	quick := h.open()
	quick.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
	quick.want("quick", "ADD[1], chg c/a>[1], CUR[1], B")
	for i := range 20 {
		h.commit(set("c/a", i+1))
		quick.want("the quick client", "chg c/a>[1], B")
	}
	close(gate)
	for {
		if e := slow.next(); e.Kind == target.Reset {
			break
		}
	}
	h.commit(set("c/a", 99))
	for {
		if e := slow.next(); e.Kind == target.Changed && e.Doc.Document.Fields["n"] == value.Int(99) {
			break
		}
	}
	slow.close()
	quick.close()
}

func TestClientThatNeverReadsIsDropped(t *testing.T) {
	manual := clocktest.NewManual(clock.System().Now())
	h := newFixture(t, listen.Options{MaxQueue: 1, Clock: manual, Heartbeat: 10 * time.Second, DropAfter: time.Minute})
	h.commit(set("c/a", 0))
	s := h.hub.Open(testDB)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stuck, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		defer s.Close()
		ended <- s.Run(ctx, func(e *target.Event) error {
			if e.Kind == target.Snapshot {
				close(stuck)
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		})
	}()
	s.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
	<-stuck
	for i := range 5 {
		h.commit(set("c/a", i+1))
	}
	quick := h.open() // When it has received the last commit, the stuck stream has been sent it too.
	quick.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "d", nil)}})
	quick.want("quick", "ADD[1], CUR[1], B")
	quick.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 2, Query: collection(t, "d", nil)}})
	quick.want("quick, second", "ADD[2], CUR[2], B")
	for dropped := false; !dropped; {
		select {
		case <-s.Dropped():
			dropped = true
		default:
			if manual.Timers() > 0 {
				manual.Advance(10 * time.Second)
			}
			runtime.Gosched()
		}
	}
	cancel()
	<-ended
}

// TestClientThatDoesNotReadItsFirstSnapshotIsDropped checks that a client that does not read is dropped even if no
// document changes.
func TestClientThatDoesNotReadItsFirstSnapshotIsDropped(t *testing.T) {
	manual := clocktest.NewManual(clock.System().Now())
	h := newFixture(t, listen.Options{Clock: manual, Heartbeat: 10 * time.Second, DropAfter: time.Minute})
	h.commit(set("c/a", 0))
	s := h.hub.Open(testDB)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stuck, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		defer s.Close()
		ended <- s.Run(ctx, func(e *target.Event) error {
			if e.Kind == target.Changed {
				close(stuck)
				<-ctx.Done()
			}
			return ctx.Err()
		})
	}()
	s.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
	<-stuck
	wound := time.Duration(0)
	for dropped := false; !dropped; {
		select {
		case <-s.Dropped():
			dropped = true
		default:
			if manual.Timers() > 0 {
				manual.Advance(10 * time.Second)
				wound += 10 * time.Second
			}
			runtime.Gosched()
		}
	}
	if wound < time.Minute {
		t.Errorf("dropped after %v, want a minute", wound)
	}
	cancel()
	<-ended
}

// TestSendDuringAJumpOfTheClock checks that a client is not dropped because the clock jumps while a message is sent to
// it, as that of a machine that was suspended. It is dropped if it has not read at the next heartbeat either.
func TestSendDuringAJumpOfTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		manual := clocktest.NewManual(clock.System().Now())
		h := newFixture(t, listen.Options{Clock: manual, Heartbeat: 10 * time.Second, DropAfter: time.Minute})
		h.commit(set("c/a", 0))
		s := h.hub.Open(testDB)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			defer s.Close()
			ended <- s.Run(ctx, func(*target.Event) error {
				<-ctx.Done()
				return ctx.Err()
			})
		}()
		s.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
		dropped := func() bool {
			synctest.Wait()
			select {
			case <-s.Dropped():
				return true
			default:
				return false
			}
		}
		synctest.Wait()
		if manual.Advance(time.Hour); dropped() {
			t.Error("dropped at a jump of the clock")
		}
		if manual.Advance(10 * time.Second); !dropped() {
			t.Error("not dropped at the next heartbeat")
		}
		cancel()
		<-ended
	})
}

// TestFirstSnapshotIsShared checks that clients that open the same query one after the other share its documents as
// long as nothing changes, and that each receives later commits.
func TestFirstSnapshotIsShared(t *testing.T) {
	h := newFixture(t, listen.Options{})
	h.commit(set("c/a", 1))
	open := func() (*client, *target.Shown) {
		c := h.open()
		c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
		c.next()
		shown := c.next().Doc
		c.want("rest", "CUR[1], B")
		return c, shown
	}
	one, _ := open()
	two, second := open()
	three, third := open()
	if second != third {
		t.Error("the third client's document is not the second's")
	}
	h.commit(set("d/a", 1))
	four, fourth := open()
	if fourth != third {
		t.Error("a commit in another collection made the query run again")
	}
	h.commit(set("c/a", 2))
	five, fifth := open()
	if fifth.Document.Fields["n"] != value.Int(2) {
		t.Errorf("after a commit a client receives %v", fifth.Document.Fields)
	}
	six, sixth := open()
	if sixth != fifth {
		t.Error("the sixth client's document is not the fifth's")
	}
	for _, c := range []*client{one, two, three, four, five, six} {
		c.close()
	}
}

func TestHeartbeat(t *testing.T) {
	manual := clocktest.NewManual(clock.System().Now())
	// The clock advances so fast that a client that reads immediately would be taken for one that does not read.
	h := newFixture(t, listen.Options{Clock: manual, Heartbeat: 10 * time.Second, DropAfter: 100_000 * time.Hour})
	c := h.open()
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
	c.want("open", "ADD[1], CUR[1], B")
	for len(c.events) == 0 && len(c.ended) == 0 {
		if manual.Timers() > 0 {
			manual.Advance(10 * time.Second)
		}
		runtime.Gosched()
	}
	c.want("heartbeat", "B")
}
