package releases

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/projectfiles"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/release"
)

// errLost is the error of a write that is lost.
var errLost = errors.New("the write is lost")

// losing is a store that loses the writes of a key.
type losing struct {
	*pebble.Store
	key string
	err error
}

// Apply implements store.Store.
func (l *losing) Apply(ctx context.Context, b *store.Batch) error {
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
	memory, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	st := &losing{Store: memory, key: string(release.Key()), err: errLost}
	t.Cleanup(func() { _ = st.Close() })
	e, err := engine.Open(t.Context(), engine.Options{Store: st})
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
	if _, err := e.Commit(t.Context(), db, request.Commit{Writes: []document.Write{write}}, engine.Unrestricted()); err != nil {
		t.Fatal(err)
	}
	r := &Service{o: Options{
		Project: &projectfiles.Project{ID: "p", Notices: io.Discard}, Store: st, Engine: e, Rulesets: authz.NewRulesets(authz.RulesetsOptions{}),
		Clock: clock.System(), Log: slog.New(slog.DiscardHandler),
	}}
	r.mu.current = &release.Release{}
	text := `{"indexes": [{"collectionGroup": "g", "queryScope": "COLLECTION", "fields": [{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "ASCENDING"}]}]}`
	in := Request{By: "test", Files: release.Files{"(default)": {Indexes: &release.File{Name: "i.json", Text: text}}}}
	_, err = r.Release(t.Context(), in)
	if !errors.Is(err, errLost) {
		t.Errorf("Release = %v, want %v", err, errLost)
	}
	if indexes, err := e.Indexes(db); err != nil || len(indexes) > 0 {
		t.Errorf("after a release that failed the indexes are %v (%v), want none", indexes, err)
	}
	for _, ended := range []error{store.ErrClosed, store.ErrMoved} {
		st.err = ended
		if _, err := r.Release(t.Context(), in); !fault.Is(err, fault.Unavailable) || !leaderservice.IsTransient(err) {
			t.Errorf("Release at a node whose store returns %v = %v, want Unavailable, after which the sender tries again", ended, err)
		}
	}
}
