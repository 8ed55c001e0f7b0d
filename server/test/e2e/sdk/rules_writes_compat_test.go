package sdk

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"clave/server/internal/rules/ruletest"

	"clave/server/test/e2e/harness"
)

// ten is a conjunction of ten lookups, all true, which use up a request's limit.
func ten() string {
	parts := make([]string, 10)
	for i := range parts {
		parts[i] = fmt.Sprintf("!exists(DOCS/z/d%d)", i)
	}
	return strings.Join(parts, " && ")
}

// writesUnderRules lists conditions for all writes below t, each followed by writes. PATH FIELDS sets a document, -PATH
// deletes one. Existing documents are t/e, with v = 1, and t/e/s/f.
var writesUnderRules = [][]string{
	{"get(DOCS/t/$(x)) == null", "t/n {}"},
	{"get(DOCS/t/$(x)) == null", "-t/n"},
	{"get(DOCS/t/$(x)).data.v == 1", `t/e {"v": {"integerValue": "2"}}`},
	{"getAfter(DOCS/t/$(x)).data.v == 2", `t/e {"v": {"integerValue": "2"}}`},
	{"getAfter(DOCS/t/$(x)) == null", "-t/e"},
	{"!existsAfter(DOCS/t/$(x))", "-t/e"},
	{"x == 'n' ? getAfter(DOCS/t/e) == null : true", "t/n {}", "-t/e"},
	{"getAfter(DOCS/t/q) == null", "t/m {}", "-t/q"},
	{"getAfter(DOCS/t/q) == null", "t/m {}"},
	{"get(DOCS/t/zzz) == null", "t/n {}", "t/m {}"},
	{"TEN && !exists(DOCS/t/$(x))", "t/n {}"},
	{"TEN && get(DOCS/t/$(x)).data.v == 1", "t/e {}"},
	{"TEN && existsAfter(DOCS/t/$(x))", "t/n {}"},
	{"TEN && existsAfter(DOCS/t/n)", "t/n {}", "t/m {}"},
	{"TEN && !existsAfter(DOCS/t/e)", "t/n {}", "-t/e"},
	{"TEN && exists(DOCS/t/e)", "t/n {}"},
	{"TEN && existsAfter(DOCS/t/e)", "t/n {}"},
	{"exists(DOCS/t/$('e/s/f'))", "t/n {}"},
	{"!exists(DOCS/t/$('e/s/f'))", "t/n {}"},
	{"resource == null && request.resource.id == x && request.resource.__name__ == DOCS/t/n", "t/n {}"},
	{"resource.keys() == ['__name__', 'data', 'id']", "t/e {}"},
	{"request.resource == null", "-t/e"},
	{"request.resource.data.r is path && get(request.resource.data.r).data.v == 1",
		`t/n {"r": {"referenceValue": "projects/demo/databases/(default)/documents/t/e"}}`},
	{"request.resource.data.r is vector && !(request.resource.data.r is map)", `t/n {"r": ` + vectorOfOne + `}`},
	{"request.resource.data.r.size() == 2", `t/n {"r": ` + vectorOfOne + `}`},
	{"request.resource.data.r.value[0] == 1.0", `t/n {"r": ` + vectorOfOne + `}`},
	{"request.method == 'create'", "t/n {}", "-t/n"},
	{"request.method in ['create', 'delete']", "t/n {}", "-t/n"},
	{"request.method == 'delete' && resource == null && request.resource == null", "t/n {}", "-t/n"},
	{"request.method == 'delete' && resource.data.v == 1", "t/e {}", "-t/e"},
	{"request.method == 'update' && resource.data.v == 1 && request.resource.data.v == 2", "-t/e", `t/e {"v": {"integerValue": "2"}}`},
	{"request.method == 'create' && request.resource.data.v == 2", "-t/n", `t/n {"v": {"integerValue": "2"}}`},
	{"request.method == 'create' && request.resource.data.v == 2", `t/n {"v": {"integerValue": "1"}}`, "-t/n", `t/n {"v": {"integerValue": "2"}}`},
	{"request.method == 'delete'", "-t/n", "t/n {}"},
}

// vectorOfOne is a vector in the REST form.
const vectorOfOne = `{"mapValue": {"fields": {"__type__": {"stringValue": "__vector__"}, "value": {"arrayValue": {"values": [{"doubleValue": 1}]}}}}}`

// parseSets reads writes of writesUnderRules.
func parseSets(lines []string) []ruletest.Write {
	writes := make([]ruletest.Write, len(lines))
	for i, line := range lines {
		path, fields, _ := strings.Cut(line, " ")
		writes[i] = ruletest.Write{Method: "set", Path: path, Data: json.RawMessage(fields)}
		if gone, ok := strings.CutPrefix(path, "-"); ok {
			writes[i] = ruletest.Write{Method: "delete", Path: gone}
		}
	}
	return writes
}

// TestRulesOfWritesAgainstTheOfficialEmulator compares the document states that rules read during a commit.
func TestRulesOfWritesAgainstTheOfficialEmulator(t *testing.T) {
	t.Parallel()
	theirs := &rulesRun{t: t, host: "http://" + harness.StartOfficialEmulator(t)}
	ours := &rulesRun{t: t, host: "http://" + harness.Start(t, nil).Firestore}
	counts := make(map[string]int)
	for _, tt := range writesUnderRules {
		cond := strings.ReplaceAll(strings.ReplaceAll(tt[0], "TEN", ten()), "DOCS", "/databases/$(db)/documents")
		c := &ruletest.Case{
			Rules: "rules_version = '2';\nservice cloud.firestore { match /databases/{db}/documents/t/{x} { allow write: if " + cond + "; } }\n",
			Docs:  map[string]json.RawMessage{"t/e": json.RawMessage(`{"v": {"integerValue": "1"}}`), "t/e/s/f": json.RawMessage(`{}`)},
			Op:    ruletest.Operation{Write: ruletest.Write{Method: "batch"}, Writes: parseSets(tt[1:])},
		}
		got, want := ours.verdict(c), theirs.verdict(c)
		counts[want]++
		if decided, _, err := c.Decide(t.Context()); err != nil || decided != want {
			t.Errorf("%s for %s: clave rules test decides %s, %v; theirs %s", tt[0], tt[1:], decided, err, want)
		}
		if got != want {
			t.Errorf("%s for %s: ours %s, theirs %s", tt[0], tt[1:], got, want)
		}
	}
	if counts[ruletest.Allow] < 10 || counts[ruletest.Deny] < 5 {
		t.Errorf("%v: the test checks too little", counts)
	}
}
