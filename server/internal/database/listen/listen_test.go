package listen_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
	"clave/server/internal/store/pebble"
)

// testDB is the database of the tests.
var testDB = resource.Database{Project: "p", ID: resource.DefaultDatabase}

// fixture holds an engine and its hub.
type fixture struct {
	t      testing.TB
	engine *engine.Engine
	hub    *listen.Hub
}

// newFixture starts an engine in memory and a hub. The engine's clock is the machine's; the hub's is that of the
// options.
func newFixture(t testing.TB, o listen.Options) *fixture {
	t.Helper()
	return newFixtureOf(t, engine.Options{}, o)
}

// newFixtureOf is newFixture with options for the engine.
func newFixtureOf(t testing.TB, eo engine.Options, o listen.Options) *fixture {
	t.Helper()
	store, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	if eo.Store == nil {
		eo.Store = store
	}
	e, err := engine.Open(t.Context(), eo)
	if err != nil {
		t.Fatal(err)
	}
	o.Engine = e
	hub, err := listen.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- hub.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run() = %v", err)
		}
		if err := e.Close(); err != nil {
			t.Errorf("close engine: %v", err)
		}
		if err := store.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	return &fixture{t: t, engine: e, hub: hub}
}

// set returns a write of a document whose field n is a number; without number it deletes the document.
func set(path string, n ...int) document.Write {
	w := document.Write{Op: document.Delete, Name: resource.Document{DB: testDB, Path: path}}
	if len(n) > 0 {
		w.Op, w.Fields = document.Update, value.Map{"n": value.Int(n[0])}
	}
	return w
}

// commit commits writes.
func (h *fixture) commit(writes ...document.Write) clock.Version {
	h.t.Helper()
	r, err := h.engine.Commit(h.t.Context(), testDB, request.Commit{Writes: writes}, engine.Unrestricted())
	if err != nil {
		h.t.Fatal(err)
	}
	return r.Version
}

// collection returns the query of a collection, as changed by f.
func collection(t testing.TB, id string, f func(q *query.Query)) *query.Query {
	t.Helper()
	q := &query.Query{DB: testDB, From: []query.From{{Collection: id}}, Limit: query.NoLimit}
	if f != nil {
		f(q)
	}
	q, err := q.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// byN orders a query by n and limits it.
func byN(limit int) func(q *query.Query) {
	return func(q *query.Query) {
		q.OrderBy = []query.Order{{Path: value.FieldPath{"n"}}}
		q.Limit = limit
	}
}

// client reads a stream and formats its events as text.
type client struct {
	h      *fixture
	stream *listen.Stream
	events chan *target.Event
	cancel context.CancelFunc
	ended  chan error
	token  []byte
	last   clock.Version
}

// open opens a stream.
func (h *fixture) open() *client {
	h.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(h.t.Context()))
	c := &client{h: h, stream: h.hub.Open(testDB), events: make(chan *target.Event, 10000), cancel: cancel, ended: make(chan error, 2)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := c.stream.Run(ctx, func(e *target.Event) error {
			c.events <- e
			return nil
		})
		c.stream.Close()
		c.ended <- err
	}()
	h.t.Cleanup(func() {
		cancel()
		<-done // A reading may be open, also after the last event that the test expects.
	})
	return c
}

// close ends the stream and waits for it.
func (c *client) close() {
	c.cancel()
	<-c.ended
}

// next returns the next event.
func (c *client) next() *target.Event {
	c.h.t.Helper()
	select {
	case e := <-c.events:
		switch e.Kind {
		case target.Snapshot:
			if e.ReadTime < c.last {
				c.h.t.Errorf("a snapshot of %d after one of %d", e.ReadTime, c.last)
			}
			c.token, c.last = e.Token, e.ReadTime
		case target.Current:
			c.token = e.Token
		}
		return e
	case err := <-c.ended:
		c.ended <- err
		c.h.t.Fatalf("the stream ended with %v", err)
	case <-time.After(30 * time.Second):
		c.h.t.Fatal("no event for 30 s")
	}
	return nil
}

// text formats an event in the notation of the recordings.
func text(e *target.Event) string {
	switch e.Kind {
	case target.Snapshot:
		return "B"
	case target.Added:
		return fmt.Sprintf("ADD[%d]", e.Target)
	case target.Current:
		return fmt.Sprintf("CUR[%d]", e.Target)
	case target.Reset:
		return fmt.Sprintf("RESET[%d]", e.Target)
	case target.Removed:
		if e.Cause == nil {
			return fmt.Sprintf("REM[%d]", e.Target)
		}
		return fmt.Sprintf("REM[%d]{%d}", e.Target, fault.CodeOf(e.Cause))
	case target.Changed:
		sign := ">"
		if e.Leaves {
			sign = ">-"
		}
		return fmt.Sprintf("chg %s%s[%d]", e.Doc.Document.Name.Path, sign, e.Target)
	case target.Deleted:
		return fmt.Sprintf("del %s>-[%d]", e.Name.Path, e.Target)
	case target.Left:
		return fmt.Sprintf("left %s>-[%d]", e.Name.Path, e.Target)
	case target.Counted:
		names := 0
		if e.Filter.Names != nil {
			names = e.Filter.Names.Hashes
		}
		return fmt.Sprintf("F(%d;%d)", e.Filter.Count, names)
	default:
		return "?"
	}
}

// want reads as many events as the text contains and compares them. Documents of one snapshot may be in any order.
func (c *client) want(what, events string) {
	c.h.t.Helper()
	want := strings.Split(events, ", ")
	var got []string
	for range want {
		got = append(got, text(c.next()))
	}
	if !slices.Equal(sortChanges(got), sortChanges(want)) {
		c.h.t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, ", "), events)
	}
}

// sortChanges sorts each run of document events.
func sortChanges(events []string) []string {
	out := slices.Clone(events)
	isDoc := func(s string) bool { return strings.Contains(s, ">") }
	for i := 0; i < len(out); {
		j := i
		for j < len(out) && isDoc(out[j]) {
			j++
		}
		slices.Sort(out[i:j])
		i = max(j, i+1)
	}
	return out
}

// quiet fails if there is an event that a commit caused.
func (c *client) quiet(what string) {
	c.h.t.Helper()
	v := c.h.commit(set("quiet/marker", int(c.h.engine.Latest(testDB))))
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 999, Documents: []resource.Document{{DB: testDB, Path: "quiet/marker"}}}})
	if got := text(c.next()); got != "ADD[999]" {
		c.h.t.Errorf("%s: got %s, want nothing", what, got)
	}
	c.want(what, "chg quiet/marker>[999], CUR[999], B")
	if c.last < v {
		c.h.t.Errorf("%s: a target opened after version %d is of %d", what, v, c.last)
	}
	c.stream.Remove(999)
	c.want(what, "REM[999]")
}

// docs returns names of documents.
func docs(paths ...string) []resource.Document {
	out := make([]resource.Document, len(paths))
	for i, p := range paths {
		out[i] = resource.Document{DB: testDB, Path: p}
	}
	return out
}

func TestOpening(t *testing.T) {
	h := newFixture(t, listen.Options{})
	h.commit(set("c/a", 1), set("c/b", 2), set("c/a/c/z", 3))
	c := h.open()
	for i, step := range []struct {
		name   string
		target listen.Target
		want   string
	}{
		{"document", listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Documents: docs("c/a")}}, "chg c/a>[ID], CUR[ID], B"},
		{"document that isn't there", listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Documents: docs("c/none")}}, "del c/none>-[ID], CUR[ID], B"},
		{"query", listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Query: collection(t, "c", nil)}}, "chg c/a>[ID], chg c/b>[ID], CUR[ID], B"},
		{"empty query", listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Query: collection(t, "empty", nil)}}, "CUR[ID], B"},
		{"collection group", listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Query: collection(t, "c", func(q *query.Query) { q.From[0].AllDescendants = true })}},
			"chg c/a>[ID], chg c/b>[ID], chg c/a/c/z>[ID], CUR[ID], B"},
		{"limit", listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Query: collection(t, "c", byN(1))}}, "chg c/a>[ID], CUR[ID], B"},
		{"once", listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Query: collection(t, "c", byN(1)), Once: true}}, "chg c/a>[ID], CUR[ID], B, REM[ID]"},
	} {
		step.target.ID = int32(i + 1)
		c.stream.Add(step.target)
		c.want(step.name, strings.ReplaceAll("ADD[ID], "+step.want, "[ID]", fmt.Sprintf("[%d]", i+1)))
	}
	c.close()
	if got := h.hub.Streams(); got != 0 {
		t.Errorf("%d streams are left", got)
	}
}

func TestChanges(t *testing.T) {
	h := newFixture(t, listen.Options{})
	h.commit(set("c/a", 1), set("c/b", 2))
	c := h.open()
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", func(q *query.Query) {
		q.Where = query.Field{Path: value.FieldPath{"n"}, Op: query.LessThan, Value: value.Int(10)}
	})}})
	c.want("open", "ADD[1], chg c/a>[1], chg c/b>[1], CUR[1], B")
	for _, step := range []struct {
		name   string
		writes []document.Write
		want   string
	}{
		{"update", []document.Write{set("c/a", 3)}, "chg c/a>[1], B"},
		{"same data", []document.Write{set("c/a", 3)}, ""},
		{"add", []document.Write{set("c/x", 5)}, "chg c/x>[1], B"},
		{"elsewhere", []document.Write{set("d/x", 5), set("c/x/c/y", 5)}, ""},
		{"leaves", []document.Write{set("c/x", 50)}, "chg c/x>-[1], B"},
		{"outside", []document.Write{set("c/x", 51)}, ""},
		{"comes back", []document.Write{set("c/x", 6)}, "chg c/x>[1], B"},
		{"delete", []document.Write{set("c/x")}, "del c/x>-[1], B"},
		{"delete what isn't there", []document.Write{set("c/x")}, ""},
		{"two in one commit", []document.Write{set("c/a", 4), set("c/b", 4)}, "chg c/a>[1], chg c/b>[1], B"},
		{"made and deleted in one commit", []document.Write{set("c/q", 4), set("c/q")}, ""},
	} {
		h.commit(step.writes...)
		if step.want == "" {
			c.quiet(step.name)
		} else {
			c.want(step.name, step.want)
		}
	}
}

func TestTwoTargetsMoveTogether(t *testing.T) {
	h := newFixture(t, listen.Options{})
	c := h.open()
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 2, Documents: docs("c/a")}})
	c.want("open document", "ADD[2], del c/a>-[2], CUR[2], B")
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 4, Query: collection(t, "c", nil)}})
	c.want("open query", "ADD[4], CUR[4], B")
	h.commit(set("c/a", 1), set("c/b", 1))
	c.want("one commit", "chg c/a>[2], chg c/a>[4], chg c/b>[4], B")
	h.commit(set("c/a"))
	c.want("delete", "del c/a>-[2], del c/a>-[4], B")
}

func TestLimitRefills(t *testing.T) {
	h := newFixture(t, listen.Options{})
	for i := range 40 {
		h.commit(set(fmt.Sprintf("c/d%02d", i), i))
	}
	c := h.open()
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", byN(2))}})
	c.want("open", "ADD[1], chg c/d00>[1], chg c/d01>[1], CUR[1], B")
	h.commit(set("c/d05", 100))
	c.quiet("a change below the limit")
	h.commit(set("c/new", -1))
	c.want("pushed out", "chg c/new>[1], left c/d01>-[1], B")
	h.commit(set("c/new", 200))
	c.want("moved out", "chg c/d01>[1], chg c/new>-[1], B")
	for i := range 30 {
		if i == 5 || i == 0 {
			continue
		}
		h.commit(set(fmt.Sprintf("c/d%02d", i)))
		next := i + 1
		if next == 5 {
			next = 6
		}
		c.want("removed and replaced", fmt.Sprintf("del c/d%02d>-[1], chg c/d%02d>[1], B", i, next))
	}
}

func TestOffset(t *testing.T) {
	h := newFixture(t, listen.Options{})
	h.commit(set("c/a", 1), set("c/b", 2), set("c/c", 3))
	c := h.open()
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", func(q *query.Query) { byN(query.NoLimit)(q); q.Offset = 1 })}})
	c.want("open", "ADD[1], chg c/b>[1], chg c/c>[1], CUR[1], B")
	h.commit(set("c/a"))
	c.want("the first goes", "left c/b>-[1], B")
	h.commit(set("c/0", 0))
	c.want("a new first", "chg c/b>[1], B")
}

func TestOddTargets(t *testing.T) {
	h := newFixture(t, listen.Options{MaxTargets: 2})
	h.commit(set("c/a", 1))
	c := h.open()
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Documents: docs("c/a")}})
	c.want("open", "ADD[1], chg c/a>[1], CUR[1], B")
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Documents: docs("c/a")}})
	c.want("twice", "REM[1]{6}")
	c.stream.Refuse(3, fault.E(fault.InvalidArgument, "no"))
	c.want("refused", "ADD[3], REM[3]{3}")
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 3, Documents: docs("c/a"), Resume: []byte("nonsense")}})
	c.want("bad token", "REM[3]{3}")
	c.stream.Remove(77)
	c.want("remove what isn't there", "REM[77]")
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 3, Documents: docs("c/a")}})
	c.want("second", "ADD[3], chg c/a>[3], CUR[3], B")
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 5, Documents: docs("c/a")}})
	c.want("too many", "ADD[5], REM[5]{8}")
	h.commit(set("c/a", 2))
	c.want("all go on", "chg c/a>[1], chg c/a>[3], B")
	c.stream.Remove(1)
	c.want("remove", "REM[1]")
	h.commit(set("c/a", 3))
	c.want("the other goes on", "chg c/a>[3], B")
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: -1, Documents: docs("c/a")}})
	if err := <-c.ended; !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("a negative id ends the stream with %v, want INVALID_ARGUMENT", err)
	}
}

func TestServerChoosesIDs(t *testing.T) {
	h := newFixture(t, listen.Options{})
	c := h.open()
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Query: collection(t, "c", nil)}})
	c.want("first", "ADD[1], CUR[1], B")
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Query: collection(t, "d", nil)}})
	c.want("second", "ADD[2], CUR[2], B")
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 7, Query: collection(t, "d", nil)}})
	if err := <-c.ended; !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("an explicit id after a chosen one ends the stream with %v, want INVALID_ARGUMENT", err)
	}
}
