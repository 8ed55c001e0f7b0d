package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"

	"clave/server/clock"
	"clave/server/config"
	"clave/server/document"
	"clave/server/engine"
	"clave/server/fault"
	"clave/server/guard"
	"clave/server/operation"
	"clave/server/release"
	"clave/server/resource"
	"clave/server/storage"
	"clave/server/storage/pebblestore"
	"clave/server/value"
)

// errLost is the error of a write that is lost.
var errLost = errors.New("the write is lost")

// losing is a store that loses the writes of a key.
type losing struct {
	*pebblestore.Store
	key string
	err error
}

// Apply implements storage.Store.
func (l *losing) Apply(ctx context.Context, b *storage.Batch) error {
	for _, op := range b.Ops {
		if string(op.Key) == l.key {
			return l.err
		}
	}
	return l.Store.Apply(ctx, b)
}

// TestReleaseThatIsNotWritten releases the first indexes of a database while the release cannot be written. The indexes
// must be dropped again.
func TestReleaseThatIsNotWritten(t *testing.T) {
	memory, err := pebblestore.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	store := &losing{Store: memory, key: string(release.Key()), err: errLost}
	t.Cleanup(func() { _ = store.Close() })
	e, err := engine.Open(t.Context(), engine.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	name, err := resource.ParseDocument("projects/p/databases/(default)/documents/g/one")
	if err != nil {
		t.Fatal(err)
	}
	write := document.Write{Name: name, Fields: value.Map{"a": value.Int(1), "b": value.Int(2)}}
	if _, err := e.Commit(t.Context(), db, operation.Commit{Writes: []document.Write{write}}, engine.Unrestricted()); err != nil {
		t.Fatal(err)
	}
	r := &releases{
		app: &App{config: &config.Config{Mode: config.ModeStart, Project: "p"}}, store: store, engine: e, rulesets: guard.NewRulesets(guard.RulesetsOptions{}),
		clock: clock.System(), log: slog.New(slog.DiscardHandler), notices: io.Discard,
	}
	r.mu.current = &release.Release{}
	text := `{"indexes": [{"collectionGroup": "g", "queryScope": "COLLECTION", "fields": [{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "ASCENDING"}]}]}`
	in := releaseRequest{By: "test", Files: release.Files{"(default)": {Indexes: &release.File{Name: "i.json", Text: text}}}}
	_, err = r.release(t.Context(), in)
	if !errors.Is(err, errLost) {
		t.Errorf("release = %v, want %v", err, errLost)
	}
	if indexes, err := e.Indexes(db); err != nil || len(indexes) > 0 {
		t.Errorf("after a release that failed the indexes are %v (%v), want none", indexes, err)
	}
	for _, ended := range []error{storage.ErrClosed, storage.ErrMoved} {
		store.err = ended
		if _, err := r.release(t.Context(), in); !fault.Is(err, fault.Unavailable) || !isTransient(err) {
			t.Errorf("release at a node whose store returns %v = %v, want Unavailable, after which the sender tries again", ended, err)
		}
	}
}
