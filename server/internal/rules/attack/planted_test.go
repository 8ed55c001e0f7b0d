package attack_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// hole is a change of a template that opens it, and the kind of the finding.
type hole struct{ sound, open, kind string }

// template is the rules of a collection NAME with fields FIELD and OWNER, which are sound, and the holes that can be
// planted in it.
type template struct {
	rules string
	holes []hole
}

// templates are the collections of generated rulesets.
var templates = []template{
	{`match /NAME/{id} {
      allow get, list, delete: if signedIn() && resource.data.OWNER == request.auth.uid;
      allow create: if signedIn()
        && request.resource.data.keys().hasOnly(['OWNER', 'FIELD', 'createdAt']) && request.resource.data.keys().hasAll(['OWNER', 'FIELD', 'createdAt'])
        && request.resource.data.OWNER == request.auth.uid
        && isText(request.resource.data.FIELD)
        && request.resource.data.createdAt == request.time;
      allow update: if signedIn() && resource.data.OWNER == request.auth.uid
        && request.resource.data.diff(resource.data).affectedKeys().hasOnly(['FIELD']) && isText(request.resource.data.FIELD);
    }`, []hole{
		{"delete: if signedIn() && resource.data.OWNER == request.auth.uid", "delete: if signedIn()", "any-user"},
		{"delete: if signedIn() && resource.data.OWNER == request.auth.uid", "delete: if resource.data.OWNER is string", "anyone"},
		{"request.resource.data.keys().hasOnly(['OWNER', 'FIELD', 'createdAt']) && ", "", "unknown-field"},
		{"&& request.resource.data.OWNER == request.auth.uid\n", "&& request.resource.data.OWNER is string\n", "anyone-or-forged"},
		{"isText(request.resource.data.FIELD)\n        && request", "request.resource.data.FIELD is string\n        && request", "size-unchecked"},
		{"isText(request.resource.data.FIELD)\n        && request", "request.resource.data.FIELD != null\n        && request", "type-unchecked"},
		{"createdAt == request.time", "createdAt is timestamp", "time-forged"},
		{"hasOnly(['FIELD'])", "hasOnly(['FIELD', 'OWNER'])", "owner-forged"},
		{"allow update: if signedIn() && resource.data.OWNER == request.auth.uid\n        && request.resource.data.diff(resource.data).affectedKeys().hasOnly(['FIELD'])",
			"allow update: if signedIn() && request.resource.data.OWNER == request.auth.uid\n        && request.resource.data.keys().hasOnly(['FIELD', 'OWNER'])", "takeover"},
	}},
	{`match /NAME/{uid} {
      allow get: if signedIn() && request.auth.uid == uid;
      allow create, update: if signedIn() && request.auth.uid == uid
        && request.resource.data.keys().hasOnly(['FIELD']) && isText(request.resource.data.FIELD);
    }
    match /NAMELogs/{id} {
      allow read: if signedIn() && get(/databases/$(database)/documents/NAME/$(request.auth.uid)).data.rank == 'chief';
    }`, []hole{
		{"hasOnly(['FIELD'])", "hasOnly(['FIELD', 'rank'])", "self-granted"},
		{"allow get: if signedIn() && request.auth.uid == uid", "allow get: if signedIn() && uid is string", "any-user"},
		{"update: if signedIn() && request.auth.uid == uid", "update: if signedIn() && uid.size() > 0", "any-user"},
	}},
	{`match /NAME/{id} {
      allow read, delete: if signedIn() && request.auth.token.OWNER == true;
    }`, []hole{
		{"&& request.auth.token.OWNER == true", "|| request.auth.token.OWNER == true", "any-user"},
		{"signedIn() && request.auth.token.OWNER == true", "resource.data.OWNER == true", "anyone"},
	}},
	{`match /NAME/{id} {
      allow read: if signedIn() && request.auth.token.email == 'FIELD@example.com' && request.auth.token.email_verified == true;
    }`, []hole{
		{" && request.auth.token.email_verified == true", "", "email-unverified"},
	}},
	{`match /NAME/{id} {
      allow get: if isMember(id);
      match /FIELD/{item} {
        allow read: if isMember(id);
        allow delete: if isMember(id) && resource.data.OWNER == request.auth.uid;
      }
    }`, []hole{
		{"delete: if isMember(id) && resource", "delete: if resource.data.x == 1 || isMember(id) && resource", "anyone"},
		{"match /FIELD/{item} {\n        allow read: if isMember(id);", "match /{other}/{item} {\n        allow read: if signedIn();", "any-user"},
	}},
}

// functions are those of generated rulesets.
const functions = `
    function signedIn() { return request.auth != null; }
    function isText(value) { return value is string && value.size() <= 500; }
    function isMember(team) {
      let path = /databases/$(database)/documents/teams/$(team)/members/$(request.auth.uid);
      return signedIn() && exists(path) && get(path).data.role in ['member', 'chief'];
    }
`

// TestSoundRules attacks the templates. Nothing is found, and each statement is reached.
func TestSoundRules(t *testing.T) {
	for _, one := range templates {
		sound := around(functions + strings.NewReplacer("NAME", "things", "FIELD", "field", "OWNER", "owner").Replace(one.rules))
		if report := run(t, sound); report.Open() > 0 || report.Reached != report.Statements {
			t.Errorf("%v, %d of %d statements reached\n%s", kinds(report), report.Reached, report.Statements, sound)
		}
	}
}

// TestPlantedHoles plants a hole in each of 50 generated rulesets, and finds it.
func TestPlantedHoles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	planted := 0
	for range 50 {
		of := random.Perm(len(templates))[:2]
		var parts []string
		fill := make([]*strings.Replacer, len(of))
		for i, k := range of {
			fill[i] = strings.NewReplacer("NAME", fmt.Sprintf("coll%d", random.IntN(1000)+1000*i), "FIELD", fmt.Sprintf("f%d", random.IntN(100)), "OWNER", fmt.Sprintf("o%d", random.IntN(100)))
			parts = append(parts, fill[i].Replace(templates[k].rules))
		}
		sound := around(functions + strings.Join(parts, "\n"))
		in := random.IntN(len(of))
		holes := templates[of[in]].holes
		h := holes[random.IntN(len(holes))]
		open := strings.Replace(sound, fill[in].Replace(h.sound), fill[in].Replace(h.open), 1)
		if open == sound {
			t.Fatalf("%q is not in the rules", h.sound)
		}
		planted++
		report := run(t, open)
		found := false
		for _, f := range report.Findings {
			found = found || f.Kind == h.kind || h.kind == "anyone-or-forged" && (f.Kind == "any-user" || f.Kind == "owner-forged")
		}
		if !found {
			t.Errorf("a hole %s is not found among %v\n%s", h.kind, kinds(report), open)
		}
	}
	if planted < 50 {
		t.Errorf("%d holes were planted, want 50", planted)
	}
}
