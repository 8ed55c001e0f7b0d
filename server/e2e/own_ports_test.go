package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/storage/pgstore/pgtest"
)

// ownPorts are the ports whose requests a node does not forward.
type ownPorts struct{ console, hub, requests int }

// newNodeWithPorts starts a node with given own ports.
func newNodeWithPorts(t *testing.T, url string) (*node, ownPorts) {
	t.Helper()
	dir, free := t.TempDir(), freePorts(t, 5)
	writeFile(t, filepath.Join(dir, "firebase.json"), fmt.Sprintf(
		`{"emulators": {"firestore": {"port": %d, "websocketPort": %d}, "auth": {"port": %d}, "ui": {"port": %d}, "hub": {"port": %d}}}`, free[0], free[1], free[2], free[3], free[4]))
	n := &node{folder: dir, dir: filepath.Join(dir, ".clave"), port: free[0]}
	return n.again(t, url), ownPorts{requests: free[1], console: free[3], hub: free[4]}
}

// TestPortsThatOnlyTheLeaderServes sends requests to a follower's ports of components that run at the leader only. The answers name the leader, until the
// follower becomes the leader.
func TestPortsThatOnlyTheLeaderServes(t *testing.T) {
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
	paths := map[int]string{ports.console: "/", ports.hub: "/emulators", ports.requests: "/"}
	for port, path := range paths {
		code, text := (&node{port: port}).request(t, http.MethodGet, path, "")
		if code != http.StatusServiceUnavailable || !strings.Contains(text, name) || !strings.Contains(text, leader.addr()) {
			t.Errorf("%s at port %d of a follower: %d %q, want 503 with %s and %s", path, port, code, text, name, leader.addr())
		}
	}
	leader.kill(t)
	follower.await("Clave ready")
	for _, port := range []int{ports.console, ports.hub} {
		if code, text := (&node{port: port}).request(t, http.MethodGet, paths[port], ""); code != http.StatusOK {
			t.Errorf("%s at port %d of the new leader: %d %q", paths[port], port, code, text)
		}
	}
}
