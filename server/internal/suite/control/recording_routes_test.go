package control_test

import (
	"net/http"
	"strings"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/authz/authztest"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/rules/ruletest"
	"clave/server/internal/store/pebble/pebbletest"
	"clave/server/internal/suite/control"
)

// TestRecording records requests. Their cases are decided as the requests were, also after the documents changed.
func TestRecording(t *testing.T) {
	rulesets := authz.NewRulesets(authz.RulesetsOptions{Cover: true})
	az := authztest.OpenRules(t, rulesets, engine.Options{Store: pebbletest.Open(t)})
	const source = "rules_version = '2';\nservice cloud.firestore { match /databases/{d}/documents {\n" +
		"match /c/{x} { allow get: if get(/databases/$(d)/documents/c/a).data.n == 1 && request.auth.uid == 'ann'; } } }"
	if issues := rulesets.Replace("", "", source); len(issues) > 0 {
		t.Fatal(issues)
	}
	h := control.New(control.Options{Authorizer: az, Rulesets: rulesets})
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	set(t, az, db, 1)
	get := func(c token.Caller, path string) {
		t.Helper()
		_ = az.Get(t.Context(), c, db, []resource.Document{{DB: db, Path: path}}, request.At{}, func(authz.Snapshot) error { return nil },
			func(resource.Document, *document.Document) error { return nil })
	}
	get(token.Caller{UID: "ann", Project: "p"}, "c/b")
	get(token.Caller{UID: "eve", Project: "p"}, "c/a")
	set(t, az, db, 2)
	status, text := exchange(t, h, http.MethodGet, "/emulator/v1/projects/p:recording", "")
	cases, err := ruletest.ReadCases(strings.NewReader(text))
	if status != http.StatusOK || err != nil || len(cases) != 2 {
		t.Fatalf("%d, %d cases, %v\n%s", status, len(cases), err, text)
	}
	for i, want := range []string{ruletest.Allow, ruletest.Deny} {
		c := &cases[i]
		c.Rules = source
		if got, why, err := c.Decide(t.Context()); err != nil || got != want || c.Expect != want {
			t.Errorf("%s: %s (%s), recorded as %s, %v; want %s", c.ID, got, why, c.Expect, err, want)
		}
	}
	if status, text := exchange(t, h, http.MethodGet, "/emulator/v1/projects/other:recording", ""); status != http.StatusOK || text != "" {
		t.Errorf("another project: %d %q, want none", status, text)
	}
}
