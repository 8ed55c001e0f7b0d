package nodes

import (
	"fmt"
	"net/http"
	"testing"

	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/e2e/harness"
)

// TestAppCheckCountsOfNodes sends requests without an App Check token to three nodes. Whichever node checks them, the
// sum of the metrics of all nodes has them: calls of Auth once, because only the leader answers them, and reads at
// least once, because the leader also checks a read that a follower could not finish.
func TestAppCheckCountsOfNodes(t *testing.T) {
	const each = 10
	store := pgtest.New(t).Database()
	var nodes []*servingNode
	var ports []int
	for _, ready := range []string{"Clave ready", "Follower: ", "Follower: "} {
		port := harness.FreePorts(t, 1)[0]
		n := newServingNodeWith(t, store, rulesFor("own"), "--app-check", "firestore=count,auth=count", "--metrics", fmt.Sprintf("127.0.0.1:%d", port))
		n.await(ready)
		nodes, ports = append(nodes, n), append(ports, port)
	}
	for i, n := range nodes {
		for range each {
			code, answer := n.Request(t, http.MethodGet, "/v1/projects/"+harness.RealProject+"/databases/(default)/documents/own/x", "", nil)
			if code != http.StatusNotFound {
				t.Fatalf("a read at node %d: %d %v", i, code, answer)
			}
			code, answer = n.Request(t, http.MethodPost, harness.ToolkitPath("accounts:createAuthUri?key=k"), "", harness.Object{"identifier": "ann@example.org", "continueUri": "http://nodes.example"})
			if code != http.StatusOK {
				t.Fatalf("a call of Auth at node %d: %d %v", i, code, answer)
			}
		}
	}
	sum := func(product string) (n float64) {
		for _, port := range ports {
			n += scrape(t, port).value(t, `clave_app_check_requests_total{product="`+product+`",result="missing"}`)
		}
		return n
	}
	if reads, calls := sum("firestore"), sum("auth"); reads < 3*each || calls != 3*each {
		t.Errorf("the nodes have counted %v reads and %v calls of Auth, want at least %d and %d", reads, calls, 3*each, 3*each)
	}
}
