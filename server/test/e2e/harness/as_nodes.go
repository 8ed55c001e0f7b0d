package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/link"
	"clave/server/test/kit/program"
)

// asNodesVariable names the program that this test binary runs as several nodes, instead of its tests. Tests that start
// `clave start` as one process, including those in JavaScript, thus run on nodes unchanged.
const asNodesVariable = "CLAVE_AS_NODES"

// Clave returns the program to start: the built one or, if nodes are requested, this test binary, which runs three of
// them on a PostgreSQL of the test. In the second case clave changes the environment of the test.
func Clave(t *testing.T) string {
	t.Helper()
	path, err := program.Clave()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv(NodesVariable) == "" {
		return path
	}
	t.Setenv("CLAVE_STORE", pgtest.New(t).Database())
	t.Setenv(asNodesVariable, path)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// nodesOfStart are three processes of `clave start` in one folder, and the balancers at the ports of its firebase.json.
type nodesOfStart struct {
	path   string
	args   []string // without --config and --memory
	config string
	store  string
	// config file as JSON, and its emulators.
	file, emulators map[string]any
	commands        []*exec.Cmd
	// targets are the ports of the nodes by the emulators' name, those of the leader first.
	targets map[string][]string
}

// startAsNodes runs `clave start` with arguments as three nodes until a signal. The first node leads. The nodes end
// with this process, however it ends. Balancers listen at the ports of firestore, auth and hosting; the other ports are
// those of the first node.
func startAsNodes(path string, args []string) error {
	runtime.LockOSThread() // endWithParent is about this thread
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	n := &nodesOfStart{path: path, config: "firebase.json", targets: make(map[string][]string)}
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "--memory":
		case "--config":
			i++
			n.config = args[i]
		default:
			n.args = append(n.args, args[i])
		}
	}
	if err := errors.Join(n.load(), n.createDatabase(ctx)); err != nil {
		return err
	}
	ready, err := n.startNode(ctx, 0)
	for i := 1; i < 3 && err == nil; i++ {
		_, err = n.startNode(ctx, i)
	}
	defer n.end()
	if err != nil {
		return err
	}
	for name, targets := range n.targets {
		port, _ := n.emulators[name].(map[string]any)["port"].(float64)
		b, err := link.OpenBalancer(int(port), targets...)
		if err != nil {
			return err
		}
		defer b.Close()
	}
	_, _ = fmt.Fprintln(os.Stdout, ready) // the parent may have ended
	<-ctx.Done()
	return nil
}

// load reads the config file.
func (n *nodesOfStart) load() error {
	text, err := os.ReadFile(n.config)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &n.file); err != nil {
		return err
	}
	emulators, ok := n.file["emulators"].(map[string]any)
	if !ok {
		return errors.New("the config file has no emulators")
	}
	n.emulators = emulators
	return nil
}

// createDatabase creates the folder's database if it does not exist.
func (n *nodesOfStart) createDatabase(ctx context.Context) error {
	folder, err := filepath.Abs(filepath.Dir(n.config))
	if err != nil {
		return err
	}
	url := os.Getenv("CLAVE_STORE")
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(folder)) // never fails
	name := fmt.Sprintf("folder_%x", hash.Sum64())
	at := conn.Config()
	n.store = fmt.Sprintf("postgres://%s:%s@%s:%d/%s?sslmode=disable", at.User, at.Password, at.Host, at.Port, name)
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists); err != nil || exists {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+name)
	return err
}

// configure writes the config file of a node and returns its name and the
// address of its Firestore port.
func (n *nodesOfStart) configure(i int) (name, firestore string, err error) {
	emulators := make(map[string]any)
	for part, settings := range n.emulators {
		own := maps.Clone(settings.(map[string]any))
		balanced := slices.Contains([]string{"firestore", "auth", "hosting"}, part)
		if balanced || i > 0 {
			free, err := program.FreePort()
			if err != nil {
				return "", "", err
			}
			own["port"] = free
			if balanced {
				n.targets[part] = append(n.targets[part], fmt.Sprintf("127.0.0.1:%d", free))
			}
		}
		if i > 0 {
			delete(own, "websocketPort")
		}
		emulators[part] = own
	}
	file := maps.Clone(n.file)
	file["emulators"] = emulators
	text, err := json.Marshal(file)
	name = filepath.Join(filepath.Dir(n.config), fmt.Sprintf("node-%d.json", i))
	return name, n.targets["firestore"][i], errors.Join(err, os.WriteFile(name, text, 0o600))
}

// startNode starts a node and waits until it answers. For the first node it returns the line that reports readiness.
func (n *nodesOfStart) startNode(ctx context.Context, i int) (line string, err error) {
	config, firestore, err := n.configure(i)
	if err != nil {
		return "", err
	}
	args := append(slices.Clone(n.args), "--config", config, "--store", n.store, "--data", fmt.Sprintf(".clave-%d", i))
	cmd := exec.Command(n.path, args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, asNodesVariable+"=") })
	cmd.Stderr = os.Stderr
	endWithParent(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	n.commands = append(n.commands, cmd)
	lines := bufio.NewReader(out)
	if i == 0 {
		for line == "" {
			text, err := lines.ReadString('\n')
			if err != nil {
				return "", fmt.Errorf("the first node ended: %w", err)
			}
			if strings.HasPrefix(text, "Clave ready in ") {
				line = strings.TrimSpace(text)
			}
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }() // until the node ends
	limit, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return line, program.AwaitHealth(limit, firestore)
}

// end ends the nodes, the leader last.
func (n *nodesOfStart) end() {
	for _, cmd := range slices.Backward(n.commands) {
		_ = cmd.Process.Signal(syscall.SIGTERM) // unless it has ended
		_ = cmd.Wait()
	}
}
