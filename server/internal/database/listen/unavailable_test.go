package listen_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// failing is a store whose snapshots return Unavailable while it is down.
type failing struct {
	store.Store
	down atomic.Bool
}

// failingSnapshot is a snapshot of a failing store.
type failingSnapshot struct {
	store.Snapshot
	store *failing
}

func (f *failing) Snapshot() store.Snapshot { return &failingSnapshot{f.Store.Snapshot(), f} }

func (s *failingSnapshot) Get(key []byte) ([]byte, bool, error) {
	if s.store.down.Load() {
		return nil, false, unavailable()
	}
	return s.Snapshot.Get(key)
}

// unavailable is the error of a node that cannot answer now.
func unavailable() error { return fault.E(fault.Unavailable, "Please try again.") }

// TestUnavailableEndsTheStream checks that a temporary failure ends the stream, so that the client opens another one,
// and does not remove a target, which would end the listener permanently.
func TestUnavailableEndsTheStream(t *testing.T) {
	memory, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = memory.Close() })
	store := &failing{Store: memory}
	h := newFixtureOf(t, engine.Options{Store: store}, listen.Options{})
	h.commit(set("c/a", 1))
	check := listen.Authorization{Check: func(context.Context, listen.Read) ([]resource.Document, error) {
		return nil, unavailable()
	}}
	for name, to := range map[string]listen.Target{
		"authorization": {Authorization: check, Target: target.Target{ID: 2, Documents: docs("c/a")}},
		"reading":       {Authorization: listen.Unrestricted(), Target: target.Target{ID: 2, Documents: docs("c/a")}},
	} {
		t.Run(name, func(t *testing.T) {
			store.down.Store(false)
			c := h.open()
			c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "d", nil)}})
			c.want("before", "ADD[1], CUR[1], B")
			store.down.Store(name == "reading")
			c.stream.Add(to)
			select {
			case err := <-c.ended:
				if !fault.Is(err, fault.Unavailable) {
					t.Errorf("the stream ended with %v, want UNAVAILABLE", err)
				}
				c.ended <- nil
			case <-time.After(30 * time.Second):
				t.Error("the stream does not end")
				c.close()
			}
			for len(c.events) > 0 {
				if e := <-c.events; e.Kind == target.Removed {
					t.Errorf("the client received %s", text(e))
				}
			}
		})
	}
}
