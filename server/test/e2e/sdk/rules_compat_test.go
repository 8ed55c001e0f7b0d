package sdk

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/rules"

	"clave/server/test/e2e/harness"
)

// exprGenerator generates expressions of the rules language. Most of them evaluate without an error.
type exprGenerator struct {
	*rand.Rand
	// leaves and forms hold further expressions, by type. Holes in forms are filled.
	leaves, forms map[string][]string
}

// expr returns an expression of a type, in most cases.
func (g *exprGenerator) expr(typ string, depth int) string {
	if g.IntN(12) == 0 {
		typ = pick(g.Rand, "int", "float", "string", "bool", "list", "map", "set", "time", "duration", "path", "bytes", "null")
	}
	if depth == 0 || g.IntN(4) == 0 {
		return g.leaf(typ)
	}
	s := func(typ string) string { return g.expr(typ, depth-1) }
	var forms []string
	switch typ {
	case "bool":
		forms = []string{
			"({int} == {int})", "({int} < {float})", "({string} >= {string})", "({bool} && {bool})", "({bool} || {bool})", "!({bool})",
			"({string} in {list})", "({int} in {set})", "({string} in {map})", "({int} is {type})", "({float} is {type})", "({list} is {type})",
			"({map} == {map})", "({list} == {list})", "({set} == {set})", "({list}).hasAll({list})", "({list}).hasAny({list})",
			"({set}).hasOnly({list})", "({set}).hasAny({set})", "({string}).matches({pattern})", "({time} > {time})", "({duration} <= {duration})",
			"({bool} ? {bool} : {bool})", "({bytes} == {bytes})", "({path} == {path})", "({null} != {map})", "({time} == {time})",
		}
	case "int":
		forms = []string{
			"({int} + {int})", "({int} - {int})", "({int} * {int})", "({int} / {int})", "({int} % {int})", "-({int})", "({string}).size()",
			"({list}).size()", "({map}).size()", "({set}).size()", "int({float})", "int({string})", "math.round({float})", "math.abs({int})",
			"({time}).year()", "({time}).dayOfWeek()", "({time}).dayOfYear()", "({time}).nanos()", "({duration}).seconds()", "({duration}).nanos()",
			"({time}).toMillis()", "({bytes}).size()", "({list})[{small}]", "({map}).a", "({map}).get('a', {int})", "({bool} ? {int} : {int})",
		}
	case "float":
		forms = []string{
			"({float} + {int})", "({float} * {float})", "({float} / {float})", "({float} % {float})", "math.floor({float})", "math.ceil({float})",
			"math.pow({float}, {small})", "math.sqrt({float})", "float({int})", "float({string})", "math.abs({float})", "-({float})",
		}
	case "string":
		forms = []string{
			"({string} + {string})", "({string}).lower()", "({string}).upper()", "({string}).trim()", "({string}).replace({pattern}, {string})",
			"({string})[{small}]", "({string})[{small}:{small}]", "string({int})", "string({float})", "string({bool})", "({list}).join({string})",
			"({bytes}).toHexString()", "({bytes}).toBase64()", "({path})[{small}]", "string({path})",
		}
	case "list":
		forms = []string{
			"[{int}, {string}]", "[{float}]", "({string}).split({pattern})", "({list}).concat({list})", "({list}).removeAll({list})",
			"({map}).keys()", "({list})[{small}:{small}]", "[{list}, {null}]",
		}
	case "map":
		forms = []string{"{'a': {int}, 'b': {string}}", "{'a': {map}}", "({map}).get(['a', 'b'], {map})", "{'a': {list}, 'c': {null}}"}
	case "set":
		forms = []string{
			"({list}).toSet()", "({set}).union({set})", "({set}).difference({set})", "({set}).intersection({set})",
			"({map}).diff({map}).affectedKeys()", "({map}).diff({map}).addedKeys()", "({map}).diff({map}).unchangedKeys()",
		}
	case "time":
		forms = []string{"({time} + {duration})", "({time} - {duration})", "({time}).date()", "timestamp.value({int})", "timestamp.date({int}, {small}, {small})"}
	case "duration":
		forms = []string{
			"({duration} + {duration})", "({time} - {time})", "duration.value({int}, {unit})", "duration.time({small}, {int}, {int}, {int})",
			"duration.abs({duration})", "({time}).time()", "-({duration})",
		}
	case "path":
		forms = []string{"/a/$({string})", "path({string})", "/x/$({int})/y", "(/a/{p}).bind({'p': {string}})"}
	case "bytes":
		forms = []string{"({string}).toUtf8()", "hashing.md5({string})", "hashing.crc32({bytes})", "hashing.crc32c({string})"}
	default:
		return g.leaf(typ)
	}
	return g.fill(pick(g.Rand, append(forms, g.forms[typ]...)...), s)
}

// holes maps the placeholders of the forms to types.
var holes = []string{"int", "float", "string", "bool", "list", "map", "set", "time", "duration", "path", "bytes", "null", "type", "pattern", "small", "unit"}

// fill replaces the placeholders of a form.
func (g *exprGenerator) fill(form string, s func(string) string) string {
	for _, h := range holes {
		for strings.Contains(form, "{"+h+"}") {
			form = strings.Replace(form, "{"+h+"}", s(h), 1)
		}
	}
	return form
}

// leaf returns an expression without subexpressions.
func (g *exprGenerator) leaf(typ string) string {
	if more := g.leaves[typ]; len(more) > 0 && g.IntN(2) == 0 {
		return pick(g.Rand, more...)
	}
	switch typ {
	case "bool":
		return pick(g.Rand, "true", "false")
	case "int":
		return pick(g.Rand, "0", "1", "2", "-3", "7", "1000", "9223372036854775807", "-9223372036854775808", "9007199254740993", "86400000")
	case "small":
		return pick(g.Rand, "0", "1", "2", "3", "-1")
	case "float":
		return pick(g.Rand, "0.0", "1.0", "-0.0", "1.5", "-2.5", "0.1", "100000000.0", "9007199254740992.0", "(0.0 / 0.0)", "(1.0 / 0.0)", ".5", "1234567.25")
	case "string":
		return pick(g.Rand, "''", "'a'", "'abc'", "'A b'", "'12'", "'1.5'", "' x '", "'a,b,,c'", "'\\u00e9'", "'\\ud83d\\ude00b'", "'$1'", "'aXbX'")
	case "list":
		return pick(g.Rand, "[]", "[1]", "[1, 2, 3]", "['a', 'b']", "[1.0, 'a', null]", "[[1]]")
	case "map":
		return pick(g.Rand, "{}", "{'a': 1}", "{'a': 1.0, 'b': 2}", "{'b': {'a': null}}", "{'a': {'b': 3}}")
	case "set":
		return pick(g.Rand, "[].toSet()", "[1, 2].toSet()", "['a', 'b'].toSet()", "[1.0].toSet()")
	case "time":
		return pick(g.Rand, "timestamp.value(0)", "timestamp.value(-1)", "timestamp.value(1709251199999)", "timestamp.date(2024, 2, 29)", "timestamp.date(9999, 12, 31)", "timestamp.date(1, 1, 1)")
	case "duration":
		return pick(g.Rand, "duration.value(1, 's')", "duration.value(-1500, 'ms')", "duration.value(2, 'w')", "duration.time(1, 2, 3, 4)", "duration.value(-1, 'ns')")
	case "path":
		return pick(g.Rand, "/a/b", "/a", "/a%20b/(default)", "path('x/y')")
	case "bytes":
		return pick(g.Rand, "b''", "b'abc'", "b'\\xff\\x00'", "'abc'.toUtf8()")
	case "type":
		return pick(g.Rand, "int", "float", "number", "string", "bool", "list", "map", "set", "timestamp", "duration", "path", "bytes", "latlng", "map_diff", "constraint")
	case "pattern":
		return pick(g.Rand, "'a'", "','", "'[a-z]+'", "'.'", "''", "'a|b'", "'(a)(b)?'", "'\\\\d+'", "'(?i)A'", "'x*'", "'^a'", "'[[:alpha:]]'", "'\\\\s'", "'.*'", "'a?'")
	case "unit":
		return pick(g.Rand, "'s'", "'ms'", "'ns'", "'m'", "'h'", "'d'", "'w'", "'us'")
	}
	return "null"
}

// claimRules returns rules for claims about a method: each claim allows the documents of one collection, and its
// negation those of another. The claims may call the functions.
func claimRules(method, functions string, claims []string) string {
	var b strings.Builder
	b.WriteString("rules_version = '2';\nservice cloud.firestore {\n  match /databases/{db}/documents {\n" + functions)
	for i, c := range claims {
		fmt.Fprintf(&b, "    match /t%d/{d} { allow %s: if %s; }\n    match /f%d/{d} { allow %s: if !(%s); }\n", i, method, c, i, method, c)
	}
	b.WriteString("  }\n}\n")
	return b.String()
}

// verdictOf returns true, false or error, depending on whether a claim and its negation are allowed.
func verdictOf(yes, no bool) string {
	switch {
	case yes && !no:
		return "true"
	case no && !yes:
		return "false"
	case !yes && !no:
		return "error"
	}
	return "both"
}

// noDocuments is a rules.Reader without documents.
type noDocuments struct{}

// Lookup implements rules.Reader.
func (noDocuments) Lookup(context.Context, resource.Document, bool) (*document.Document, error) {
	return nil, nil
}

// ourClaims evaluates claims with our evaluator.
func ourClaims(t *testing.T, claims []string) []string {
	t.Helper()
	out := make([]string, len(claims))
	for i, c := range claims {
		r, _ := rules.Compile(claimRules("get", "", []string{c}))
		if r == nil {
			out[i] = "compile-error"
			continue
		}
		get := func(collection string) bool {
			name := resource.Document{DB: resource.Database{Project: harness.Project, ID: resource.DefaultDatabase}, Path: collection + "/probe"}
			d, err := r.Allow(t.Context(), &rules.Request{Method: rules.Get, Name: name, Before: (*document.Document)(nil), Reader: noDocuments{}})
			if err != nil {
				t.Fatal(err)
			}
			return d.Allowed
		}
		out[i] = verdictOf(get("t0"), get("f0"))
	}
	return out
}

// theirClaims evaluates claims on a server in one ruleset. It finds claims that do not compile by bisection.
func (r *rulesRun) theirClaims(claims []string) []string {
	r.t.Helper()
	if status, text := r.install(claimRules("get", "", claims)); status != http.StatusOK {
		if len(claims) > 1 {
			half := len(claims) / 2
			return append(r.theirClaims(claims[:half]), r.theirClaims(claims[half:])...)
		}
		if status == http.StatusBadRequest {
			return []string{"compile-error"}
		}
		return []string{fmt.Sprintf("installing: %d %.80s", status, text)}
	}
	out := make([]string, len(claims))
	var all sync.WaitGroup
	for i := range claims {
		all.Go(func() {
			get := func(collection string) bool {
				status, _ := r.request(http.MethodGet, fmt.Sprintf("/v1/%s/%s%d/probe", r.docs(), collection, i), "", nil)
				return status == http.StatusNotFound
			}
			out[i] = verdictOf(get("t"), get("f"))
		})
	}
	all.Wait()
	return out
}

// TestRulesAgainstTheOfficialEmulator compares the values of random expressions.
func TestRulesAgainstTheOfficialEmulator(t *testing.T) {
	t.Parallel()
	r := &rulesRun{t: t, host: "http://" + harness.StartOfficialEmulator(t)}
	g := &exprGenerator{Rand: rand.New(rand.NewPCG(5, 6))}
	counts := make(map[string]int)
	for range 3 * *compatSeeds {
		claims := make([]string, 100)
		for i := range claims {
			claims[i] = g.expr("bool", 3)
		}
		ours, theirs := ourClaims(t, claims), r.theirClaims(claims)
		for i, c := range claims {
			counts[theirs[i]]++
			// The official emulator's compiler fails internally on some expressions.
			if ours[i] != theirs[i] && !strings.HasPrefix(theirs[i], "installing: 500") {
				t.Errorf("%s: ours %s, theirs %s", c, ours[i], theirs[i])
			}
		}
	}
	t.Logf("%v", counts)
	if counts["true"] < 150 || counts["false"] < 150 {
		t.Errorf("%v: the test checks too little", counts)
	}
}
