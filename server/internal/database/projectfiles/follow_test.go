package projectfiles

import (
	"fmt"
	"testing"

	"clave/server/internal/database/authz"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/release"
)

// TestFollow follows a release after another one that has a further database. Its rules are not in force any more, so
// that the rules of the node are those of one that begins with the release.
func TestFollow(t *testing.T) {
	rules := func(collection string) release.Database {
		text := fmt.Sprintf("rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /%s/{b} { allow read; } } }", collection)
		return release.Database{Rules: &release.File{Name: collection + ".rules", Text: text}}
	}
	p := &Project{ID: "p", Production: true}
	served := func(db resource.Database) bool { return db.ID != "made" }
	follow := func(rulesets *authz.Rulesets, files release.Files) {
		t.Helper()
		if err := p.Follow(rulesets, files); err != nil {
			t.Fatal(err)
		}
	}
	rulesets, fresh := authz.NewRulesets(authz.RulesetsOptions{Served: served}), authz.NewRulesets(authz.RulesetsOptions{Served: served})
	follow(rulesets, release.Files{"(default)": rules("a"), "second": rules("b"), "made": rules("c")})
	after := release.Files{"(default)": rules("a"), "second": rules("d"), "made": {Made: &release.Made{Deleted: true}}}
	follow(rulesets, after)
	follow(fresh, after)
	if rulesets.Digest() != fresh.Digest() {
		t.Errorf("the node has rules of %v, one that begins with the release of %v", rulesets.Databases(), fresh.Databases())
	}
	if r, _ := rulesets.Ruleset(resource.Database{Project: "p", ID: "made"}); r != nil {
		t.Error("a database that was deleted has rules")
	}
}
