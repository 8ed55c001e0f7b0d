package eval_test

import (
	"strings"
	"testing"

	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// TestValues compares results with those recorded from the official emulator. Error texts are those of the refusal.
func TestValues(t *testing.T) {
	for expr, want := range map[string]string{
		"timestamp.value('2024-01-01T00:00:00.5+01:00') == timestamp.value(1704063600500)": "",
		"timestamp.value('2024-01-01') == timestamp.value(0)":                              "Timestamp is not valid.",
		"timestamp.value(1.5) == 1":                                                        "Expected: timestamp.value(int), timestamp.value(string).",
		"'abc'[null:1] == 'a' && 'abc'[1:null] == 'bc'":                                    "",
		"[1, 2][null:null] == [1, 2]":                                                      "",
		"[1]['a':1] == 1":                                                                  "Received: list[string:int]. Expected: list[null:null], list[null:int], list[int:null], list[int:int].",
		"'abc'['a'] == 'a'":                                                                "Received: string[string]. Expected: string[int].",
		"[1]['a'] == 1":                                                                    "Received: list[string]. Expected: list[int].",
		"{'a': 1}[1] == 1":                                                                 "Received: map[int]. Expected: map[string].",
		"(/a/b)[1.0] == 'b'":                                                               "Received: path[float]. Expected: path[string], path[int].",
		"'aXc'.replace('(X)', '[$1]') == 'a[X]c'":                                          "",
		"'aXc'.replace('(?P<n>X)(Y)?', '${n}$2$') == 'aX$c'":                               "",
		"'aXc'.replace('X', '$1') == 'ac'":                                                 "Invalid regular expression pattern. Pattern: $1.",
		"'aXc'.replace('(X)', '${m}') == 'ac'":                                             "Invalid regular expression pattern. Pattern: ${m}.",
		"'aXc'.replace('X', '${') == 'a${c'":                                               "Invalid regular expression pattern. Pattern: ${.",
		"null.size() == 1":                                                                 "Null value error.",
		"null[0] == 1":                                                                     "Null value error.",
		"null[0:1] == 1":                                                                   "Null value error.",
		"'a' in null":                                                                      "Null value error.",
		"true.size() == 1":                                                                 "Function not found error: Name: [size].",
		"{'a': 1}[0:1] == 1":                                                               "Function not found error: Name: [@range].",
		"int(null) == 1":                                                                   "Expected: int(int), int(float), int(string).",
		"math.round('a') == 1":                                                             "Received: math.round(string). Expected: math.round(float).",
		"math.pow(2) == 1":                                                                 "Expected: math.pow(float, float).",
		"math.round(9007199254740993) == 9007199254740992":                                 "",
		"string(/a/$(rest)) == '/a'":                                                       "",
		"string(rest) == '/'":                                                              "",
		"/a/b+c == path('a/b c')":                                                          "",
		"(/a/{x=*}).bind({'x': 'b'}) == /a/b":                                              "",
		"path('/') == /a":                                                                  "Invalid Path Template /. Empty segment is not allowed.",
		"math.floor(latlng.value(0, 0).distance(latlng.value(0, 1))) == 111195.0": "",
		"latlng.value(0, 0).distance(latlng.value(0, 180)) < 20015115.1":          "",
	} {
		r, issues := rules.Compile("rules_version = '2';\nservice cloud.firestore {\n match /databases/{db}/documents/t/{id}/{rest=**} { allow get: if " +
			expr + "; }\n}")
		if r == nil {
			t.Errorf("%s: %s", expr, rules.Summary(issues))
			continue
		}
		d, err := r.Allow(t.Context(), &rules.Request{Method: rules.Get, Name: named("t/x"), Reader: &counting{}})
		if err != nil {
			t.Fatal(err)
		}
		if d.Allowed != (want == "") || !d.Allowed && !strings.Contains(d.Denial(), want) {
			t.Errorf("%s: allowed %t, %q; want %q", expr, d.Allowed, d.Denial(), want)
		}
	}
}

// TestVectorsAreNotMaps checks that a vector has no members and no methods.
func TestVectorsAreNotMaps(t *testing.T) {
	vector := value.Map{"__type__": value.String("__vector__"), "value": value.Array{value.Double(1)}}
	for cond, want := range map[string]string{
		"resource.data.v is vector && !(resource.data.v is map)": "",
		"resource.data.v.size() == 2":                            "Function not found error: Name: [size].",
		"resource.data.v.value[0] == 1.0":                        "Type error. Received: [vector] Expected: [map,path].",
	} {
		d := write(t, cond, stored("t/x", value.Map{"v": vector}), nil, rules.NewLookups(), &counting{})
		if d.Allowed != (want == "") || !d.Allowed && !strings.Contains(d.Denial(), want) {
			t.Errorf("%s: allowed %t, %q; want %q", cond, d.Allowed, d.Denial(), want)
		}
	}
}
