package check_test

import (
	"slices"
	"strings"
	"testing"

	"clave/server/internal/rules/syntax"
)

// TestWarningsOfTypes compares warnings with the texts and columns of the official compiler, and checks that the rules
// load.
func TestWarningsOfTypes(t *testing.T) {
	const (
		before = "match /t/{d}/{rest=**} { allow get: if "
		never  = "The sub-expressions are not comparable, so this comparison will always return "
	)
	for expr, want := range map[string][]string{
		"resource.data.a == 1 && request.auth.uid == d && resource.data.b + 1 > 2":       nil,
		"request.resource.data.keys().hasOnly(['a']) && [1] == [2] && 1 == 1.5":          nil,
		"resource.data.a == null || null == null || (true ? resource.data.a : d == 'a')": nil,
		"exists(/a/$(d)) && get(/a/b).data.x in [rest] && timestamp.value('a') == 1":     {"71 " + never + "false."},
		"1":                           {"1 Invalid type. Permission statements expect a boolean value. Received one of [int]."},
		"1 + 'a'":                     {"3 Invalid type. Permission statements expect a boolean value. Received one of [int, float, string, duration, timestamp]."},
		"d == 1":                      {"3 " + never + "false."},
		"rest == 1":                   {"6 " + never + "false."},
		"'a' != 1":                    {"5 " + never + "true."},
		"1 == null":                   {"3 " + never + "false."},
		"resource.data.size() == 'a'": {"22 " + never + "false."},
		"get('a').data.x":             {"5 Invalid type. Received one of [string]. Expected one of [path]."},
		"!1":                          {"2 Invalid type. Received one of [int]. Expected one of [bool]."},
		"true && 'a'":                 {"9 Invalid type. Received one of [string]. Expected one of [bool]."},
		"1 in 'a'":                    {"6 Invalid type. Received one of [string]. Expected one of [list, set, map, constraint]."},
		"debug(true - 1)":             {"7 Invalid type. Received one of [bool]. Expected one of [int, float, duration, timestamp]."},
		"debug([1].union([1]))":       {"7 Invalid type. Received one of [list]. Expected one of [set].", "17 Invalid type. Received one of [list]. Expected one of [set]."},
		"debug('a'.keys())":           {"7 Invalid type. Received one of [string]. Expected one of [map]."},
		"debug((1).a)":                {"8 Invalid type. Received one of [int]. Expected one of [map]."},
		"debug([1][true])":            {"11 Invalid type. Received one of [bool]. Expected one of [int, string]."},
		"'a'[0]":                      {"1 Invalid type. Received one of [string]. Expected one of [list, map, path]."},
		"debug([1][0:'a'])":           {"13 Invalid type. Received one of [string]. Expected one of [null, int]."},
		"debug({1: 2})":               {"8 Invalid type. Received one of [int]. Expected one of [string]."},
		"debug(/a/$([1]))":            {"12 Invalid type. Received one of [list]. Expected one of [path, null, int, float, string, bool]."},
		"debug(true ? 1 : 'a')":       {"12 Ternary operator result if condition is true has a different type than if condition is false."},
		"[1].size(1)":                 {"5 Incorrect number of arguments supplied to function: size."},
		"debug(math.abs(1, 2))":       {"12 Incorrect number of arguments supplied to function: math.abs."},
		"debug()":                     {"1 Incorrect number of arguments supplied to function: debug."},
		"debug(math.pow(1, 'a'))":     {"19 Invalid type. Received one of [string]. Expected one of [float, int]."},
		"f(1) == 'a' && f(!'a')":      {"19 Invalid type. Received one of [string]. Expected one of [bool]."},
	} {
		src := "rules_version = '2';\nservice cloud.firestore {\nfunction f(x) { let y = x; return y; }\n" + before + expr + "; } }"
		program, issues := issuesOf(src)
		var got []string
		for _, i := range issues {
			if i.Severity != syntax.Warning {
				t.Errorf("%s: %s, want warnings alone", expr, i)
			}
			i.Span.Column -= len(before)
			if i.Span.Line == 4 {
				got = append(got, strings.TrimPrefix(i.String(), "L4:"))
			}
		}
		got = slices.DeleteFunc(got, func(s string) bool { return strings.Contains(s, "Unused function") })
		if program == nil || !slices.Equal(got, want) {
			t.Errorf("%s: loads %t with %q, want it to load with %q", expr, program != nil, got, want)
		}
	}
}
