package rules_test

import (
	"fmt"
	"slices"
	"testing"

	"clave/server/internal/model/resource"
	"clave/server/internal/rules"
)

// TestDebug reports the values of debug(), which does not change them.
func TestDebug(t *testing.T) {
	r, issues := rules.Compile("rules_version = '2';\nservice cloud.firestore { match /databases/{db}/documents { match /a/{x} {\n" +
		"  allow get: if debug(debug(x) == 'b')\n || debug([x, 1]).size() == 2; } } }")
	if r == nil {
		t.Fatal(rules.Summary(issues))
	}
	var got []string
	q := &rules.Request{
		Method: rules.Get, Name: resource.Document{DB: resource.Database{Project: "p", ID: resource.DefaultDatabase}, Path: "a/c"},
		Debug: func(line int, value string) { got = append(got, fmt.Sprint(line, " ", value)) },
	}
	d, err := r.Allow(t.Context(), q)
	if want := []string{`3 "c"`, "3 false", `4 ["c", 1]`}; err != nil || !d.Allowed || !slices.Equal(got, want) {
		t.Errorf("allowed %t, %v, reported %q, want %q", d.Allowed, err, got, want)
	}
}
