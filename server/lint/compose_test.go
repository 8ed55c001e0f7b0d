package lint_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// composeServices returns the lines of each service in docker-compose.yml.
func composeServices(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	_, services, ok := strings.Cut(string(text), "\nservices:\n")
	services, _, ended := strings.Cut(services, "\nvolumes:\n")
	if !ok || !ended {
		t.Fatal("docker-compose.yml has no services with volumes behind them")
	}
	found := make(map[string]string)
	name := ""
	for line := range strings.Lines(services) {
		if head := regexp.MustCompile(`^  ([a-z0-9-]+):`).FindStringSubmatch(line); head != nil {
			name = head[1]
		}
		found[name] += line
	}
	return found
}

// TestComposeCluster checks that the cluster's services belong only to their profile, that their files exist, and that
// the balancer's configuration names each node and checks its health.
func TestComposeCluster(t *testing.T) {
	services := composeServices(t)
	var cluster []string
	for name, lines := range services {
		if strings.Contains(lines, "profiles: [cluster]") || strings.Contains(lines, "<<: *node") {
			cluster = append(cluster, name)
		}
		for _, mount := range regexp.MustCompile(`- \./(\S+?):/\S+:ro`).FindAllStringSubmatch(lines, -1) {
			if _, err := os.Stat(filepath.Join("..", mount[1])); err != nil {
				t.Errorf("%s mounts what is not there: %v", name, err)
			}
		}
	}
	slices.Sort(cluster)
	if want := []string{"balancer", "node1", "node2", "node3", "postgres", "standby"}; !slices.Equal(cluster, want) {
		t.Errorf("the profile cluster has %v, want %v", cluster, want)
	}
	for _, name := range []string{"postgres", "standby"} {
		if !strings.Contains(services[name], "image: postgres:17") {
			t.Errorf("%s is not PostgreSQL 17", name)
		}
	}
	balancer, err := os.ReadFile("dist/deploy/haproxy.cfg")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"node1:8080", "node2:8080", "node3:8080", "option httpchk GET /__/health", "on-marked-down shutdown-sessions"} {
		if !strings.Contains(string(balancer), want) {
			t.Errorf("haproxy.cfg lacks %q", want)
		}
	}
	if at, err := exec.LookPath("haproxy"); err == nil {
		if out, err := exec.Command(at, "-c", "-f", "dist/deploy/haproxy.cfg").CombinedOutput(); err != nil {
			t.Errorf("haproxy refuses its configuration: %v\n%s", err, out)
		}
	}
}
