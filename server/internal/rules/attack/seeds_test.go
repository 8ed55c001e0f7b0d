package attack_test

import (
	"strings"
	"testing"

	"clave/server/internal/rules"
	"clave/server/internal/rules/attack"
	"clave/server/internal/rules/ruletest"
)

// TestRecordedRequests changes recorded requests: a query is widened, and documents that the recording names count.
func TestRecordedRequests(t *testing.T) {
	source := around(`match /shops/{s}/orders/{o} {
      // attack ok: any-user: the reason
      allow list: if request.auth != null && get(/databases/$(database)/documents/shops/$(s)).data.open == true;
    }`)
	r, issues := rules.Compile(source)
	if r == nil {
		t.Fatal(rules.Summary(issues))
	}
	var cases []ruletest.Case
	for _, request := range []ruletest.Request{
		{As: "bea", Method: "list", Path: "shops/north/orders", Where: []string{`buyer == "bea"`}, Limit: 5, Docs: `{"shops/north": {"open": true}}`},
		{As: "bea", Method: "list", Path: "shops/south/orders"},
	} {
		c, err := request.Case()
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, *c)
	}
	report, err := attack.Run(t.Context(), r, cases[:1])
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		if f.Kind == "any-user" && f.Explained != "the reason" {
			t.Errorf("%s is explained by %q", f.Kind, f.Explained)
		}
	}
	if !has(report, "query-widened", "/shops/{s}/orders/{o}") {
		t.Errorf("no widened query among %v", kinds(report))
	}
	if report, err = attack.Run(t.Context(), r, cases[1:]); err != nil || has(report, "query-widened", "/shops/{s}/orders/{o}") {
		t.Errorf("a request that is denied was changed: %v, %v", kinds(report), err)
	}
}

// TestFindingsAreCases decides the case of each finding: the rules allow it, and the case expects a denial.
func TestFindingsAreCases(t *testing.T) {
	source := around(`match /users/{uid} { allow read, write: if request.auth.uid == uid; }
    match /posts/{p} {
      allow create: if request.resource.data.author == request.auth.uid && request.resource.data.createdAt is timestamp;
      allow delete: if get(/databases/$(database)/documents/users/$(request.auth.uid)).data.role == 'admin';
      allow list: if resource.data.open == true;
    }`)
	report := run(t, source)
	proofs := report.Proofs("firestore.rules")
	for _, f := range report.Findings {
		if f.Note {
			continue
		}
		c := *f.Case
		c.Rules = source
		got, _, err := c.Decide(t.Context())
		if err != nil || got != ruletest.Allow || c.Expect != ruletest.Deny {
			t.Errorf("%s %s: %s, expected %s, %v", f.Kind, f.Path, got, c.Expect, err)
		}
		if !strings.Contains(proofs, f.What) {
			t.Errorf("no proof of %s", f.What)
		}
	}
	if report.Open() < 5 {
		t.Errorf("findings: %v", kinds(report))
	}
}
