package listen_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
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
)

// TestModel commits at random while clients open random targets, lose their connections and resume. After every global
// snapshot, a client's documents of each current target must equal the result of a query at that version.
func TestModel(t *testing.T) {
	for _, c := range []struct {
		name string
		o    listen.Options
	}{
		{"roomy", listen.Options{Heartbeat: 5 * time.Millisecond}},
		{"short queues", listen.Options{Heartbeat: 5 * time.Millisecond, MaxQueue: 3}},
	} {
		t.Run(c.name, func(t *testing.T) { model(t, newFixture(t, c.o), 8, 4000) })
	}
}

// model runs clients and commits until at least enough snapshots have been compared.
func model(t *testing.T, h *fixture, clients, enough int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	var compared atomic.Int64
	for i := range clients {
		running.Go(func() {
			m := &modelClient{t: t, h: h, rand: rand.New(rand.NewPCG(uint64(i), 7)), targets: make(map[int32]*modelTarget), compared: &compared}
			for ctx.Err() == nil {
				m.connect(ctx)
			}
		})
	}
	var writing sync.WaitGroup
	for i := range 2 {
		writing.Go(func() {
			r := rand.New(rand.NewPCG(uint64(99+i), 7))
			for compared.Load() < int64(enough) && !t.Failed() {
				seen := compared.Load()
				commitAtRandom(h, r)
				for range 100_000 { // Without comparisons commits would only pile up.
					if runtime.Gosched(); compared.Load() > seen {
						break
					}
				}
			}
		})
	}
	writing.Wait()
	cancel()
	running.Wait()
}

// commitAtRandom commits some writes. Sometimes one of them is invalid, so that no client may receive any of them.
func commitAtRandom(h *fixture, r *rand.Rand) {
	var writes []document.Write
	for range 1 + r.IntN(3) {
		writes = append(writes, randomWrite(r))
	}
	if r.IntN(5) > 0 {
		h.commit(writes...)
		return
	}
	impossible := set("c/never", 1)
	impossible.Precondition = document.Precondition{Exists: new(bool)}
	*impossible.Precondition.Exists = true
	_, err := h.engine.Commit(h.t.Context(), testDB, request.Commit{Writes: append(writes, impossible)}, engine.Unrestricted())
	if !fault.Is(err, fault.NotFound) {
		h.t.Errorf("a commit that can't be done = %v, want NOT_FOUND", err)
	}
}

// modelCollections are the collections of the model.
var modelCollections = []string{"c", "d", "d/x/c"}

// randomWrite returns a write to one of a few documents.
func randomWrite(r *rand.Rand) document.Write {
	path := fmt.Sprintf("%s/%c", modelCollections[r.IntN(len(modelCollections))], 'a'+rune(r.IntN(8)))
	if r.IntN(5) == 0 {
		return set(path)
	}
	w := set(path, r.IntN(6))
	w.Fields["s"] = value.String([]string{"x", "y", "z"}[r.IntN(3)])
	if r.IntN(4) == 0 {
		delete(w.Fields, "n")
	}
	return w
}

// randomTarget returns a target.
func randomTarget(t testing.TB, r *rand.Rand) listen.Target {
	if r.IntN(6) == 0 {
		var paths []string
		for _, i := range r.Perm(8)[:1+r.IntN(3)] {
			paths = append(paths, fmt.Sprintf("c/%c", 'a'+rune(i)))
		}
		return listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Documents: docs(paths...)}}
	}
	n, s := value.FieldPath{"n"}, value.FieldPath{"s"}
	return listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Once: r.IntN(8) == 0, Query: collection(t, modelCollections[r.IntN(2)], func(q *query.Query) {
		q.From[0].AllDescendants = r.IntN(4) == 0
		switch r.IntN(5) {
		case 0:
			q.Where = query.Field{Path: n, Op: query.GreaterThan, Value: value.Int(r.IntN(5))}
		case 1:
			q.Where = query.Field{Path: s, Op: query.Equal, Value: value.String("x")}
		case 2:
			q.Where = &query.Or{Filters: []query.Filter{
				query.Field{Path: s, Op: query.Equal, Value: value.String("y")},
				query.Field{Path: n, Op: query.Equal, Value: value.Double(2)},
			}}
		case 3:
			q.Where = &query.And{Filters: []query.Filter{
				query.Field{Path: s, Op: query.Equal, Value: value.String("z")},
				query.Field{Path: n, Op: query.LessThan, Value: value.Int(4)},
			}}
		}
		if r.IntN(2) == 0 {
			q.OrderBy = []query.Order{{Path: n, Desc: r.IntN(2) == 0}}
			if r.IntN(2) == 0 {
				q.Start = &query.Cursor{Values: []value.Value{value.Int(r.IntN(5))}, Before: r.IntN(2) == 0}
			}
			if r.IntN(3) == 0 {
				q.End = &query.Cursor{Values: []value.Value{value.Int(r.IntN(6))}, Before: r.IntN(2) == 0}
			}
		}
		if r.IntN(2) == 0 {
			q.Limit = 1 + r.IntN(5)
		}
		if r.IntN(5) == 0 {
			q.Offset = r.IntN(3)
		}
		if r.IntN(6) == 0 {
			q.HasSelect, q.Select = true, []value.FieldPath{s}
		}
	})}}
}

// modelClient is a client that keeps the documents that it receives.
type modelClient struct {
	t        *testing.T
	h        *fixture
	rand     *rand.Rand
	targets  map[int32]*modelTarget
	last     clock.Version
	ids      int32
	compared *atomic.Int64
}

// modelTarget is a client's target.
type modelTarget struct {
	want  listen.Target
	token []byte
	// at is the version of token.
	at clock.Version
	// added and current are set by the server's events in this connection.
	added, current bool
	docs           map[resource.Document]clock.Version
	// kept is a copy of docs at the last snapshot, to which token belongs.
	kept map[resource.Document]clock.Version
}

// errEnough ends a connection.
var errEnough = errors.New("enough")

// connect opens a stream, resumes the client's targets, opens new ones, and loses the connection after some events.
func (m *modelClient) connect(ctx context.Context) {
	stream := m.h.hub.Open(testDB)
	defer stream.Close()
	for id, target := range m.targets {
		if m.rand.IntN(4) == 0 {
			delete(m.targets, id)
			continue
		}
		target.added, target.current = false, false
		want := target.want
		target.docs = maps.Clone(target.kept)
		if want.Resume = target.token; target.token == nil {
			target.docs = make(map[resource.Document]clock.Version)
		} else {
			if m.rand.IntN(4) == 0 {
				want.Resume, want.ReadTime = nil, target.at
			}
			if m.rand.IntN(2) == 0 {
				n := int32(len(target.docs))
				if m.rand.IntN(4) == 0 {
					n = m.rand.Int32N(9) // The server must not rely on it.
				}
				want.Expected = &n
			}
		}
		stream.Add(want)
	}
	m.open(stream)
	left := m.rand.IntN(60)
	_ = stream.Run(ctx, func(e *target.Event) error {
		m.receive(ctx, e)
		if m.rand.IntN(10) == 0 { // Some clients read slowly.
			for range m.rand.IntN(300) {
				runtime.Gosched()
			}
		}
		if left--; left <= 0 {
			return errEnough
		}
		if len(m.targets) == 0 || m.rand.IntN(15) == 0 { // A client without targets would never receive anything.
			m.open(stream)
		}
		if m.rand.IntN(30) == 0 {
			for id := range m.targets {
				stream.Remove(id)
				delete(m.targets, id)
				break
			}
			m.open(stream)
		}
		return nil
	})
}

// open opens a new target.
func (m *modelClient) open(stream *listen.Stream) {
	if len(m.targets) > 5 {
		return
	}
	m.ids++
	want := randomTarget(m.t, m.rand)
	want.ID = m.ids
	m.targets[m.ids] = &modelTarget{want: want, docs: make(map[resource.Document]clock.Version)}
	stream.Add(want)
}

// receive applies an event, as the SDKs do.
func (m *modelClient) receive(ctx context.Context, e *target.Event) {
	to := m.targets[e.Target]
	if e.Kind == target.Snapshot {
		m.compare(ctx, e)
		return
	}
	if to == nil {
		return
	}
	switch e.Kind {
	case target.Added:
		to.added = true
	case target.Changed:
		if e.Leaves {
			delete(to.docs, e.Doc.Document.Name)
		} else {
			to.docs[e.Doc.Document.Name] = e.Doc.Document.UpdateTime
		}
	case target.Deleted, target.Left:
		delete(to.docs, e.Name)
	case target.Reset:
		to.docs, to.current = make(map[resource.Document]clock.Version), false
	case target.Current:
		to.current = true
	case target.Removed:
		if to.want.Once && e.Cause == nil {
			if !to.current {
				m.t.Errorf("target %d ended before it was current", e.Target)
			}
			delete(m.targets, e.Target)
			return
		}
		m.t.Errorf("target %d was removed: %v", e.Target, e.Cause)
	case target.Counted:
		if e.Filter.Count != len(to.docs) {
			m.t.Errorf("the server counts %d documents, the client has %v", e.Filter.Count, to.docs)
		}
		for name := range to.docs {
			if e.Filter.Names != nil && !e.Filter.Names.Has(name.String()) {
				m.t.Errorf("the filter lacks %s", name)
			}
		}
	}
}

// compare compares all current targets with the documents of the engine at a snapshot's version.
func (m *modelClient) compare(ctx context.Context, e *target.Event) {
	for id, target := range m.targets {
		if !target.current {
			if target.added { // As the SDKs do.
				target.token, target.at, target.kept = e.Token, e.ReadTime, maps.Clone(target.docs)
			}
			continue
		}
		if e.ReadTime < m.last {
			m.t.Errorf("a snapshot of %d after one of %d", e.ReadTime, m.last)
		}
		m.last = e.ReadTime
		target.token, target.at, target.kept = e.Token, e.ReadTime, maps.Clone(target.docs)
		want, err := m.fresh(ctx, target.want, e.ReadTime)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			m.t.Errorf("read at %d: %v", e.ReadTime, err)
			return
		}
		m.compared.Add(1)
		if len(want) != len(target.docs) {
			m.t.Errorf("target %d (%v) at %d has %v, want %v", id, target.want.Query, e.ReadTime, target.docs, want)
			continue
		}
		for name, version := range want {
			if target.docs[name] != version {
				m.t.Errorf("target %d (%v) at %d has %s of %d, want %d", id, target.want.Query, e.ReadTime, name, target.docs[name], version)
			}
		}
	}
}

// fresh reads the documents of a target at a version.
func (m *modelClient) fresh(ctx context.Context, want listen.Target, at clock.Version) (map[resource.Document]clock.Version, error) {
	reading, err := m.h.engine.Read(ctx, testDB, request.At{ReadTime: at})
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	out := make(map[resource.Document]clock.Version)
	for _, name := range want.Documents {
		d, err := reading.Get(ctx, name)
		if err != nil {
			return nil, err
		}
		if d != nil {
			out[name] = d.UpdateTime
		}
	}
	if want.Query != nil {
		_, err = reading.Query(ctx, want.Query, func(d *document.Document) error {
			out[d.Name] = d.UpdateTime
			return nil
		})
	}
	return out, err
}
