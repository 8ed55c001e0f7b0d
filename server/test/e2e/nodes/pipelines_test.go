package nodes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// transactionOf is the id of a transaction in an answer.
var transactionOf = regexp.MustCompile(`"transaction":\s*"([^"]+)"`)

// testTransactionsAcrossNodes begins transactions with pipelines at each node, continues them at a second one and
// commits them at a third one. A caller who knows the id of another one's transaction can neither use nor end it, at
// any node.
func testTransactionsAcrossNodes(t *testing.T, url string) {
	var nodes []*node
	for i := range 3 {
		n := newNode(t, url, "", "--edition", "enterprise")
		n.await([]string{"Clave ready", "Follower: ", "Follower: "}[i])
		nodes = append(nodes, n)
	}
	from := `{"name":"collection","args":[{"referenceValue":"/kept"}]}`
	pipeline := func(more, options string) string {
		return `{"structuredPipeline":{"pipeline":{"stages":[` + from + more + `]}}` + options + `}`
	}
	asked := func(transaction string) string { return fmt.Sprintf(`,"transaction":%q`, transaction) }
	commit := func(transaction string) string { return fmt.Sprintf(`{"transaction":%q}`, transaction) }
	added := `,{"name":"update","args":[{"mapValue":{"fields":{"n":{"functionValue":{"name":"add","args":[{"fieldReferenceValue":"n"},{"integerValue":"1"}]}}}}}]}`
	nodes[0].wantPut(t, "one")
	user := func(uid string) string {
		return harness.Unsigned(t, map[string]any{"iss": "https://securetoken.google.com/" + harness.Project, "aud": harness.Project, "iat": 0, "exp": 3600, "auth_time": 0, "sub": uid, "user_id": uid})
	}
	callers := []string{"owner", user("ann")}
	for i := range nodes {
		begun, second, third := nodes[i], nodes[(i+1)%3], nodes[(i+2)%3]
		for who, caller := range callers {
			code, text := begun.requestAs(t, caller, http.MethodPost, documents+":executePipeline", pipeline("", `,"newTransaction":{"readWrite":{}}`))
			found := transactionOf.FindStringSubmatch(text)
			if code != http.StatusOK || found == nil {
				t.Fatalf("node %d begins no transaction: %d %s", i, code, text)
			}
			var id string
			if err := json.Unmarshal([]byte(`"`+found[1]+`"`), &id); err != nil {
				t.Fatal(err)
			}
			for at, n := range nodes {
				for name, other := range map[string]string{"no user": "", "another user": user("eve"), "the other": callers[1-who]} {
					for call, body := range map[string]string{
						":executePipeline": pipeline("", asked(id)), ":commit": commit(id), ":rollback": commit(id), ":batchGet": fmt.Sprintf(`{"documents":[]%s}`, asked(id)),
					} {
						// A rollback of an unknown transaction has nothing to do, and may succeed.
						if code, text := n.requestAs(t, other, http.MethodPost, documents+call, body); code == http.StatusOK && call != ":rollback" {
							t.Errorf("%s calls %s at node %d in the transaction of another caller: %s", name, call, at, text)
						}
					}
				}
			}
			if code, text := second.requestAs(t, caller, http.MethodPost, documents+":executePipeline", pipeline(added, asked(id))); code != http.StatusOK || !strings.Contains(text, "documents_modified") {
				t.Errorf("the transaction of node %d at another one: %d %s", i, code, text)
			}
			if code, text := third.requestAs(t, caller, http.MethodPost, documents+":commit", commit(id)); code != http.StatusOK {
				t.Errorf("the commit of the transaction of node %d: %d %s", i, code, text)
			}
			want := fmt.Sprintf(`"integerValue":"%d"`, 2+2*i+who)
			if _, text := begun.request(t, http.MethodGet, documents+"/kept/one", ""); !strings.Contains(strings.ReplaceAll(text, " ", ""), want) {
				t.Errorf("after the transaction of node %d: %s, want %s", i, text, want)
			}
		}
	}
}
