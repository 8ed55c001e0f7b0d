package authz_test

import (
	"testing"

	"clave/server/internal/database/authz"
	"clave/server/internal/rules"
)

// TestDigest checks that nodes with the same rules have the same digest, in whatever order the rules came into force,
// and that nodes with different rules have different ones.
func TestDigest(t *testing.T) {
	text := func(condition string) string {
		return "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /a/{b} { allow read: if " + condition + "; } } }"
	}
	type rules struct{ project, database, text string }
	of := func(all ...rules) string {
		b := authz.NewRulesets(authz.RulesetsOptions{})
		for _, r := range all {
			b.Replace(r.project, r.database, r.text)
		}
		return b.Digest()
	}
	both := of(rules{"", "", text("true")}, rules{"p", "second", text("false")})
	for name, same := range map[string]string{
		"in another order":                    of(rules{"p", "second", text("false")}, rules{"", "", text("true")}),
		"after others":                        of(rules{"", "", text("1 > 2")}, rules{"", "", text("true")}, rules{"p", "second", text("false")}),
		"after a replacement that has errors": of(rules{"", "", text("true")}, rules{"p", "second", text("false")}, rules{"", "", text("")}),
	} {
		if same != both {
			t.Errorf("%s the digest is another one", name)
		}
	}
	for name, other := range map[string]string{
		"none": of(), "one of two": of(rules{"", "", text("true")}), "the two exchanged": of(rules{"", "", text("false")}, rules{"p", "second", text("true")}),
		"another project's": of(rules{"", "", text("true")}, rules{"q", "second", text("false")}),
		"another text":      of(rules{"", "", text("true ")}, rules{"p", "second", text("false")}),
	} {
		if other == both {
			t.Errorf("%s: the digest is the same", name)
		}
	}
}

// TestReplacementsWithin runs replacements within a function: the rules change while it runs, and listeners of changes
// are called after it.
func TestReplacementsWithin(t *testing.T) {
	b := authz.NewRulesets(authz.RulesetsOptions{})
	var before, after []string
	b.Within(func(replace func()) {
		before = append(before, b.Digest())
		replace()
		after = append(after, b.Digest())
	})
	const source = "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /{x=**} { allow read; } } }"
	empty := b.Digest()
	if issues := b.Replace("", "", "no rules"); !rules.HasErrors(issues) || len(before) != 0 {
		t.Errorf("text with errors: %v, replaced %d times", issues, len(before))
	}
	if issues := b.Replace("", "", source); len(issues) > 0 {
		t.Fatal(issues)
	}
	if len(before) != 1 || before[0] != empty || after[0] == empty || after[0] != b.Digest() {
		t.Errorf("the digests are %v before and %v after the replacement, %s at first and %s now", before, after, empty, b.Digest())
	}
}
