package attack_test

import (
	"os"
	"slices"
	"testing"

	"clave/server/internal/rules"
	"clave/server/internal/rules/attack"
)

// run attacks rules.
func run(t *testing.T, source string) *attack.Report {
	t.Helper()
	r, issues := rules.Compile(source)
	if r == nil {
		t.Fatalf("%s\n%s", rules.Summary(issues), source)
	}
	report, err := attack.Run(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// has reports whether there is a finding of a kind in a collection, which no comment explains.
func has(r *attack.Report, kind, path string) bool {
	return slices.ContainsFunc(r.Findings, func(f attack.Finding) bool { return f.Kind == kind && f.Path == path && f.Explained == "" })
}

// TestRulesOfTheSite attacks the rules of this repository. Each finding is explained by a comment, and each statement
// is reached.
func TestRulesOfTheSite(t *testing.T) {
	source, err := os.ReadFile("../../../../firestore.rules")
	if err != nil {
		t.Fatal(err)
	}
	report := run(t, string(source))
	for _, f := range report.Findings {
		if f.Explained == "" {
			t.Errorf("firestore.rules:%d: %s %s %s: %s", f.Line, f.Kind, f.Method, f.Path, f.What)
		}
	}
	if report.Reached != report.Statements {
		t.Errorf("%d of %d statements were reached", report.Reached, report.Statements)
	}
	if len(report.Findings) < 5 || report.Requests < 200 {
		t.Errorf("%d findings of %d requests: the attack tries less than it should", len(report.Findings), report.Requests)
	}
}

// around puts match statements into a ruleset.
func around(matches string) string {
	return "rules_version = '2';\nservice cloud.firestore {\n  match /databases/{database}/documents {\n" + matches + "\n  }\n}\n"
}

// TestCommonMistakes attacks the mistakes that published rules have most.
func TestCommonMistakes(t *testing.T) {
	for _, c := range []struct{ name, rules, kind, path string }{
		{"test mode", "match /{document=**} { allow read, write: if true; }", "anyone", "/{document=**}"},
		{"any user", "match /{document=**} { allow read, write: if request.auth != null; }", "any-user", "/{document=**}"},
		{"any collection", "match /{document=**} { allow read: if request.auth != null; }", "any-collection", "/{document=**}"},
		{
			"users choose their role", `match /users/{uid} { allow read, write: if request.auth.uid == uid; }
			match /posts/{p} { allow delete: if get(/databases/$(database)/documents/users/$(request.auth.uid)).data.role == 'admin'; }`, "self-granted", "/users/{uid}",
		},
		{"the new owner counts", "match /notes/{n} { allow update: if request.resource.data.owner == request.auth.uid && request.resource.data.keys().hasOnly(['owner']); }", "takeover", "/notes/{n}"},
		{"the owner may be given away", "match /notes/{n} { allow update: if resource.data.owner == request.auth.uid; }", "owner-forged", "/notes/{n}"},
		{"no list of fields", "match /posts/{p} { allow create: if request.resource.data.author == request.auth.uid && request.resource.data.title is string; }", "unknown-field", "/posts/{p}"},
		{"no size", "match /posts/{p} { allow create: if request.auth != null && request.resource.data.keys().hasOnly(['title']) && request.resource.data.title is string; }", "size-unchecked", "/posts/{p}"},
		{"no type", "match /posts/{p} { allow create: if request.auth != null && request.resource.data.keys().hasOnly(['title']) && request.resource.data.keys().hasAll(['title']); }", "type-unchecked", "/posts/{p}"},
		{"an address without verification", "match /staff/{s} { allow read: if request.auth.token.email == 'boss@example.com'; }", "email-unverified", "/staff/{s}"},
		{"numbers without bounds", "match /games/{g} { allow update: if request.auth.uid == resource.data.owner && request.resource.data.diff(resource.data).affectedKeys().hasOnly(['score']) && request.resource.data.score is int; }", "number-unchecked", "/games/{g}"},
		{"lists without bounds", "match /games/{g} { allow update: if request.auth.uid == resource.data.owner && request.resource.data.diff(resource.data).affectedKeys().hasOnly(['tags']) && request.resource.data.tags is list; }", "size-unchecked", "/games/{g}"},
		{"a tenant in one rule only", `match /a/{a} { allow read: if request.auth.token.firebase.tenant == 'x' && resource.data.owner == request.auth.uid; }
			match /b/{b} { allow read: if resource.data.owner == request.auth.uid; }`, "other-tenant", "/b/{b}"},
		{"a rule for collection groups", "match /{path=**}/notes/{n} { allow list: if request.auth.token.staff == true; }", "collection-group", "/{path=**}/notes/{n}"},
		{
			"lookups before the user is known", `match /posts/{p} { allow read: if get(/databases/$(database)/documents/settings/site).data.open == true
				&& get(/databases/$(database)/documents/settings/posts).data.open == true && exists(/databases/$(database)/documents/posts/$(p)/readers/all) && request.auth.uid != null; }`, "lookup-bomb", "/posts/{p}",
		},
		{
			"a right that everybody may write", `match /teams/{t} { allow create: if request.auth != null && request.resource.data.level is string && request.resource.data.level.size() < 20 && request.resource.data.keys().hasOnly(['level']); }
			match /plans/{p} { allow read: if request.auth != null && get(/databases/$(database)/documents/teams/$(p)).data.level == 'gold'; }`, "two-writes", "/teams/{t}",
		},
		{"everything of a signed-in user is private to nobody", "match /orders/{o} { allow read: if request.auth.uid != null; allow create: if false; }", "any-user", "/orders/{o}"},
	} {
		report := run(t, around(c.rules))
		if !has(report, c.kind, c.path) {
			t.Errorf("%s: no %s at %s among %v", c.name, c.kind, c.path, kinds(report))
		}
	}
}

// kinds lists findings for messages.
func kinds(r *attack.Report) []string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, f.Kind+" "+f.Method+" "+f.Path)
	}
	return out
}

// TestGuardedRules attacks rules that guard against the further mistakes. None of their kinds is found.
func TestGuardedRules(t *testing.T) {
	for kind, source := range map[string]string{
		"number-unchecked": "match /games/{g} { allow update: if request.auth.uid == resource.data.owner && request.resource.data.diff(resource.data).affectedKeys().hasOnly(['score']) && request.resource.data.score is int && request.resource.data.score >= 0; }",
		"size-unchecked":   "match /games/{g} { allow update: if request.auth.uid == resource.data.owner && request.resource.data.diff(resource.data).affectedKeys().hasOnly(['tags']) && request.resource.data.tags is list && request.resource.data.tags.size() < 20; }",
		"other-tenant": `match /a/{a} { allow read: if request.auth.token.firebase.tenant == 'x' && resource.data.owner == request.auth.uid; }
			match /b/{b} { allow read: if request.auth.token.firebase.tenant == 'x' && resource.data.owner == request.auth.uid; }`,
		"collection-group": "match /{path=**}/notes/{n} { allow list: if resource.data.owner == request.auth.uid; } match /teams/{t}/tasks/{n} { allow list: if request.auth.token.staff == true; }",
		"lookup-bomb": `match /posts/{p} { allow read: if request.auth != null && get(/databases/$(database)/documents/settings/site).data.open == true
			&& get(/databases/$(database)/documents/settings/posts).data.open == true && exists(/databases/$(database)/documents/posts/$(p)/readers/all); }`,
		"two-writes": `match /teams/{t} { allow create: if request.auth != null && request.resource.data.level == 'free' && request.resource.data.keys().hasOnly(['level']); }
			match /plans/{p} { allow read: if request.auth != null && get(/databases/$(database)/documents/teams/$(p)).data.level == 'gold'; }`,
	} {
		for _, f := range run(t, around(source)).Findings {
			if f.Kind == kind {
				t.Errorf("%s at %s: %s", f.Kind, f.Path, f.What)
			}
		}
	}
}
