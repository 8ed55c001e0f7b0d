package authz_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
)

// soundUsers are the callers of TestMessagesAreSound.
var soundUsers = []string{"ann", "bob"}

// soundGenerator generates random rules, writes and targets.
type soundGenerator struct {
	*rand.Rand
	db resource.Database
}

// pick returns one of the items.
func pick[T any](g *soundGenerator, items ...T) T { return items[g.IntN(len(items))] }

// condition returns a condition on the document, the caller and other documents.
func (g *soundGenerator) condition(depth int) string {
	if depth > 0 && g.IntN(3) > 0 {
		return fmt.Sprintf("(%s %s %s)", g.condition(depth-1), pick(g, "&&", "||"), g.condition(depth-1))
	}
	const at = "/databases/$(database)/documents/"
	return pick(g,
		"resource.data.owner == request.auth.uid", "resource.data.public == true", "resource.data.n > 1", "resource.data.n <= 2",
		"resource == null", "request.auth.uid == 'ann'",
		"exists("+at+"roles/$(request.auth.uid))", "!exists("+at+"bans/$(request.auth.uid))",
		"get("+at+"roles/$(request.auth.uid)).data.n == 1", "getAfter("+at+"roles/$(request.auth.uid)).data.public",
		"existsAfter("+at+"roles/$(request.auth.uid))", "exists("+at+"bans/$(get("+at+"roles/$(request.auth.uid)).data.owner))",
		"get("+at+"roles/$(resource.data.owner)).data.n > 0", "true")
}

// rules returns rules for the collections s.
func (g *soundGenerator) rules() string {
	var allows strings.Builder
	for range 1 + g.IntN(2) {
		fmt.Fprintf(&allows, "allow read: if %s;\n", g.condition(2))
	}
	return wholeRules("match " + pick(g, "/s/{id}", "/{above=**}/s/{id}", "/{above=**}/s/{id}") + " {\n" + allows.String() + "}")
}

// fields returns the fields of a document.
func (g *soundGenerator) fields() value.Map {
	m := value.Map{"n": value.Int(g.IntN(4)), "x": value.Int(g.IntN(1000))}
	if g.IntN(4) > 0 {
		m["owner"] = value.String(pick(g, soundUsers...))
	}
	if g.IntN(3) > 0 {
		m["public"] = value.Bool(g.IntN(2) == 0)
	}
	return m
}

// writes returns the writes of one commit, which often changes what rules look up beside what they guard.
func (g *soundGenerator) writes() []document.Write {
	var out []document.Write
	for range 1 + g.IntN(3) {
		path := fmt.Sprintf("%s/%c", pick(g, "s", "s", "t/x/s"), 'a'+rune(g.IntN(5)))
		if g.IntN(3) == 0 {
			path = pick(g, "roles/", "bans/") + pick(g, soundUsers...)
		}
		w := document.Write{Name: resource.Document{DB: g.db, Path: path}, Fields: g.fields()}
		if g.IntN(4) == 0 {
			w = document.Write{Op: document.Delete, Name: w.Name}
		}
		out = append(out, w)
	}
	return out
}

// filter returns a filter of a query, or nil.
func (g *soundGenerator) filter(uid string) query.Filter {
	field := func(name string, op query.Op, v value.Value) query.Filter {
		return query.Field{Path: value.FieldPath{name}, Op: op, Value: v}
	}
	switch g.IntN(7) {
	case 0, 1:
		return field("owner", query.Equal, value.String(uid))
	case 2, 3:
		return field("public", query.Equal, value.Bool(true))
	case 4:
		return field("n", query.GreaterThan, value.Int(1))
	case 5:
		return &query.And{Filters: []query.Filter{field("owner", query.Equal, value.String(uid)), field("n", query.LessThanOrEqual, value.Int(2))}}
	}
	return nil
}

// target returns a target for a user.
func (g *soundGenerator) target(t *testing.T, uid string) target.Target {
	if g.IntN(4) == 0 {
		var names []resource.Document
		for _, i := range g.Perm(5)[:1+g.IntN(2)] {
			names = append(names, resource.Document{DB: g.db, Path: fmt.Sprintf("s/%c", 'a'+rune(i))})
		}
		return target.Target{Documents: names}
	}
	q := &query.Query{DB: g.db, From: []query.From{{Collection: "s", AllDescendants: g.IntN(3) == 0}}, Limit: query.NoLimit, Where: g.filter(uid)}
	if g.IntN(2) == 0 {
		q.Limit = 1 + g.IntN(3)
	}
	if g.IntN(3) == 0 {
		q.OrderBy = []query.Order{{Path: value.FieldPath{"n"}, Desc: g.IntN(2) == 0}}
		if g.IntN(3) == 0 {
			q.Start = &query.Cursor{Values: []value.Value{value.Int(g.IntN(3))}, Before: true}
		}
	}
	if g.IntN(6) == 0 {
		q.Offset = 1
	}
	if g.IntN(8) == 0 {
		q.HasSelect, q.Select = true, []value.FieldPath{{"n"}}
	}
	q, err := q.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	return target.Target{Query: q}
}

// resumeToken returns the resume token of a version, which every client can compute.
func resumeToken(v clock.Version) []byte {
	b := binary.BigEndian.AppendUint64([]byte{0x76}, uint64(v))
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))[:12]
}

// TestMessagesAreSound commits at random under random rules while users open, resume and lose random targets, at
// versions that they have seen and at others. A get of each document that a user receives must be allowed to that user
// at the version of the message, and the documents that the user has must be the results of the targets. The name of a
// document that left must be one that the user could have: its query was allowed at a version at which it had the
// document.
func TestMessagesAreSound(t *testing.T) {
	rounds := 30
	if testing.Short() {
		rounds = 15
	}
	h := newFixture(t, authz.RulesetsOptions{})
	var seen soundCounts
	for round := range rounds {
		soundRound(t, h, uint64(round), &seen)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	t.Logf("%d rounds: %+v", rounds, seen.all())
	for what, n := range seen.all() {
		if n < int64(rounds) {
			t.Errorf("%d %s in %d rounds: the test checks nothing", n, what, rounds)
		}
	}
}

// soundCounts counts what the clients have received.
type soundCounts struct {
	changed, leaving, left, deleted, removed, compared atomic.Int64
}

// all returns the counts by name.
func (s *soundCounts) all() map[string]int64 {
	return map[string]int64{
		"changes": s.changed.Load(), "changes that leave": s.leaving.Load(), "removals": s.left.Load(),
		"deletions": s.deleted.Load(), "denied targets": s.removed.Load(), "snapshots": s.compared.Load(),
	}
}

// soundRound runs clients against the commits of one database.
func soundRound(t *testing.T, h *fixture, seed uint64, counts *soundCounts) {
	db := resource.Database{Project: "p", ID: fmt.Sprintf("round%d", seed)}
	g := &soundGenerator{rand.New(rand.NewPCG(seed, 1)), db}
	y := newHistory(h, db)
	y.replace(g.rules())
	for range 5 {
		y.commit(g.writes()...)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var clients sync.WaitGroup
	for i := range 4 {
		clients.Go(func() {
			uid := soundUsers[i%len(soundUsers)]
			c := &soundClient{
				t: t, y: y, g: &soundGenerator{rand.New(rand.NewPCG(seed, uint64(2+i))), db}, caller: user(uid), counts: counts,
				targets: make(map[int32]*soundTarget),
			}
			for ctx.Err() == nil && !t.Failed() {
				c.connect(ctx)
			}
		})
	}
	for i := range 60 {
		y.commit(g.writes()...)
		if i%20 == 19 {
			y.replace(g.rules())
			y.commit(g.writes()...)
		}
		for range g.IntN(200) {
			runtime.Gosched()
		}
	}
	cancel()
	clients.Wait()
}

// soundClient is a user's client.
type soundClient struct {
	t       *testing.T
	y       *history
	g       *soundGenerator
	caller  token.Caller
	counts  *soundCounts
	ids     int32
	targets map[int32]*soundTarget
}

// soundTarget is a client's target.
type soundTarget struct {
	want target.Target
	// first holds the documents' events before the first Current, which are of its version.
	first   []*target.Event
	current bool
	docs    map[string]clock.Version
}

// errLost ends a connection.
var errLost = errors.New("lost")

// connect opens a stream with targets, and loses it after some events.
func (c *soundClient) connect(ctx context.Context) {
	stream := c.y.h.authorizer.Listen(c.caller, c.y.db)
	defer stream.Close()
	clear(c.targets)
	for range 1 + c.g.IntN(3) {
		c.open(stream)
	}
	left := 5 + c.g.IntN(60)
	_ = stream.Run(ctx, func(e *target.Event) error {
		c.receive(e)
		if c.g.IntN(10) == 0 {
			for range c.g.IntN(300) {
				runtime.Gosched()
			}
		}
		if left--; left <= 0 || c.t.Failed() {
			return errLost
		}
		if len(c.targets) < 3 {
			c.open(stream)
		}
		return nil
	})
}

// open opens a target, as new or as one that the client had at any version, whether or not it ever had it.
func (c *soundClient) open(stream *authz.Stream) {
	c.ids++
	t := &soundTarget{want: c.g.target(c.t, c.caller.UID), docs: make(map[string]clock.Version)}
	t.want.ID = c.ids
	if c.g.IntN(2) == 0 {
		c.y.mu.Lock()
		from := c.y.mu.moments[c.g.IntN(len(c.y.mu.moments))]
		c.y.mu.Unlock()
		t.docs = t.results(from)
		if c.g.IntN(2) == 0 {
			t.want.ReadTime = from.version
		} else {
			t.want.Resume = resumeToken(from.version.After())
		}
		if n := int32(len(t.docs)); c.g.IntN(2) == 0 {
			t.want.Expected = &n
		}
	}
	c.targets[t.want.ID] = t
	stream.Add(t.want)
}

// results returns the documents of a target in a state.
func (t *soundTarget) results(m *moment) map[string]clock.Version {
	out := make(map[string]clock.Version)
	for _, name := range t.want.Documents {
		if d := m.docs[name.Path]; d != nil {
			out[name.Path] = d.UpdateTime
		}
	}
	if t.want.Query != nil {
		for _, d := range m.result(t.want.Query) {
			out[d.Name.Path] = d.UpdateTime
		}
	}
	return out
}

// receive applies an event and judges it.
func (c *soundClient) receive(e *target.Event) {
	t := c.targets[e.Target]
	switch {
	case e.Kind == target.Snapshot:
		c.compare(e.ReadTime - 1)
	case t == nil:
	case e.Kind == target.Changed || e.Kind == target.Deleted || e.Kind == target.Left:
		t.apply(e)
		if t.current {
			c.judge(t, e, e.ReadTime)
		} else {
			t.first = append(t.first, e)
		}
	case e.Kind == target.Current:
		for _, first := range t.first {
			c.judge(t, first, e.ReadTime-1)
		}
		t.first, t.current = nil, true
	case e.Kind == target.Reset:
		t.docs, t.current = make(map[string]clock.Version), false
	case e.Kind == target.Removed:
		c.counts.removed.Add(1)
		delete(c.targets, e.Target)
	}
}

// apply applies an event to the client's documents.
func (t *soundTarget) apply(e *target.Event) {
	if e.Kind == target.Changed && !e.Leaves {
		t.docs[e.Name.Path] = e.Doc.Document.UpdateTime
	} else {
		delete(t.docs, e.Name.Path)
	}
}

// judge checks an event about a document at a version.
func (c *soundClient) judge(t *soundTarget, e *target.Event, at clock.Version) {
	m := c.y.at(at)
	path := e.Name.Path
	switch e.Kind {
	case target.Changed:
		c.counts.changed.Add(1)
		if e.Leaves {
			c.counts.leaving.Add(1)
		}
		if d := m.docs[path]; d == nil || d.UpdateTime != e.Doc.Document.UpdateTime {
			c.fail(t, m, "%s of %d is not the document at the version", path, e.Doc.Document.UpdateTime)
		}
		if !c.y.mayGet(c.caller, m, path) {
			c.fail(t, m, "%s was sent with its content (leaves: %t), and a get is denied", path, e.Leaves)
		}
	case target.Deleted:
		c.counts.deleted.Add(1)
		if m.docs[path] != nil {
			c.fail(t, m, "%s was sent as deleted, and exists", path)
		}
		if !c.y.mayGet(c.caller, m, path) && !c.shownLast(t, m, path) {
			c.fail(t, m, "%s was sent as deleted, a get is denied, and it was in no result that the user could have until then", path)
		}
	default:
		c.counts.left.Add(1)
		if !c.shownEver(t, m, path) {
			c.fail(t, m, "%s was sent as removed, and was in no result that the user could have", path)
		}
	}
}

// shownLast reports whether a deleted document was in the target's query, regardless of a limit, until its deletion,
// and the user could have the query then.
func (c *soundClient) shownLast(t *soundTarget, m *moment, path string) bool {
	for _, before := range slices.Backward(c.y.until(m.version)) {
		if d := before.docs[path]; d != nil {
			return t.want.Query != nil && t.want.Query.Matches(d) && c.y.mayList(c.caller, before, t.want.Query)
		}
	}
	return false
}

// shownEver reports whether a document was in the target's query, regardless of a limit, at a version at which the user
// could have the query.
func (c *soundClient) shownEver(t *soundTarget, m *moment, path string) bool {
	return slices.ContainsFunc(c.y.until(m.version), func(before *moment) bool {
		d := before.docs[path]
		return d != nil && t.want.Query != nil && t.want.Query.Matches(d) && c.y.mayList(c.caller, before, t.want.Query)
	})
}

// compare checks the client's documents of all current targets at a snapshot, and that the caller may have them.
func (c *soundClient) compare(at clock.Version) {
	for _, t := range c.targets {
		if !t.current {
			continue
		}
		m := c.y.at(at)
		c.counts.compared.Add(1)
		if want := t.results(m); !maps.Equal(want, t.docs) {
			c.fail(t, m, "the client has %v, want %v", t.docs, want)
		}
		if t.want.Query != nil && !c.y.mayList(c.caller, m, t.want.Query) {
			c.fail(t, m, "the target is open, and the query is denied")
		}
	}
}

// fail fails the test.
func (c *soundClient) fail(t *soundTarget, m *moment, format string, args ...any) {
	c.t.Helper()
	q := fmt.Sprint(t.want.Documents)
	if t.want.Query != nil {
		q = t.want.Query.Fingerprint()
	}
	c.t.Errorf("%s at %d, target %q (from %d, token %x): %s; rules:\n%s", c.caller.UID, m.version, q, t.want.ReadTime, t.want.Resume,
		fmt.Sprintf(format, args...), c.y.rulesFrom(m))
}
