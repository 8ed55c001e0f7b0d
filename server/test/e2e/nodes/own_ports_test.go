package nodes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/store/postgres/pgtest"

	"clave/server/test/e2e/harness"
)

// ownPorts are the ports of a node that clients do not use.
type ownPorts struct{ console, hub, requests int }

// newNodeWithPorts starts a node with given own ports.
func newNodeWithPorts(t *testing.T, url string) (*node, ownPorts) {
	t.Helper()
	dir, free := t.TempDir(), harness.FreePorts(t, 5)
	harness.WriteFile(t, filepath.Join(dir, "firebase.json"), fmt.Sprintf(
		`{"emulators": {"firestore": {"port": %d, "websocketPort": %d}, "auth": {"port": %d}, "ui": {"port": %d}, "hub": {"port": %d}}}`, free[0], free[1], free[2], free[3], free[4]))
	n := &node{folder: dir, dir: filepath.Join(dir, ".clave"), port: free[0]}
	return n.again(t, url), ownPorts{requests: free[1], console: free[3], hub: free[4]}
}

// TestPortsOfTheLeader sends requests to a follower's ports of components that run at the leader only, until the
// follower becomes the leader. The console's port forwards them. The answers of the others name the leader.
func TestPortsOfTheLeader(t *testing.T) {
	url := pgtest.New(t).Database()
	leader, _ := newNodeWithPorts(t, url)
	leader.await("Clave ready")
	follower, ports := newNodeWithPorts(t, url)
	follower.await("Follower: ")
	text, err := os.ReadFile(filepath.Join(leader.dir, "node"))
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSpace(string(text))
	console := &node{port: ports.console}
	console.wantLeader(t, name)
	paths := map[int]string{ports.hub: "/emulators", ports.requests: "/"}
	for port, path := range paths {
		code, text := (&node{port: port}).request(t, http.MethodGet, path, "")
		if code != http.StatusServiceUnavailable || !strings.Contains(text, name) || !strings.Contains(text, leader.addr()) {
			t.Errorf("%s at port %d of a follower: %d %q, want 503 with %s and %s", path, port, code, text, name, leader.addr())
		}
	}
	leader.kill(t)
	follower.await("Clave ready")
	if code, text := (&node{port: ports.hub}).request(t, http.MethodGet, paths[ports.hub], ""); code != http.StatusOK {
		t.Errorf("the hub of the new leader: %d %q", code, text)
	}
	if text, err = os.ReadFile(filepath.Join(follower.dir, "node")); err != nil {
		t.Fatal(err)
	}
	console.wantLeader(t, strings.TrimSpace(string(text)))
}

// wantLeader checks which node answers at the port of a console.
func (n *node) wantLeader(t *testing.T, name string) {
	t.Helper()
	code, text := n.request(t, http.MethodGet, "/api/session", "")
	var session struct{ Node string }
	if err := json.Unmarshal([]byte(text), &session); code != http.StatusOK || err != nil || session.Node != name {
		t.Errorf("the console at port %d: %d, of the node %q, %v; want 200 of %s", n.port, code, session.Node, err, name)
	}
}
