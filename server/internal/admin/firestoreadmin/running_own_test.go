package firestoreadmin

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/clock"
	"clave/server/internal/database/index"
	"clave/server/internal/store/pebble"
)

// refusing is a Releaser that must not be called.
type refusing struct {
	Releaser
	t *testing.T
}

// ChangeIndexes implements Releaser.
func (r refusing) ChangeIndexes(context.Context, string, string, func(index.Definitions) (index.Definitions, error)) error {
	r.t.Error("a cancelled operation is done")
	return nil
}

// Definitions implements Releaser.
func (r refusing) Definitions(string) (index.Definitions, error) { return index.Definitions{}, nil }

// TestCancelBeforeRun cancels an operation that Run has chosen and not begun, and deletes it: it is not done.
func TestCancelBeforeRun(t *testing.T) {
	store, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	a, err := New(t.Context(), Options{
		Project: "p", Databases: []string{"d"}, Releases: refusing{t: t}, Store: store, Clock: clock.System(), Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Earliest: func(string) time.Time { return time.Time{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, deleted := range []bool{false, true} {
		a.mu.Lock()
		err := a.beginLocked(t.Context(), &operation{Database: "d", Group: "g", Path: "f"})
		a.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		chosen := a.next(changes)
		c := &route.Call{Project: "p", Vars: map[string]string{"database": "d", "operation": chosen.ID}}
		if _, err := a.cancelOperation(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if deleted {
			if _, err := a.deleteOperation(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		if a.do(t.Context(), chosen) {
			t.Error("do reports that the process stops")
		}
		if o, err := a.findLocked(c, "d"); deleted != (err != nil) || !deleted && !o.isDone() {
			t.Errorf("after a cancel, deleted %t: %+v, %v", deleted, o, err)
		}
	}
}
