package harness

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"clave/server/internal/app"
	"clave/server/internal/app/config"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/link"
	"clave/server/test/kit/program"
)

// NodesVariable is the environment variable under which all tests of `clave serve` run it as three nodes behind a
// balancer.
const NodesVariable = "CLAVE_NODES"

// ShareStore sets CLAVE_STORE to a new database of the test, if nodes are requested.
func ShareStore(t *testing.T) {
	t.Helper()
	if os.Getenv(NodesVariable) != "" {
		t.Setenv("CLAVE_STORE", pgtest.New(t).Database())
	}
}

// Parallel lets a test that calls shareStore run in parallel, unless several nodes are requested: a parallel test can't
// set variables.
func Parallel(t *testing.T) {
	t.Helper()
	if os.Getenv(NodesVariable) == "" {
		t.Parallel()
	}
}

// Alone skips a test that requires a single node, with a reason, if several nodes are requested.
func Alone(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv(NodesVariable) != "" {
		t.Skip("with one node only: " + reason)
	}
}

// serveNodes runs three nodes of `clave serve` in a folder behind a balancer at a port, until the test ends.
func (p *Production) serveNodes(t *testing.T, port int, flags ...string) {
	t.Helper()
	ports := FreePorts(t, 3)
	targets := make([]string, len(ports))
	// Commands use the first folder.
	folders := []string{filepath.Join(p.Dir, ".clave"), filepath.Join(p.Dir, ".clave-1"), filepath.Join(p.Dir, ".clave-2")}
	for i, own := range ports {
		targets[i] = fmt.Sprintf("127.0.0.1:%d", own)
		// The last value of a flag counts.
		more := append(slices.Clone(flags), "--port", fmt.Sprint(own), "--data", folders[i])
		cmd := ServeCommand(t, p.Dir, []string{"CLAVE_STORE=" + os.Getenv("CLAVE_STORE")}, more...)
		cmd.Stderr = os.Stderr
		await := AwaitLine(t, cmd)
		t.Cleanup(func() {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
		})
		if i == 0 {
			p.Cmd = cmd
			await("Clave ready")
		} else {
			p.followers = append(p.followers, cmd)
			await("Follower: ")
		}
	}
	link.NewBalancer(t, port, targets...)
}

// startNodes runs three servers of a folder, of which the first leads. It returns the first server's addresses. Those
// of ports that every node has are replaced by balancers' addresses.
func startNodes(t *testing.T, dir string, flags []string) app.Addresses {
	t.Helper()
	url := pgtest.New(t).Database()
	var all app.Addresses
	var firestores, auths []string
	for i := range 3 {
		own := append(slices.Clone(flags), "--store", url, "--data", filepath.Join(dir, fmt.Sprintf(".clave-%d", i)))
		c, err := config.Parse(config.ModeStart, own, func(string) string { return "" }, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		ports := FreePorts(t, 2)
		c.Ports, c.TempDir = config.Ports{Firestore: ports[0], Auth: ports[1]}, dir
		firestores, auths = append(firestores, fmt.Sprintf("127.0.0.1:%d", ports[0])), append(auths, fmt.Sprintf("127.0.0.1:%d", ports[1]))
		o := app.Options{Log: slog.New(slog.DiscardHandler)}
		if i > 0 {
			runFollower(t, c, o, firestores[i])
			continue
		}
		a, err := app.New(t.Context(), c, o)
		if err != nil {
			t.Fatal(err)
		}
		runApp(t, a)
		all = a.Addresses()
	}
	all.Firestore, all.Auth = link.NewBalancer(t, 0, firestores...).Addr(), link.NewBalancer(t, 0, auths...).Addr()
	return all
}

// runFollower runs an app that does not lead until the test ends, and waits until it answers at an address.
func runFollower(t *testing.T, c *config.Config, o app.Options, address string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if a, err := app.New(ctx, c, o); err == nil { // fails if the leader ended first
			_ = a.Run(ctx, func() {})
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	limit, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if err := program.AwaitHealth(limit, address); err != nil {
		t.Fatalf("a node does not answer: %v", err)
	}
}
