package authz_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// moment is the state of a database at a version.
type moment struct {
	version clock.Version
	docs    map[string]*document.Document
	// rules is the number of rulesets that were in force before the commit and no longer at it.
	rules int
}

// Lookup implements rules.Reader.
func (m *moment) Lookup(_ context.Context, name resource.Document, _ bool) (*document.Document, error) {
	return m.docs[name.Path], nil
}

// result returns the documents of a query, in order.
func (m *moment) result(q *query.Query) []*document.Document {
	var out []*document.Document
	for _, d := range m.docs {
		if q.Matches(d) && q.InCursors(d) {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, q.Compare)
	out = out[min(q.Offset, len(out)):]
	if q.Limit != query.NoLimit && len(out) > q.Limit {
		out = out[:q.Limit]
	}
	return out
}

// history holds every state of a database and every ruleset, recorded by their only writer. It answers what a caller
// may do at a version, from the rules and the states alone.
type history struct {
	h  *fixture
	db resource.Database
	mu struct {
		sync.Mutex
		moments []*moment
		// busy is set while a commit is made that is not in moments yet.
		busy     bool
		recorded *sync.Cond
		rulesets []*rules.Ruleset
		texts    []string // of rulesets
	}
}

// newHistory returns the history of a database that is about to be used.
func newHistory(h *fixture, db resource.Database) *history {
	y := &history{h: h, db: db}
	y.mu.recorded = sync.NewCond(&y.mu.Mutex)
	return y
}

// replace puts rules in force.
func (y *history) replace(text string) {
	y.h.t.Helper()
	compiled, issues := rules.Compile(text)
	if compiled == nil {
		y.h.t.Fatalf("%s\n%s", rules.Summary(issues), text)
	}
	y.mu.Lock()
	y.mu.rulesets, y.mu.texts = append(y.mu.rulesets, compiled), append(y.mu.texts, text)
	y.mu.Unlock()
	y.h.rulesets.Replace(y.db.Project, y.db.ID, text)
}

// commit commits writes and records the state that results.
func (y *history) commit(writes ...document.Write) {
	y.h.t.Helper()
	ctx := y.h.t.Context()
	y.mu.Lock()
	y.mu.busy = true
	y.mu.Unlock()
	r, err := y.h.authorizer.Commit(ctx, server, y.db, request.Commit{Writes: writes})
	if err != nil {
		y.h.t.Fatal(err)
	}
	everything, err := (&query.Query{DB: y.db, From: []query.From{{AllDescendants: true}}, Limit: query.NoLimit}).Normalize()
	if err != nil {
		y.h.t.Fatal(err)
	}
	m := &moment{version: r.Version, docs: make(map[string]*document.Document)}
	_, err = y.h.authorizer.Query(ctx, server, everything, request.At{}, func(authz.Snapshot) error { return nil }, func(d *document.Document) error {
		m.docs[d.Name.Path] = d
		return nil
	})
	if err != nil {
		y.h.t.Fatal(err)
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	m.rules = len(y.mu.rulesets) - 1
	// A commit that changes nothing has no version of its own.
	if n := len(y.mu.moments); n == 0 || !maps.EqualFunc(y.mu.moments[n-1].docs, m.docs, sameState) {
		y.mu.moments = append(y.mu.moments, m)
	}
	y.mu.busy = false
	y.mu.recorded.Broadcast()
}

// sameState reports whether two documents are the same state of one.
func sameState(a, b *document.Document) bool { return a.UpdateTime == b.UpdateTime }

// at returns the state at a version that was read or committed. A commit that begins later has a later version.
func (y *history) at(v clock.Version) *moment {
	y.mu.Lock()
	defer y.mu.Unlock()
	for y.mu.busy && y.mu.moments[len(y.mu.moments)-1].version < v {
		y.mu.recorded.Wait()
	}
	i, found := slices.BinarySearchFunc(y.mu.moments, v, func(m *moment, v clock.Version) int { return int(m.version - v) })
	if !found {
		i--
	}
	return y.mu.moments[max(i, 0)]
}

// until returns the states up to a version.
func (y *history) until(v clock.Version) []*moment {
	last := y.at(v)
	y.mu.Lock()
	defer y.mu.Unlock()
	return slices.Clone(y.mu.moments[:slices.Index(y.mu.moments, last)+1])
}

// allows reports whether a request is allowed in a state, by the rules that were in force at its commit or by later
// ones.
func (y *history) allows(c token.Caller, m *moment, request rules.Request) bool {
	y.mu.Lock()
	inForce := slices.Clone(y.mu.rulesets[m.rules:])
	y.mu.Unlock()
	request.Auth, request.Reader = &rules.Auth{UID: c.UID, Claims: c.Claims}, m
	request.Time = value.TimestampOf(m.version.Time())
	for _, r := range inForce {
		d, err := r.Allow(context.Background(), &request)
		if err != nil {
			y.h.t.Error(err)
		}
		if d.Allowed {
			return true
		}
	}
	return false
}

// rulesFrom returns the rules that were in force at the commit of a state, and later ones.
func (y *history) rulesFrom(m *moment) string {
	y.mu.Lock()
	defer y.mu.Unlock()
	return strings.Join(y.mu.texts[m.rules:], "")
}

// mayGet reports whether a caller may get a document in a state.
func (y *history) mayGet(c token.Caller, m *moment, path string) bool {
	return y.allows(c, m, rules.Request{Method: rules.Get, Name: resource.Document{DB: y.db, Path: path}, Before: m.docs[path]})
}

// mayList reports whether a caller may run a query in a state.
func (y *history) mayList(c token.Caller, m *moment, q *query.Query) bool {
	return y.allows(c, m, rules.Request{Method: rules.List, Query: q})
}

// TestHistory checks the states that the other tests rely on.
func TestHistory(t *testing.T) {
	y := newHistory(newFixture(t, authz.RulesetsOptions{}), testDB)
	y.replace(wholeRules("match /s/{id} { allow read: if exists(/databases/$(database)/documents/r/$(request.auth.uid)); }"))
	y.commit(set("s/a", value.Map{"n": value.Int(1)}))
	y.commit(set("r/ann", value.Map{}))
	before, after := y.mu.moments[0], y.mu.moments[1]
	if y.at(after.version-1) != before || y.at(after.version+1) != after || len(y.until(after.version)) != 2 {
		t.Error("the states are not those of their versions")
	}
	if y.mayGet(user("ann"), before, "s/a") || !y.mayGet(user("ann"), after, "s/a") || y.mayList(user("bob"), after, all(t, "s")) {
		t.Error("a right is not that of its version")
	}
	if got := after.result(all(t, "s", 1)); len(got) != 1 || got[0].Name.Path != "s/a" {
		t.Errorf("the result of a query is %v", got)
	}
}
