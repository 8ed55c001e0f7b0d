package sdk

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/rules/ruletest"

	"clave/server/test/e2e/harness"
)

// member is a member of a map in the order of its writer. Its value is a string, a map ([]member) or a list ([]any).
type member struct {
	name  string
	value any
}

// orderCase is a document, a write of it, and the document afterwards at the official emulator.
type orderCase struct {
	before, after []member
	write         harness.Object // without the document's name
}

// orderGenerator generates documents and writes whose strings are all different.
type orderGenerator struct {
	*rand.Rand
	last int
}

// fresh returns a string that no other value equals.
func (g *orderGenerator) fresh() string {
	g.last++
	return fmt.Sprintf("v%d", g.last)
}

// orderedNames are the names of members. Some have the same place in a hash map of 16 places.
var orderedNames = []string{"z", "b", "m", "a", "q", "Arly", "ygpa", "w", "wbDpd", "iaa", "x", "título", "Zeta", "n1"}

// fields returns a map with at most depth levels of maps inside it.
func (g *orderGenerator) fields(depth, most int) []member {
	out := []member{}
	for _, i := range g.Perm(len(orderedNames))[:1+g.IntN(most)] {
		out = append(out, member{orderedNames[i], g.value(depth)})
	}
	return out
}

// value returns a value.
func (g *orderGenerator) value(depth int) any {
	switch n := g.IntN(10); {
	case n < 3 && depth > 0:
		return g.fields(depth-1, 4)
	case n == 3:
		return []any{g.fresh(), g.fields(0, 4)}
	}
	return g.fresh()
}

// memberAt returns the value at a path, nil if there is none.
func memberAt(m []member, path []string) any {
	for i, name := range path {
		k := slices.IndexFunc(m, func(x member) bool { return x.name == name })
		if k < 0 {
			return nil
		}
		if i == len(path)-1 {
			return m[k].value
		}
		m, _ = m[k].value.([]member)
	}
	return nil
}

// with returns a map with a value at a path, which it does not have.
func with(m []member, path []string, v any) []member {
	if len(path) == 1 {
		return append(m, member{path[0], v})
	}
	k := slices.IndexFunc(m, func(x member) bool { return x.name == path[0] })
	if k < 0 {
		m, k = append(m, member{path[0], []member{}}), len(m)
	}
	inner, _ := m[k].value.([]member)
	m[k].value = with(inner, path[1:], v)
	return m
}

// paths returns paths of which none is a prefix of another one.
func (g *orderGenerator) paths(most int) [][]string {
	var out [][]string
	for range 1 + g.IntN(most) {
		var path []string
		for range pick(g.Rand, 1, 1, 2, 2, 3) {
			path = append(path, pick(g.Rand, orderedNames...))
		}
		text := strings.Join(path, ".") + "."
		if !slices.ContainsFunc(out, func(other []string) bool {
			o := strings.Join(other, ".") + "."
			return strings.HasPrefix(o, text) || strings.HasPrefix(text, o)
		}) {
			out = append(out, path)
		}
	}
	return out
}

// next returns a case without the document afterwards.
func (g *orderGenerator) next() orderCase {
	c := orderCase{before: g.fields(2, 8), write: harness.Object{}}
	switch g.IntN(4) {
	case 0:
		c.write["update"] = harness.Object{"fields": restFields(g.fields(2, 8))}
	case 1, 2:
		var fields []member
		mask := []any{}
		for _, path := range g.paths(12) {
			mask = append(mask, quotedPath(path))
			old := memberAt(c.before, path)
			switch n := g.IntN(8); {
			case n == 0 && old != nil:
				fields = with(fields, path, old)
			case n > 1:
				fields = with(fields, path, g.value(1))
			}
		}
		c.write["update"] = harness.Object{"fields": restFields(fields)}
		c.write["updateMask"] = harness.Object{"fieldPaths": mask}
	default:
		c.write["update"] = harness.Object{"fields": restFields(g.fields(1, 4))}
		if g.IntN(2) == 0 {
			c.write["update"], c.write["updateMask"] = harness.Object{}, harness.Object{"fieldPaths": []any{}}
		}
	}
	if g.IntN(3) == 0 {
		transforms := []any{}
		for _, path := range g.paths(8) {
			transforms = append(transforms, g.transform(c.before, path))
		}
		c.write["updateTransforms"] = transforms
	}
	return c
}

// transform returns a transform of a field.
func (g *orderGenerator) transform(before []member, path []string) harness.Object {
	kind, values := "appendMissingElements", []any{json.RawMessage(restValue(g.value(1)))}
	if list, ok := memberAt(before, path).([]any); ok && g.IntN(2) == 0 {
		kind, values[0] = "removeAllFromArray", json.RawMessage(restValue(list[1]))
		if g.IntN(2) == 0 {
			values = append(values, json.RawMessage(restValue(list[0])))
		}
	} else if list, ok := values[0].(json.RawMessage); ok && strings.HasPrefix(string(list), `{"arrayValue"`) {
		values[0] = harness.Object{"stringValue": g.fresh()} // an array contains no array
	}
	return harness.Object{"fieldPath": quotedPath(path), kind: harness.Object{"values": values}}
}

// quotedPath returns a field path as requests have it.
func quotedPath(path []string) string { return "`" + strings.Join(path, "`.`") + "`" }

// restFields returns the REST form of a map, with its members in their order.
func restFields(m []member) json.RawMessage {
	parts := make([]string, len(m))
	for i, x := range m {
		parts[i] = fmt.Sprintf("%q:%s", x.name, restValue(x.value))
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

// restValue returns the REST form of a value.
func restValue(v any) string {
	switch v := v.(type) {
	case []member:
		return `{"mapValue":{"fields":` + string(restFields(v)) + `}}`
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = restValue(item)
		}
		return `{"arrayValue":{"values":[` + strings.Join(items, ",") + `]}}`
	}
	return fmt.Sprintf(`{"stringValue":%q}`, v)
}

// parseOrdered reads a value of JSON: objects as []member.
func parseOrdered(t *testing.T, d *json.Decoder) any {
	t.Helper()
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch token {
	case json.Delim('{'):
		out := []member{}
		for d.More() {
			name, _ := d.Token()
			out = append(out, member{fmt.Sprint(name), parseOrdered(t, d)})
		}
		_, _ = d.Token()
		return out
	case json.Delim('['):
		out := []any{}
		for d.More() {
			out = append(out, parseOrdered(t, d))
		}
		_, _ = d.Token()
		return out
	}
	return token
}

// plainOf returns the value that its REST form describes.
func plainOf(v any) any {
	m, _ := v.([]member)
	inner, _ := m[0].value.([]member)
	switch m[0].name {
	case "mapValue":
		return plainFields(memberAt(inner, []string{"fields"}))
	case "arrayValue":
		items, _ := memberAt(inner, []string{"values"}).([]any)
		out := make([]any, len(items))
		for i, item := range items {
			out[i] = plainOf(item)
		}
		return out
	}
	return m[0].value
}

// plainFields returns the map that its REST form describes, which is nil for an empty one.
func plainFields(v any) []member {
	m, _ := v.([]member)
	out := []member{}
	for _, x := range m {
		out = append(out, member{x.name, plainOf(x.value)})
	}
	return out
}

// literal returns a value in the language of rules.
func literal(v any) string {
	var parts []string
	switch v := v.(type) {
	case []member:
		for _, x := range v {
			parts = append(parts, fmt.Sprintf("'%s': %s", x.name, literal(x.value)))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		for _, item := range v {
			parts = append(parts, literal(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprintf("'%s'", v)
}

// orderClaim returns the claim that a value and the maps inside it have the given members in their order.
func orderClaim(data string, v any) string {
	var claims []string
	switch v := v.(type) {
	case []member:
		values := make([]any, len(v))
		for i, x := range v {
			values[i] = x.value
		}
		claims = append(claims, data+".values() == "+literal(values))
		for _, x := range v {
			claims = append(claims, orderClaim(data+"['"+x.name+"']", x.value))
		}
	case []any:
		for i, item := range v {
			claims = append(claims, orderClaim(fmt.Sprintf("%s[%d]", data, i), item))
		}
	}
	return strings.Join(slices.DeleteFunc(claims, func(c string) bool { return c == "" }), " && ")
}

// put sends a write of a document.
func (r *rulesRun) put(path, authorization string, write harness.Object) string {
	r.t.Helper()
	w := named(write, "")
	fields, _ := write["update"].(harness.Object)["fields"].(json.RawMessage)
	if fields == nil {
		fields = json.RawMessage("{}")
	}
	w["update"] = harness.Object{"name": r.docs() + "/" + path, "fields": fields}
	return answerVerdict(r.request(http.MethodPost, "/v1/"+r.docs()+":commit", authorization, harness.Object{"writes": []any{w}}))
}

// afterwards makes the write of a case as an administrator and returns the document, in the order of the answer.
func (r *rulesRun) afterwards(c orderCase) []member {
	r.t.Helper()
	r.request(http.MethodDelete, "/v1/"+r.docs()+"/o/x", "owner", nil)
	for _, w := range []harness.Object{{"update": harness.Object{"fields": restFields(c.before)}}, c.write} {
		if got := r.put("o/x", "owner", w); got != ruletest.Allow {
			r.t.Fatalf("%v: %s", w, got)
		}
	}
	_, text := r.request(http.MethodGet, "/v1/"+r.docs()+"/o/x", "owner", nil)
	answer, _ := parseOrdered(r.t, json.NewDecoder(strings.NewReader(text))).([]member)
	return plainFields(memberAt(answer, []string{"fields"}))
}

// orderVerdicts returns, for each case, whether the rules see the members in the order of the official emulator in a
// create of the document afterwards, in the write, in the stored document, and in the stored document from the rules of
// another one.
func (r *rulesRun) orderVerdicts(cases []orderCase) []string {
	r.t.Helper()
	var b strings.Builder
	b.WriteString("rules_version = '2';\nservice cloud.firestore {\n  match /databases/{db}/documents {\n")
	for i, c := range cases {
		fmt.Fprintf(&b, "    match /t/t%d { allow write: if %s; allow get: if %s; }\n    match /n/n%d { allow create: if %s; }\n    match /l/l%d { allow get: if %s; }\n",
			i, orderClaim("request.resource.data", c.after), orderClaim("resource.data", c.after), i, orderClaim("request.resource.data", c.after),
			i, orderClaim(fmt.Sprintf("get(/databases/$(db)/documents/t/t%d).data", i), c.after))
	}
	b.WriteString("  }\n}\n")
	if status, text := r.install(b.String()); status != http.StatusOK {
		r.t.Fatalf("%d %s", status, text)
	}
	token := harness.Unsigned(r.t, map[string]any{"iat": 1, "exp": 4102444800, "sub": "ann", "aud": harness.Project, "iss": "https://securetoken.google.com/" + harness.Project})
	out := make([]string, len(cases))
	for i, c := range cases {
		path := fmt.Sprintf("t/t%d", i)
		r.request(http.MethodDelete, fmt.Sprintf("/v1/%s/n/n%d", r.docs(), i), "owner", nil)
		r.put(path, "owner", harness.Object{"update": harness.Object{"fields": restFields(c.before)}})
		get := func(path string) string {
			return answerVerdict(r.request(http.MethodGet, "/v1/"+r.docs()+"/"+path, token, nil))
		}
		out[i] = "create: " + r.put(fmt.Sprintf("n/n%d", i), token, harness.Object{"update": harness.Object{"fields": restFields(c.after)}}) +
			", write: " + r.put(path, token, c.write) + ", stored: " + get(path) + ", looked up: " + get(fmt.Sprintf("l/l%d", i))
	}
	return out
}

// TestRulesOfOrderAgainstTheOfficialEmulator compares the order of the values of documents' maps in rules, after sets,
// updates of masks and transforms.
func TestRulesOfOrderAgainstTheOfficialEmulator(t *testing.T) {
	t.Parallel()
	theirs := &rulesRun{t: t, host: "http://" + harness.StartOfficialEmulator(t)}
	ours := &rulesRun{t: t, host: "http://" + harness.Start(t, nil).Firestore}
	g := &orderGenerator{Rand: rand.New(rand.NewPCG(9, 10))}
	unsorted := 0
	for range *compatSeeds {
		cases := make([]orderCase, 30)
		for i := range cases {
			cases[i] = g.next()
			cases[i].after = theirs.afterwards(cases[i])
			if !slices.IsSortedFunc(cases[i].after, func(a, b member) int { return strings.Compare(a.name, b.name) }) {
				unsorted++
			}
		}
		got, want := ours.orderVerdicts(cases), theirs.orderVerdicts(cases)
		for i, c := range cases {
			if got[i] != want[i] || strings.Contains(want[i], ruletest.Deny) {
				write, _ := json.Marshal(c.write)
				t.Errorf("%s\nwrite %s\nafterwards %s\nours %s\ntheirs %s", restFields(c.before), write, restFields(c.after), got[i], want[i])
			}
		}
	}
	if unsorted < 30 {
		t.Errorf("%d documents are not in the order of their names: the test checks too little", unsorted)
	}
}

func TestRulesOfAWriteThatChangesNothingAgainstTheOfficialEmulator(t *testing.T) {
	t.Parallel()
	before := []member{{"b", "1"}, {"c", "2"}, {"a", "3"}}
	given := []member{{"c", "2"}, {"a", "3"}, {"b", "1"}}
	rule := fmt.Sprintf("rules_version = '2';\nservice cloud.firestore { match /databases/{db}/documents/t/x { allow write: if %s && %s; allow get: if %s; } }\n",
		orderClaim("request.resource.data", given), orderClaim("resource.data", before), orderClaim("resource.data", before))
	for who, r := range map[string]*rulesRun{
		"theirs": {t: t, host: "http://" + harness.StartOfficialEmulator(t)}, "ours": {t: t, host: "http://" + harness.Start(t, nil).Firestore},
	} {
		r.put("t/x", "owner", harness.Object{"update": harness.Object{"fields": restFields(before)}})
		r.install(rule)
		if got := r.put("t/x", "", harness.Object{"update": harness.Object{"fields": restFields(given)}}); got != ruletest.Allow {
			t.Errorf("%s: %s the write", who, got)
		}
		if got := answerVerdict(r.request(http.MethodGet, "/v1/"+r.docs()+"/t/x", "", nil)); got != ruletest.Allow {
			t.Errorf("%s: %s the get", who, got)
		}
	}
}
