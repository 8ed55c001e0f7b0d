package bench_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"clave/server/test/kit/cert"
)

// The names of the measured documents.
const (
	costDatabase  = "projects/bench/databases/(default)"
	costDocuments = costDatabase + "/documents"
)

// costRounds is the number of measurements of each pair, in turns.
const costRounds = 4

// TestCostOfACall logs the server's processor time for a call, compared with another server in the same run: Clave with
// a bare gRPC server, and Clave's REST and WebChannel with its gRPC; without TLS (`clave start`) and with it (`clave
// serve`). CLAVE_BENCH_BIN names the program; by default it is built as make does. CLAVE_BENCH_CASE is a pattern that
// selects cases. The goals are ratios. A run takes about three minutes.
func TestCostOfACall(t *testing.T) {
	if os.Getenv("CLAVE_BENCH_COST") == "" {
		t.Skip("CLAVE_BENCH_COST is not set")
	}
	plain, bare := startClave(t), startBare(t)
	secure, certificate := startServe(t)
	bareTLS := startBareTLS(t, certificate)
	warm(t, plain.grpc(t, nil, batchCall))
	warm(t, secure.grpc(t, certificate.Client(t), batchCall))
	for _, n := range []int{16, 64} {
		compare(t, fmt.Sprintf("create c=%d", n), n, plain.grpc(t, nil, createCall), bare.grpc(t, nil, createCall), 2)
		compare(t, fmt.Sprintf("get c=%d", n), n, plain.grpc(t, nil, getCall), bare.grpc(t, nil, getCall), 1.1)
	}
	compare(t, "batch of 500", 1, plain.grpc(t, nil, batchCall), bare.grpc(t, nil, batchCall), 0)
	compare(t, "create REST : gRPC", 16, plain.rest(t, nil, restCreate), plain.grpc(t, nil, createCall), 1.5)
	compare(t, "get REST : gRPC", 16, plain.rest(t, nil, restGet), plain.grpc(t, nil, getCall), 1.5)
	compare(t, "write WebChannel : gRPC stream", 16, plain.channel(t, nil, false), plain.grpcStream(t, nil, false), 1.5)
	compare(t, "write WebChannel : gRPC, a connection each", 16, plain.channel(t, nil, false), plain.grpcStream(t, nil, true), 1.5)
	compare(t, "paced write WebChannel : gRPC stream", 16, plain.channel(t, nil, false).paced(), plain.grpcStream(t, nil, false).paced(), 1.5)
	compare(t, "paced write WebChannel : gRPC, a connection each", 16, plain.channel(t, nil, false).paced(), plain.grpcStream(t, nil, true).paced(), 1.5)
	compare(t, "write WebChannel : bare HTTP", 16, plain.channel(t, nil, false), bare.atSite().channel(t, nil, false), 0)
	compare(t, "write gRPC stream : bare", 16, plain.grpcStream(t, nil, false), bare.grpcStream(t, nil, false), 0)
	compare(t, "write gRPC, a connection each : bare", 16, plain.grpcStream(t, nil, true), bare.grpcStream(t, nil, true), 0)
	config := certificate.Client(t)
	compare(t, "TLS create c=16", 16, secure.grpc(t, config, createCall), bareTLS.grpc(t, config, createCall), 0)
	compare(t, "TLS get c=16", 16, secure.grpc(t, config, getCall), bareTLS.grpc(t, config, getCall), 0)
	compare(t, "TLS create REST : gRPC", 16, secure.rest(t, config, restCreate), secure.grpc(t, config, createCall), 1.5)
	compare(t, "TLS get REST : gRPC", 16, secure.rest(t, config, restGet), secure.grpc(t, config, getCall), 1.5)
	compare(t, "TLS write WebChannel : gRPC stream", 16, secure.channel(t, config, false), secure.grpcStream(t, config, false), 1.5)
	compare(t, "TLS write WebChannel : gRPC, a connection each", 16, secure.channel(t, config, false), secure.grpcStream(t, config, true), 1.5)
	compare(t, "TLS write WebChannel : bare HTTP", 16, secure.channel(t, config, false), bareTLS.atSite().channel(t, config, false), 0)
	compare(t, "TLS write gRPC, a connection each : bare", 16, secure.grpcStream(t, config, true), bareTLS.grpcStream(t, config, true), 0)
	compare(t, "TLS write WebChannel over HTTP/2 : gRPC, a connection each", 16, secure.channel(t, config, true), secure.grpcStream(t, config, true), 1.5)
	compare(t, "TLS write WebChannel over HTTP/2 : bare HTTP/2", 16, secure.channel(t, config, true), bareTLS.atSite().channel(t, config, true), 0)
	compare(t, "TLS page : Go's file server", 16, secure.page(t, config), bareTLS.page(t, config), 1.5)
}

// costLoad is a server and the calls of its clients. begin returns the call that a worker repeats.
type costLoad struct {
	server *server
	begin  func() func() error
}

// pace is the time between two calls of a worker of a paced load.
const pace = 8 * time.Millisecond

// paced returns the load with one call in each pace for a worker: the rate does not depend on how fast the clients are,
// and so neither does the number of commits that share a write of the log.
func (l costLoad) paced() costLoad {
	return costLoad{l.server, func() func() error {
		do := l.begin()
		next := time.Now().Add(rand.N(pace))
		return func() error {
			next = next.Add(pace)
			time.Sleep(time.Until(next))
			return do()
		}
	}}
}

// compare measures two loads in turns and logs the ratio of their servers' processor time, and the calls a second: a
// commit costs less the more of them share a write of the log. A goal of 0 means none.
func compare(t *testing.T, name string, workers int, ours, other costLoad, goal float64) {
	t.Helper()
	if !regexp.MustCompile(os.Getenv("CLAVE_BENCH_CASE")).MatchString(name) {
		return
	}
	var cost [2]float64
	var calls, ticks [2]int
	for range costRounds {
		for i, l := range []costLoad{ours, other} {
			n, used := l.run(t, workers, duration()/costRounds)
			calls[i] += n
			ticks[i] += used
		}
	}
	for i := range cost {
		cost[i] = float64(ticks[i]) * tick / float64(calls[i])
	}
	verdict := ""
	if goal > 0 {
		verdict = fmt.Sprintf(", goal %.1f", goal)
	}
	seconds := duration().Seconds()
	t.Logf("%-36s %7.0f µs, beside %7.0f µs: %.2f%s; %.0f/s and %.0f/s",
		name, cost[0], cost[1], cost[0]/cost[1], verdict, float64(calls[0])/seconds, float64(calls[1])/seconds)
}

// warmUp is the number of batches of 500 writes that a server receives before the measurement. After them its tables
// and its heap no longer grow.
const warmUp = 100

// warm sends a server the batches of warmUp and waits until their background work has ended.
func warm(t *testing.T, batches costLoad) {
	t.Helper()
	do := batches.begin()
	for range warmUp {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	before := batches.server.ticks(t)
	for range 60 {
		time.Sleep(time.Second)
		now := batches.server.ticks(t)
		if now-before <= 1 {
			return
		}
		before = now
	}
	t.Fatal("the server is still working a minute after the warm-up")
}

// run runs workers that repeat a load for a period. It returns the number of calls and the server's processor time.
func (l costLoad) run(t *testing.T, workers int, d time.Duration) (calls, ticks int) {
	t.Helper()
	return l.repeat(t, l.connect(t, workers), d)
}

// connect returns the calls of n workers. Each has made one call, which connects it and warms it up.
func (l costLoad) connect(t *testing.T, n int) []func() error {
	t.Helper()
	dos := make([]func() error, n)
	for i := range dos {
		dos[i] = l.begin()
		if err := dos[i](); err != nil {
			t.Fatal(err)
		}
	}
	return dos
}

// repeat repeats the workers' calls for a period. It returns the number of calls and the server's processor time.
func (l costLoad) repeat(t *testing.T, dos []func() error, d time.Duration) (calls, ticks int) {
	t.Helper()
	var done atomic.Int64
	before, began := l.server.ticks(t), time.Now()
	var wg sync.WaitGroup
	for _, do := range dos {
		wg.Go(func() {
			for time.Since(began) < d {
				if err := do(); err != nil {
					t.Error(err)
					return
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	return int(done.Load()), l.server.ticks(t) - before
}

// fresh numbers the new documents.
var fresh atomic.Int64

// costWrite returns a write that creates a new document.
func costWrite() *pb.Write {
	i := int(fresh.Add(1))
	fields := map[string]*pb.Value{
		"title": text(fmt.Sprintf("Concert number %d", i)), "city": text(fmt.Sprintf("city%d", i%50)), "kind": text("concert"),
		"price": {ValueType: &pb.Value_IntegerValue{IntegerValue: int64(i % 1000)}}, "rating": {ValueType: &pb.Value_DoubleValue{DoubleValue: float64(i%50) / 10}},
		"open": {ValueType: &pb.Value_BooleanValue{BooleanValue: true}},
		"tags": {ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: []*pb.Value{text("music")}}}},
	}
	return &pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{Name: fmt.Sprintf("%s/made/e%09d", costDocuments, i), Fields: fields}},
		CurrentDocument: &pb.Precondition{ConditionType: &pb.Precondition_Exists{Exists: false}}}
}

// text returns a string value.
func text(s string) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_StringValue{StringValue: s}}
}

// kept is the name of the document that is read.
const kept = costDocuments + "/kept/one"

// createCall creates a document.
func createCall(ctx context.Context, c pb.FirestoreClient) error {
	_, err := c.Commit(ctx, &pb.CommitRequest{Database: costDatabase, Writes: []*pb.Write{costWrite()}})
	return err
}

// getCall reads a document as the SDKs do.
func getCall(ctx context.Context, c pb.FirestoreClient) error {
	ss, err := c.BatchGetDocuments(ctx, &pb.BatchGetDocumentsRequest{Database: costDatabase, Documents: []string{kept}})
	if err != nil {
		return err
	}
	r, err := ss.Recv()
	if err != nil || r.GetFound() == nil {
		return fmt.Errorf("%v: %w", r, err)
	}
	_, err = ss.Recv()
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// batchCall creates 500 documents.
func batchCall(ctx context.Context, c pb.FirestoreClient) error {
	r := &pb.CommitRequest{Database: costDatabase}
	for range 500 {
		r.Writes = append(r.Writes, costWrite())
	}
	_, err := c.Commit(ctx, r)
	return err
}

// dialCost connects to the server, over TLS if there is a configuration, and creates the document that is read if it is
// missing.
func (s *server) dialCost(t *testing.T, config *tls.Config) pb.FirestoreClient {
	t.Helper()
	options := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithPerRPCCredentials(s.authorization())}
	if config != nil {
		options = []grpc.DialOption{grpc.WithTransportCredentials(credentials.NewTLS(config))}
	}
	conn, err := grpc.NewClient(s.address, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	c := pb.NewFirestoreClient(conn)
	w := costWrite()
	w.CurrentDocument, w.GetUpdate().Name = nil, kept
	if _, err := c.Commit(t.Context(), &pb.CommitRequest{Database: costDatabase, Writes: []*pb.Write{w}}); err != nil {
		t.Fatal(err)
	}
	return c
}

// grpcCall is a call over gRPC.
type grpcCall func(context.Context, pb.FirestoreClient) error

// grpc returns a load that repeats a call over gRPC.
func (s *server) grpc(t *testing.T, config *tls.Config, call grpcCall) costLoad {
	t.Helper()
	c := s.dialCost(t, config)
	return costLoad{s, func() func() error { return func() error { return call(t.Context(), c) } }}
}

// grpcStream returns a load in which each worker repeats a write on a Write stream. The streams share one connection
// or, as clients of different users do, have one each.
func (s *server) grpcStream(t *testing.T, config *tls.Config, own bool) costLoad {
	t.Helper()
	shared := s.dialCost(t, config)
	return costLoad{s, func() func() error {
		c := shared
		if own {
			c = s.dialCost(t, config)
		}
		ss, err := c.Write(t.Context())
		if err == nil {
			err = ss.Send(&pb.WriteRequest{Database: costDatabase})
		}
		var hello *pb.WriteResponse
		if err == nil {
			hello, err = ss.Recv()
		}
		if err != nil {
			return func() error { return err }
		}
		token := hello.GetStreamToken()
		return func() error {
			if err := ss.Send(&pb.WriteRequest{StreamToken: token, Writes: []*pb.Write{costWrite()}}); err != nil {
				return err
			}
			r, err := ss.Recv()
			token = r.GetStreamToken()
			return err
		}
	}}
}

// startServe starts `clave serve` with TLS, a site, the index of costQuery, rules that allow everything and further
// flags.
func startServe(t *testing.T, flags ...string) (*server, cert.Files) {
	t.Helper()
	dir, address := t.TempDir(), freeAddress(t)
	c := cert.In(dir)
	cert.Write(t, c, cert.Options{})
	flags = append(flags, "--public-url", "https://"+address, "--tls-cert", c.Cert, "--tls-key", c.Key)
	return serve(t, address, "true", flags), c
}

// serve starts `clave serve` with a site, the index of costQuery, and rules that allow everything on a condition.
func serve(t *testing.T, address, condition string, flags []string) *server {
	t.Helper()
	dir := t.TempDir()
	rules := "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /{x=**} { allow read, write: if %s; } } }"
	files := map[string]string{
		"firebase.json":  `{"firestore": {"rules": "r.rules", "indexes": "i.json"}, "hosting": {"public": "site"}}`,
		"i.json":         `{"indexes": [` + definitions.Indexes[0].JSON() + `]}`,
		"r.rules":        fmt.Sprintf(rules, condition),
		"site/page.html": page(),
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	port := address[len("127.0.0.1:"):]
	arguments := append([]string{"serve", "--config", filepath.Join(dir, "firebase.json"), "--data", filepath.Join(dir, "data"),
		"--project", "bench", "--anonymous-writes", "0", "--port", port}, flags...)
	s := start(t, exec.Command(buildClave(t), arguments...), address)
	s.site = address
	return s
}

// page returns the page that is requested, of about 8 KiB.
func page() string {
	out := "<!doctype html><title>Bench</title>"
	for i := range 200 {
		out += fmt.Sprintf("<p>Line %d of a page with some words.</p>\n", i)
	}
	return out
}

// page returns a load that repeats requests for a page.
func (s *server) page(t *testing.T, config *tls.Config) costLoad {
	t.Helper()
	client := httpClient(t, config)
	return costLoad{s, func() func() error {
		return func() error {
			return fetch(t.Context(), client, http.MethodGet, "https://"+s.site+"/page.html", "", "")
		}
	}}
}

// httpClient returns a client that keeps its connections.
func httpClient(t *testing.T, config *tls.Config) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: config.Clone(), MaxIdleConnsPerHost: 100, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
