package authz_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
)

// ownRules let users read their own documents.
const ownRules = `match /own/{id} { allow read: if resource.data.owner == request.auth.uid; }`

// owned returns a write of a document with an owner.
func owned(path, owner, v string) document.Write {
	return set(path, value.Map{"owner": value.String(owner), "v": value.String(v)})
}

// ownedBy returns the query for a user's documents.
func ownedBy(t *testing.T, owner string, limit int) *query.Query {
	t.Helper()
	q := &query.Query{DB: testDB, From: []query.From{{Collection: "own"}}, Limit: limit,
		Where: query.Field{Path: value.FieldPath{"owner"}, Op: query.Equal, Value: value.String(owner)}}
	q, err := q.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// next returns the next event.
func (l *listener) next() *target.Event {
	l.t.Helper()
	late := time.NewTimer(30 * time.Second)
	defer late.Stop()
	select {
	case e := <-l.events:
		return e
	case <-late.C:
		l.t.Fatal("no event for 30 s")
		return nil
	}
}

// firstOf returns the next event about a document.
func (l *listener) firstOf() *target.Event {
	l.t.Helper()
	for {
		e := l.next()
		switch e.Kind {
		case target.Changed, target.Deleted, target.Left:
			return e
		case target.Removed:
			l.t.Fatalf("the target was removed: %v", e.Cause)
		}
	}
}

// TestADocumentThatIsGivenAway gives a user's document to another user while the first listens to their own documents.
// The first, who may no longer get it, receives only that it has left: at once, when the listener is resumed by a token
// or by a time, and with a token that a client computed.
func TestADocumentThatIsGivenAway(t *testing.T) {
	for _, limit := range []int{query.NoLimit, 1} {
		t.Run(fmt.Sprint("limit ", limit), func(t *testing.T) {
			h := newFixture(t, authz.RulesetsOptions{})
			h.rules(ownRules)
			h.seed(owned("own/a", "me", "mine"))
			l := h.listen(user("me"))
			l.stream.Add(target.Target{ID: 1, Query: ownedBy(t, "me", limit)})
			at := l.await(target.Current)
			h.seed(owned("own/a", "you", "SECRET"))
			if e := l.firstOf(); e.Kind != target.Left || e.Doc != nil {
				t.Errorf("the listener received %+v, want that the document has left", e)
			}
			if _, err := h.get(user("me"), "own/a"); !fault.Is(err, fault.PermissionDenied) {
				t.Fatalf("a get = %v, want PERMISSION_DENIED", err)
			}
			for _, c := range []struct {
				what   string
				target target.Target
			}{
				{"by a token", target.Target{Resume: at.Token}}, {"by a time", target.Target{ReadTime: at.ReadTime}},
				{"by a token that was computed", target.Target{Resume: resumeToken(at.ReadTime - 1)}},
			} {
				again := h.listen(user("me"))
				c.target.ID, c.target.Query = 1, ownedBy(t, "me", limit)
				again.stream.Add(c.target)
				if e := again.firstOf(); e.Kind != target.Left || e.Doc != nil {
					t.Errorf("resumed %s, the listener received %+v, want that the document has left", c.what, e)
				}
			}
		})
	}
}

// TestADocumentThatIsNoLongerPublic checks what a client that has never listened receives of documents that were
// public: those that it may still get with their content, and of others only that they have left.
func TestADocumentThatIsNoLongerPublic(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules(`match /public/{id} { allow read: if resource.data.n == 1 || resource.data.old == true; }`)
	h.seed(set("public/a", value.Map{"n": value.Int(1)}), set("public/b", value.Map{"n": value.Int(1)}), set("public/c", value.Map{"n": value.Int(1)}))
	seen := h.listen(anonymous)
	seen.stream.Add(target.Target{ID: 1, Query: all(t, "public", 1)})
	at := seen.await(target.Current).ReadTime
	h.seed(set("public/a", value.Map{"n": value.Int(2)}), set("public/b", value.Map{"n": value.Int(2), "old": value.Bool(true)}))
	h.seed(document.Write{Op: document.Delete, Name: name("public/a")}, document.Write{Op: document.Delete, Name: name("public/c")})
	want := map[string]target.Kind{"public/a": target.Left, "public/b": target.Changed, "public/c": target.Deleted}
	for _, resume := range []target.Target{{Resume: resumeToken(at)}, {ReadTime: at}} {
		l := h.listen(anonymous)
		resume.ID, resume.Query = 1, all(t, "public", 1)
		l.stream.Add(resume)
		got := make(map[string]target.Kind)
		for range want {
			e := l.firstOf()
			got[e.Name.Path] = e.Kind
		}
		for path, kind := range want {
			if got[path] != kind {
				t.Errorf("of %s the client received an event of kind %d, want %d", path, got[path], kind)
			}
		}
	}
}

// TestNamesFromBeforeARight resumes a query, also with a limit, from a version at which the caller had no right to it,
// and from one since which the caller lost the right and got it again. The target is sent completely then, without the
// names of documents that left meanwhile. A caller who had the right all the time receives these names, even if what
// the rules look up was written meanwhile.
func TestNamesFromBeforeARight(t *testing.T) {
	grant := set("roles/me", value.Map{"member": value.Bool(true)})
	renew := set("roles/me", value.Map{"member": value.Bool(true), "seen": value.Int(1)})
	revoke := document.Write{Op: document.Delete, Name: name("roles/me")}
	for _, limit := range []int{query.NoLimit, 2} {
		for _, c := range []struct {
			name          string
			before, after []document.Write
			between       []document.Write // in a commit of its own
			reset         bool
		}{
			{"no right before", nil, []document.Write{grant}, nil, true},
			{"a right all the time", []document.Write{grant}, []document.Write{set("other/a", nil)}, nil, false},
			{"a right that was written again", []document.Write{grant}, []document.Write{renew}, nil, false},
			{"a right that was lost meanwhile", []document.Write{grant}, []document.Write{grant}, []document.Write{revoke}, true},
		} {
			t.Run(fmt.Sprintf("%s, limit %d", c.name, limit), func(t *testing.T) {
				h := newFixture(t, authz.RulesetsOptions{})
				h.rules(`match /secret/{id} { allow read: if get(/databases/$(database)/documents/roles/$(request.auth.uid)).data.member; }`)
				h.seed(append(c.before, set("secret/a", nil), set("secret/b", nil))...)
				q := *all(t, "secret")
				q.Limit = limit
				l := h.listen(server)
				l.stream.Add(target.Target{ID: 1, Query: &q})
				at := l.await(target.Current)
				if c.between != nil {
					h.seed(c.between...)
				}
				h.seed(document.Write{Op: document.Delete, Name: name("secret/a")}, set("secret/passing", nil))
				h.seed(document.Write{Op: document.Delete, Name: name("secret/passing")})
				h.seed(c.after...)
				again := h.listen(user("me"))
				again.stream.Add(target.Target{ID: 1, Query: &q, Resume: resumeToken(at.ReadTime)})
				var reset bool
				var gone, shown []string
				for e := again.next(); e.Kind != target.Current; e = again.next() {
					switch e.Kind {
					case target.Removed:
						t.Fatalf("the target was removed: %v", e.Cause)
					case target.Reset:
						reset = true
					case target.Deleted, target.Left:
						gone = append(gone, e.Name.Path)
					case target.Changed:
						shown = append(shown, e.Name.Path)
					}
				}
				wantGone, wantShown := []string{"secret/a", "secret/passing"}, []string(nil)
				if c.reset {
					wantGone, wantShown = nil, []string{"secret/b"}
				}
				slices.Sort(gone)
				if reset != c.reset || !slices.Equal(gone, wantGone) || !slices.Equal(shown, wantShown) {
					t.Errorf("reset %t, shown %v, gone %v; want %t, %v, %v", reset, shown, gone, c.reset, wantShown, wantGone)
				}
			})
		}
	}
}

// TestMissingDocumentsAreHidden checks that callers to whom rules apply can't list missing documents, whose names show
// that hidden documents exist below them.
func TestMissingDocumentsAreHidden(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules(`match /open/{id} { allow read; }`)
	h.seed(set("open/a/hidden/b", nil))
	list := func(c token.Caller, missing bool) (int, error) {
		page, err := h.authorizer.List(t.Context(), c, testDB, request.List{
			Collection: name("open/a").Collection(), PageSize: 10, ShowMissing: missing,
		}, request.At{})
		return len(page.Documents), err
	}
	if n, err := list(anonymous, true); n != 0 || !fault.Is(err, fault.PermissionDenied) {
		t.Errorf("a list of missing documents = %d, %v, want PERMISSION_DENIED", n, err)
	}
	if n, err := list(anonymous, false); n != 0 || err != nil {
		t.Errorf("a list of documents = %d, %v, want none", n, err)
	}
	if n, err := list(server, true); n != 1 || err != nil {
		t.Errorf("the server's list of missing documents = %d, %v, want one", n, err)
	}
}

// TestARightEndsWithItsCommit deletes the roles of many listeners in the commit that changes what the roles guard. None
// may receive the change, neither by a query nor by a document, and none that opens meanwhile.
func TestARightEndsWithItsCommit(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules(`match /guarded/{id} { allow read: if exists(/databases/$(database)/documents/roles/$(request.auth.uid)); }`)
	const users = 20
	for round := range 10 {
		var grants, revokes []document.Write
		for i := range users {
			role := fmt.Sprintf("roles/user%d", i)
			grants = append(grants, set(role, value.Map{}))
			revokes = append(revokes, document.Write{Op: document.Delete, Name: name(role)})
		}
		h.seed(append(grants, set("guarded/a", value.Map{"n": value.Int(round)}))...)
		secret := value.String("SECRET")
		var listeners []*listener
		open := func(i int) {
			l := h.listen(user(fmt.Sprintf("user%d", i)))
			l.stream.Add(target.Target{ID: 1, Query: all(t, "guarded")})
			l.stream.Add(target.Target{ID: 2, Documents: []resource.Document{name("guarded/a")}})
			listeners = append(listeners, l)
		}
		for i := range users {
			open(i)
			if i%2 == 0 {
				listeners[i].await(target.Current)
			}
		}
		h.seed(append(revokes, set("guarded/a", value.Map{"n": secret}))...)
		for i := range users {
			open(i)
		}
		for i, l := range listeners {
			for removed := 0; removed < 2; {
				switch e := l.next(); e.Kind {
				case target.Removed:
					wants(t, "the target", e.Cause, fault.PermissionDenied)
					removed++
				case target.Changed:
					if e.Doc.Document.Fields["n"] == secret {
						t.Fatalf("listener %d of round %d received the guarded content", i, round)
					}
				}
			}
		}
	}
}
