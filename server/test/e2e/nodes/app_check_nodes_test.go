package nodes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/e2e/harness"
)

// TestAppCheckCountsOfNodes sends requests without an App Check token to three nodes. Whichever node checks them, the
// sum of the metrics of all nodes has them, and so has the leader's console: calls of Auth once, because only the
// leader answers them, and reads at least once, because the leader also checks a read that a follower could not finish.
// After a follower was killed, the console says that it does not answer.
func TestAppCheckCountsOfNodes(t *testing.T) {
	const each = 10
	store, ui := pgtest.New(t).Database(), harness.FreePorts(t, 1)[0]
	var nodes []*servingNode
	var ports []int
	for _, ready := range []string{"Clave ready", "Follower: ", "Follower: "} {
		port := harness.FreePorts(t, 1)[0]
		flags := []string{"--app-check", "firestore=count,auth=count", "--metrics", fmt.Sprintf("127.0.0.1:%d", port)}
		if len(nodes) == 0 {
			flags = append(flags, "--console", fmt.Sprintf("127.0.0.1:%d", ui))
		}
		n := newServingNodeWith(t, store, rulesFor("own"), flags...)
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
	console := newConsoleSession(t, nodes[0].Dir, ui)
	shown := console.appCheck(t)
	if reads, calls := shown.missing(0), shown.missing(1); reads != sum("firestore") || calls != 3*each || shown.answered() != 3 {
		t.Errorf("the console shows %v reads and %v calls of Auth of %d nodes; the metrics have %v and %d: %+v", reads, calls, shown.answered(), sum("firestore"), 3*each, shown)
	}
	own := scrape(t, ports[2]).value(t, `clave_app_check_requests_total{product="firestore",result="missing"}`)
	if own == 0 {
		t.Error("the third node has checked no read itself")
	}
	killed := nodes[2].Cmd.Process
	if err := killed.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = killed.Wait() // or by the harness
	later := console.appCheck(t)
	if later.answered() != 2 || len(later.Nodes) != 3 || later.missing(0) != shown.missing(0)-own {
		t.Errorf("after the third node was killed, the console shows %+v, and before %+v with %v reads of this node", later, shown, own)
	}
}

// checked is what the console shows of App Check.
type checked struct {
	Nodes    []struct{ Name, Since, Error string }
	Products []struct{ Counts map[string]float64 }
}

// missing returns the number of requests without a token to a product.
func (c *checked) missing(product int) float64 { return c.Products[product].Counts["missing"] }

// answered returns the number of nodes whose counts are shown.
func (c *checked) answered() (n int) {
	for _, one := range c.Nodes {
		if one.Error == "" && one.Since != "" {
			n++
		}
	}
	return n
}

// consoleSession is a session of a console.
type consoleSession struct {
	client *http.Client
	origin string
}

// newConsoleSession opens a session of the console at a port, of a server with a folder.
func newConsoleSession(t *testing.T, dir string, port int) *consoleSession {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	link, err := harness.Command(t, dir, "console").Output()
	if err != nil {
		t.Fatalf("clave console: %v", err)
	}
	s := &consoleSession{&http.Client{Jar: jar}, fmt.Sprintf("http://127.0.0.1:%d", port)}
	res, err := s.client.Get(strings.TrimSpace(string(link)))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("the link to the console answers %s", res.Status)
	}
	return s
}

// appCheck returns what the console shows of App Check.
func (s *consoleSession) appCheck(t *testing.T) *checked {
	t.Helper()
	res, err := s.client.Get(s.origin + "/api/appcheck")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out := &checked{}
	if err := json.NewDecoder(res.Body).Decode(out); err != nil || res.StatusCode != http.StatusOK || len(out.Products) != 2 {
		t.Fatalf("App Check at the console: %s, %+v, %v", res.Status, out, err)
	}
	return out
}
