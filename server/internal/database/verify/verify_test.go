package verify_test

import (
	"strings"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/index"
	"clave/server/internal/database/verify"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/pebble/pebbletest"
)

// filled returns a store with documents, some of them changed and deleted, a composite index and an account.
func filled(t *testing.T) *pebble.Store {
	t.Helper()
	s := pebbletest.Open(t)
	e, err := engine.Open(t.Context(), engine.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	composite := index.Definition{CollectionGroup: "rooms", Fields: []index.Field{{Path: "n"}, {Path: "m"}}}
	if err := e.SetIndexes(t.Context(), db, index.Definitions{Indexes: []index.Definition{composite}}); err != nil {
		t.Fatal(err)
	}
	for i, path := range []string{"rooms/a", "rooms/b", "rooms/a/chairs/1", "rooms/a", "rooms/b"} {
		write := document.Write{Name: resource.Document{DB: db, Path: path}, Fields: value.Map{"n": value.Int(i), "m": value.String("x")}}
		if _, err := e.Commit(t.Context(), db, request.Commit{Writes: []document.Write{write}}, engine.Unrestricted()); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	err = account.New(s).Change(t.Context(), account.Scope{Project: "p"}, []string{"ann"}, func(c *account.Change) error {
		c.Put(&account.User{UID: "ann", Email: "ann@example.org", Phone: "+34600000000"})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStore verifies a whole store, and stores in which one record was removed or changed.
func TestStore(t *testing.T) {
	r, err := verify.Store(t.Context(), filled(t), nil)
	if err != nil || r.Found != 0 || r.Databases != 1 || r.Documents != 3 || r.Entries == 0 || r.Commits != 5 || r.Accounts != 1 {
		t.Fatalf("Store of a whole store = %+v, %v", r, err)
	}
	for _, tt := range []struct {
		name, want string
		// is reports whether a key is that of the damaged record, and value is its new content; empty removes it.
		is    func(key string) bool
		value string
	}{
		{"an index entry is missing", "is missing", func(key string) bool { return key[0] == keys.KindIndex }, ""},
		{"an index entry differs", "differs", func(key string) bool { return key[0] == keys.KindIndex }, "other"},
		{"a document can't be read", "can't be decoded", func(key string) bool { return key == string(keys.Document(1, "rooms/a")) }, "\xff\xff"},
		{"a member of a group is missing", "rooms/a/chairs/1: the document is missing in its collection group", func(key string) bool { return key[0] == keys.KindGroup }, ""},
		{"the name of an account is missing", "account ann of p: it is not found by its e-mail address", func(key string) bool { return strings.HasSuffix(key, "ann@example.org") }, ""},
	} {
		s := filled(t)
		damage(t, s, tt.is, tt.value)
		r, err := verify.Store(t.Context(), s, nil)
		if err != nil || r.Found != 1 || len(r.Problems) != 1 || !strings.Contains(r.Problems[0], tt.want) {
			t.Errorf("%s: Store = %+v, %v; want one problem with %q", tt.name, r, err, tt.want)
		}
	}
}

// damage replaces or removes the first record whose key fits.
func damage(t *testing.T, s *pebble.Store, is func(key string) bool, content string) {
	t.Helper()
	var b store.Batch
	it := s.Scan(store.Range{})
	for it.Next() {
		if key := string(it.Key()); is(key) {
			if content == "" {
				b.Delete([]byte(key))
			} else {
				b.Set([]byte(key), []byte(content))
			}
			break
		}
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
}
