package authz_test

import (
	"fmt"
	"strings"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// anonymous is a caller without a token.
var anonymous = token.Caller{Project: "p"}

// wants checks the code of an error.
func wants(t *testing.T, what string, err error, code fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

func TestWithoutRules(t *testing.T) {
	for _, c := range []struct {
		open bool
		code fault.Code
	}{{true, fault.OK}, {false, fault.PermissionDenied}} {
		h := newFixture(t, authz.RulesetsOptions{Open: c.open})
		_, err := h.get(anonymous, "a/x")
		wants(t, "get", err, c.code)
		_, err = h.list(anonymous, all(t, "a"))
		wants(t, "list", err, c.code)
		wants(t, "commit", h.commit(anonymous, set("a/x", nil)), c.code)
		wants(t, "commit of a server", h.commit(server, set("a/x", nil)), fault.OK)
		h.rules("match /b/{x} { allow read; }")
		_, err = h.get(anonymous, "a/x")
		wants(t, "get under rules", err, fault.PermissionDenied)
		_, err = h.get(anonymous, "b/x")
		wants(t, "get that rules allow", err, fault.OK)
	}
}

func TestEveryCallIsAuthorized(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules("match /mine/{x} { allow read, write: if request.auth.uid == 'ann'; }")
	h.seed(set("mine/x", value.Map{"n": value.Int(1)}))
	for _, c := range []struct {
		caller token.Caller
		code   fault.Code
		rare   fault.Code // of the calls for privileged callers only
	}{
		{anonymous, fault.PermissionDenied, fault.PermissionDenied},
		{user("eve"), fault.PermissionDenied, fault.PermissionDenied},
		{user("ann"), fault.OK, fault.PermissionDenied},
		{server, fault.OK, fault.OK},
	} {
		ctx, what := t.Context(), func(call string) string { return fmt.Sprintf("%s by %q", call, c.caller.UID) }
		_, err := h.get(c.caller, "mine/x")
		wants(t, what("get"), err, c.code)
		_, err = h.list(c.caller, all(t, "mine"))
		wants(t, what("list"), err, c.code)
		count := &query.Aggregation{Query: all(t, "mine"), Fields: []query.Aggregate{{Alias: "n", Op: query.Count}}}
		count, err = count.Normalize()
		if err != nil {
			t.Fatal(err)
		}
		_, _, _, err = h.authorizer.Aggregate(ctx, c.caller, count, request.At{})
		wants(t, what("aggregate"), err, c.code)
		_, err = h.authorizer.List(ctx, c.caller, testDB, request.List{Collection: name("mine/x").Collection()}, request.At{})
		wants(t, what("list documents"), err, c.code)
		wants(t, what("commit"), h.commit(c.caller, set("mine/x", value.Map{"n": value.Int(1)})), c.code)
		_, err = h.authorizer.CollectionIDs(ctx, c.caller, testDB, "", request.At{})
		wants(t, what("collection ids"), err, c.rare)
		_, err = h.authorizer.Partition(ctx, c.caller, all(t, "mine"), 2, request.At{})
		wants(t, what("partition"), err, c.rare)
		_, err = h.authorizer.BatchWrite(ctx, c.caller, testDB, []document.Write{set("mine/x", nil)})
		wants(t, what("batch write"), err, c.rare)
		_, err = h.get(c.caller, "mine/x", "other/x")
		wants(t, what("get of two"), err, c.rare)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		detail, explain bool
		want            string
	}{
		{false, false, "Missing or insufficient permissions."},
		{false, true, "Missing or insufficient permissions."},
		{true, false, "\nfalse for 'get' @ L4"},
		{true, true, "\nfalse for 'get' @ L4\nLine 4: x == 'b' is false, x = \"x\"."},
	} {
		h := newFixture(t, authz.RulesetsOptions{Detail: c.detail, Explain: c.explain})
		h.rules("match /a/{x} { allow get: if x == 'b'; }")
		_, err := h.get(anonymous, "a/x")
		if e := fault.FromError(err); e == nil || e.Message != c.want {
			t.Errorf("refused with %v, want %q", err, c.want)
		}
	}
}

func TestRulesOfDatabases(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rulesets.Replace("p", testDB.ID, wholeRules("match /own/{x} { allow get; }"))
	h.rulesets.Replace("p", "", wholeRules("match /project/{x} { allow get; }"))
	h.rulesets.Replace("", "", wholeRules("match /all/{x} { allow get; }"))
	for path, code := range map[string]fault.Code{"own/x": fault.OK, "project/x": fault.PermissionDenied, "all/x": fault.PermissionDenied} {
		_, err := h.get(anonymous, path)
		wants(t, path, err, code)
	}
	if issues := h.rulesets.Replace("p", testDB.ID, "service cloud.firestore {"); !rules.HasErrors(issues) || !strings.Contains(rules.Summary(issues), "L1:") {
		t.Errorf("broken rules: %v, want an error with its place", issues)
	}
	_, err := h.get(anonymous, "own/x")
	wants(t, "after broken rules", err, fault.OK)
}

func TestCommitIsAuthorizedAsAWhole(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules(`
    match /posts/{p} { allow create: if getAfter(/databases/$(database)/documents/stats/posts).data.n
      == get(/databases/$(database)/documents/stats/posts).data.n + 1; }
    match /stats/{s} { allow update: if request.resource.data.n == resource.data.n + 1; }
    match /stamped/{s} { allow create: if request.resource.data.at == request.time; }
    match /gone/{s} { allow delete: if !existsAfter(/databases/$(database)/documents/gone/$(s)); }
    match /once/{s} { allow create: if resource == null; allow update: if false; }`)
	count := func(n int) document.Write { return set("stats/posts", value.Map{"n": value.Int(n)}) }
	h.seed(count(1), set("gone/x", nil), set("once/there", nil))
	must := func(w document.Write, exists bool) document.Write {
		w.Precondition.Exists = &exists
		return w
	}
	stamped := set("stamped/x", nil)
	stamped.Transforms = []document.Transform{{Path: value.FieldPath{"at"}, Kind: document.RequestTime}}
	for _, c := range []struct {
		what   string
		code   fault.Code
		writes []document.Write
	}{
		{"post alone", fault.PermissionDenied, []document.Write{set("posts/a", nil)}},
		{"post and count", fault.OK, []document.Write{set("posts/a", nil), count(2)}},
		{"count and post", fault.OK, []document.Write{count(3), set("posts/b", nil)}},
		{"count too far", fault.PermissionDenied, []document.Write{count(5), set("posts/c", nil)}},
		{"server timestamp", fault.OK, []document.Write{stamped}},
		{"delete", fault.OK, []document.Write{{Op: document.Delete, Name: name("gone/x")}}},
		{"update that must be refused", fault.PermissionDenied, []document.Write{set("once/there", nil)}},
		{"create of what is there", fault.PermissionDenied, []document.Write{must(set("once/there", nil), false)}},
		{"update of what isn't there", fault.PermissionDenied, []document.Write{must(set("once/none", nil), true)}},
		{"create", fault.OK, []document.Write{must(set("once/new", nil), false)}},
		{"two writes of a new document", fault.OK, []document.Write{set("once/two", nil), set("once/two", value.Map{"n": value.Int(1)})}},
		{"one good and one bad", fault.PermissionDenied, []document.Write{set("once/three", nil), set("nowhere/x", nil)}},
	} {
		wants(t, c.what, h.commit(user("ann"), c.writes...), c.code)
	}
	if n, err := h.get(server, "once/three", "posts/c"); n != 0 || err != nil {
		t.Errorf("%d documents of refused commits, %v; want none", n, err)
	}
}

func TestVerifyWritesAreAuthorizedAsGets(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules(`
    match /got/{s} { allow get; }
    match /shown/{s} { allow get: if request.resource == resource && request.method == 'get'; }
    match /written/{s} { allow write; }`)
	for _, path := range []string{"got/x", "shown/x", "written/x"} {
		h.seed(set(path, nil))
	}
	for path, want := range map[string]fault.Code{
		"got/x": fault.OK, "got/none": fault.OK, "shown/x": fault.OK, "shown/none": fault.OK, "written/x": fault.PermissionDenied,
	} {
		exists := strings.HasSuffix(path, "/x")
		w := document.Write{Op: document.Verify, Name: name(path), Precondition: document.Precondition{Exists: &exists}}
		wants(t, path, h.commit(user("ann"), w), want)
	}
}

func TestCommitSharesLookups(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules("match /w/{id} { allow write: if exists(/databases/$(database)/documents/c/$(id)); }")
	var seeds, writes []document.Write
	for i := range 21 {
		seeds = append(seeds, set(fmt.Sprintf("c/d%d", i), nil))
		writes = append(writes, set(fmt.Sprintf("w/d%d", i), nil))
	}
	h.seed(seeds...)
	wants(t, "20 writes of one lookup each", h.commit(anonymous, writes[:20]...), fault.OK)
	wants(t, "21 writes of one lookup each", h.commit(anonymous, writes...), fault.PermissionDenied)
}

func TestPastVersionsGrantNoRights(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules(adminRules)
	h.seed(set("adminusers/ann", active(true)), set("messages/1", nil))
	var then authz.Snapshot
	read := func(at request.At) error {
		return h.authorizer.Get(t.Context(), user("ann"), testDB, []resource.Document{name("messages/1")}, at,
			func(s authz.Snapshot) error { then = s; return nil }, func(resource.Document, *document.Document) error { return nil })
	}
	wants(t, "read by an administrator", read(request.At{Begin: &request.TransactionOptions{ReadOnly: true}}), fault.OK)
	transaction, version := then.Transaction, then.Version
	wants(t, "read in a transaction", read(request.At{Transaction: transaction}), fault.OK)
	h.seed(set("adminusers/ann", active(false)))
	wants(t, "read by one no longer active", read(request.At{}), fault.PermissionDenied)
	wants(t, "read of the past", read(request.At{ReadTime: version}), fault.PermissionDenied)
	wants(t, "read in a transaction of the past", read(request.At{Transaction: transaction}), fault.PermissionDenied)
	wants(t, "read in a new transaction of the past", read(request.At{Begin: &request.TransactionOptions{ReadOnly: true, ReadTime: version}}), fault.PermissionDenied)
	_, err := h.authorizer.Query(t.Context(), user("ann"), all(t, "messages"), request.At{ReadTime: version},
		func(authz.Snapshot) error { return nil }, func(*document.Document) error { return nil })
	wants(t, "query of the past", err, fault.PermissionDenied)
}
