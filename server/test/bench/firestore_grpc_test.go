package bench_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	testprogram "clave/server/test/kit/program"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// emulatorJar is the path of the official emulator in Debian's package of the Google Cloud CLI.
const emulatorJar = "/usr/lib/google-cloud-sdk/platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"

// TestBesideTheEmulator runs the same workloads with the Go client against Clave, durable on disk, and against the
// official emulator, in memory and warmed up, in turns. It logs rates and their ratios. Only ratios are comparable
// between machines.
func TestBesideTheEmulator(t *testing.T) {
	if os.Getenv("CLAVE_BENCH_EMULATOR") == "" {
		t.Skip("CLAVE_BENCH_EMULATOR is not set")
	}
	ours, theirs := startClave(t), startEmulator(t)
	for _, s := range []*server{ours, theirs} {
		s.client = connect(t, s.address)
		load(t, s.client, "events", 10_000)
	}
	bare := startBare(t)
	bare.client = connect(t, bare.address)
	for _, w := range workloads() {
		if w.warm {
			w.run(t, theirs.client, 2*time.Second)
		}
		if w.bare {
			w.run(t, bare.client, time.Second/2)
			rate, cpu := bare.measure(t, w)
			t.Logf("%-12s bare  %8.1f /s %6.0f µs CPU", w.name, rate, cpu)
		}
		a, aCPU := ours.measure(t, w)
		b, bCPU := theirs.measure(t, w)
		t.Logf("%-12s clave %8.1f /s %6.0f µs CPU, emulator %8.1f /s %6.0f µs CPU, ratio of rates %7.2f, of CPU %7.2f",
			w.name, a, aCPU, b, bCPU, a/b, bCPU/aCPU)
	}
}

// server is a server under test.
type server struct {
	address string
	pid     int
	dir     string // the data folder of Clave
	site    string // the address of the pages
	metrics string // the address of the metrics
	user    string // the ID token of the clients; empty for the owner's
	client  *firestore.Client
}

// measure runs a workload. It returns the runs per second and the server's processor time for each run in microseconds.
// Other work on the machine affects the processor time less than the rate.
func (s *server) measure(t *testing.T, w workload) (rate, cpu float64) {
	t.Helper()
	before, began := s.ticks(t), time.Now()
	rate = w.run(t, s.client, duration())
	return rate, float64(s.ticks(t)-before) * tick / (rate * time.Since(began).Seconds())
}

// tick is Linux's unit of processor time, in microseconds.
const tick = 10_000

// ticks returns the processor time of the server.
func (s *server) ticks(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	if err != nil {
		t.Skip("no processor times: ", err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return user + system
}

// duration returns how long each workload runs.
func duration() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("CLAVE_BENCH_TIME")); err == nil {
		return d
	}
	return 5 * time.Second
}

// freeAddress returns an unused local address.
func freeAddress(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", testprogram.FreePorts(t, 1)[0])
}

// buildClave builds the program as make does, unless CLAVE_BENCH_BIN names one.
func buildClave(t *testing.T) string {
	t.Helper()
	if bin := os.Getenv("CLAVE_BENCH_BIN"); bin != "" {
		return bin
	}
	bin := filepath.Join(t.TempDir(), "clave")
	build := exec.Command("go", "build", "-trimpath", "-o", bin, "clave/server/cmd/clave")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

// startClave builds and starts a server on an empty folder, with the index of cheapest and further flags.
func startClave(t *testing.T, flags ...string) *server {
	t.Helper()
	dir, address, bin := t.TempDir(), freeAddress(t), buildClave(t)
	_, port, _ := net.SplitHostPort(address)
	_, sockets, _ := net.SplitHostPort(freeAddress(t))
	files := map[string]string{
		"firebase.json": fmt.Sprintf(`{"firestore": {"rules": "r.rules", "indexes": "i.json"}, "emulators": {"firestore": {"port": %s, "websocketPort": %s}}}`, port, sockets),
		"r.rules":       "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /{x=**} { allow read, write: if false; } } }",
		"i.json":        `{"indexes": [` + definitions.Indexes[0].JSON() + `]}`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	arguments := append([]string{"start", "--config", filepath.Join(dir, "firebase.json"), "--only", "firestore", "--data", filepath.Join(dir, "data")}, flags...)
	s := start(t, exec.Command(bin, arguments...), address)
	s.dir = filepath.Join(dir, "data")
	return s
}

// startEmulator starts the official emulator.
func startEmulator(t *testing.T) *server {
	t.Helper()
	if _, err := os.Stat(emulatorJar); err != nil {
		t.Skip("the official emulator is not installed: ", err)
	}
	address := freeAddress(t)
	host, port, _ := net.SplitHostPort(address)
	return start(t, exec.Command("java", "-Xmx1g", "-Duser.language=en", "-cp", emulatorJar,
		"com.google.cloud.datastore.emulator.firestore.CloudFirestore", "start", "--host="+host, "--port="+port), address)
}

// start runs a server until the test ends, and waits until it listens.
func start(t *testing.T, cmd *exec.Cmd, address string) *server {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for range 600 {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			return &server{address: address, pid: cmd.Process.Pid}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s does not listen on %s", cmd.Path, address)
	return nil
}

// owner is the authorization of the emulators' privileged callers.
const owner authorization = "Bearer owner"

// authorization adds an Authorization header to calls.
type authorization string

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (a authorization) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": string(a)}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (authorization) RequireTransportSecurity() bool { return false }

// authorization returns the authorization of the server's clients without TLS.
func (s *server) authorization() authorization {
	if s.user != "" {
		return authorization("Bearer " + s.user)
	}
	return owner
}

// connect returns a client of a server.
func connect(t *testing.T, address string) *firestore.Client {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithPerRPCCredentials(owner))
	if err != nil {
		t.Fatal(err)
	}
	c, err := firestore.NewClient(t.Context(), "bench", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// event returns the fields of an event for the client.
func event(i int) map[string]any {
	return map[string]any{
		"title": fmt.Sprintf("Concert number %d", i), "city": fmt.Sprintf("city%d", i%50),
		"kind": []string{"concert", "class", "talk", "party"}[i%4], "price": i % 1000, "rating": float64(i%50) / 10,
		"open": i%3 == 0, "at": time.Unix(1_700_000_000+int64(i), 0), "tags": []string{"music"},
	}
}

// load fills a collection in batches of 500.
func load(t *testing.T, c *firestore.Client, collection string, n int) {
	t.Helper()
	for i := 0; i < n; i += 500 {
		if err := batch(t.Context(), c, collection, i); err != nil {
			t.Fatal(err)
		}
	}
}

// batch commits 500 documents, beginning with number i.
func batch(ctx context.Context, c *firestore.Client, collection string, i int) error {
	b := c.Batch() //nolint:staticcheck // The bulk writer sends many requests; this measures one commit of 500 writes.
	for j := range 500 {
		b.Set(c.Collection(collection).Doc(fmt.Sprintf("e%08d", i+j)), event(i+j))
	}
	_, err := b.Commit(ctx)
	return err
}

// workload is a call that a client repeats.
type workload struct {
	name string
	warm bool
	bare bool // bare marks workloads that a server without storage can answer.
	run  func(t *testing.T, c *firestore.Client, d time.Duration) float64
}

// workloads are the workloads of the comparison.
func workloads() []workload {
	var fresh atomic.Int64
	fresh.Store(1 << 20)
	create := func(ctx context.Context, c *firestore.Client) error {
		i := int(fresh.Add(1))
		_, err := c.Collection("created").Doc(fmt.Sprintf("e%08d", i)).Create(ctx, event(i))
		return err
	}
	get := func(ctx context.Context, c *firestore.Client) error {
		_, err := c.Collection("events").Doc(fmt.Sprintf("e%08d", fresh.Add(7919)%10_000)).Get(ctx)
		return err
	}
	var out []workload
	for _, n := range []int{1, 16, 64} {
		out = append(out, workload{fmt.Sprintf("create c=%d", n), true, true, times(n, create)},
			workload{fmt.Sprintf("get c=%d", n), true, true, times(n, get)})
	}
	return append(out,
		workload{"query c=16", true, false, times(16, cheapest)},
		workload{"batch of 500", true, true, times(1, func(ctx context.Context, c *firestore.Client) error {
			return batch(ctx, c, "batched", int(fresh.Add(500)))
		})},
		workload{"counter c=16", false, false, counter})
}

// times returns a workload of n clients that make the same call.
func times(n int, do func(context.Context, *firestore.Client) error) func(*testing.T, *firestore.Client, time.Duration) float64 {
	return func(t *testing.T, c *firestore.Client, d time.Duration) float64 {
		t.Helper()
		var done atomic.Int64
		began := time.Now()
		var wg sync.WaitGroup
		for range n {
			wg.Go(func() {
				for time.Since(began) < d {
					if err := do(t.Context(), c); err != nil {
						t.Error(err)
						return
					}
					done.Add(1)
				}
			})
		}
		wg.Wait()
		return float64(done.Load()) / time.Since(began).Seconds()
	}
}

// cheapest queries the twenty cheapest concerts of a city.
func cheapest(ctx context.Context, c *firestore.Client) error {
	it := c.Collection("events").Where("city", "==", "city8").Where("kind", "==", "concert").OrderBy("price", firestore.Asc).Limit(20).Documents(ctx)
	defer it.Stop()
	for n := 0; ; n++ {
		_, err := it.Next()
		if errors.Is(err, iterator.Done) && n == 20 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("after %d documents: %w", n, err)
		}
	}
}

// counter increments one counter in transactions with sixteen clients, each with the client library's retries, and
// checks the sum.
func counter(t *testing.T, c *firestore.Client, d time.Duration) float64 {
	t.Helper()
	ref := c.Collection("counters").Doc("one")
	if _, err := ref.Set(t.Context(), map[string]any{"n": 0}); err != nil {
		t.Fatal(err)
	}
	var done, gaveUp atomic.Int64
	began := time.Now()
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for time.Since(began) < d {
				if err := add(t.Context(), c, ref); err != nil {
					gaveUp.Add(1)
					continue
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	rate := float64(done.Load()) / time.Since(began).Seconds()
	s, err := ref.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := s.DataAt("n"); n != done.Load() {
		t.Errorf("the counter is %v after %d increments", n, done.Load())
	}
	if gaveUp.Load() > 0 {
		t.Logf("%s transactions failed after all retries", strings.Repeat("I", int(min(gaveUp.Load(), 99))))
	}
	return rate
}

// add increments a counter in a transaction.
func add(ctx context.Context, c *firestore.Client, ref *firestore.DocumentRef) error {
	return c.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		s, err := tx.Get(ref)
		if err != nil {
			return err
		}
		n, err := s.DataAt("n")
		if err != nil {
			return err
		}
		return tx.Set(ref, map[string]any{"n": n.(int64) + 1})
	})
}
