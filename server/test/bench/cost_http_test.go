package bench_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/encoding/protojson"

	"clave/server/test/kit/cert"
)

// fetch sends a request and reads the whole response, which must succeed. An empty authorization sends none.
func fetch(ctx context.Context, c *http.Client, method, address string, as authorization, body string) error {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if as != "" {
		r.Header.Set("Authorization", string(as))
	}
	res, err := c.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %d %s", method, address, res.StatusCode, text)
	}
	return err
}

// origin returns the server's origin, with TLS if there is a configuration.
func (s *server) origin(config *tls.Config) string {
	if config != nil {
		return "https://" + s.address
	}
	return "http://" + s.address
}

// rest returns a load that repeats a request over REST.
func (s *server) rest(t *testing.T, config *tls.Config, request func() (path, body string)) costLoad {
	t.Helper()
	s.dialCost(t, config)
	client := httpClient(t, config)
	as := s.authorization()
	if config != nil {
		as = ""
	}
	return costLoad{s, func() func() error {
		return func() error {
			path, body := request()
			return fetch(t.Context(), client, http.MethodPost, s.origin(config)+"/v1/"+path, as, body)
		}
	}}
}

// restCreate returns the commit of createCall over REST.
func restCreate() (path, body string) {
	text, err := protojson.Marshal(costWrite())
	if err != nil {
		panic(err)
	}
	return costDocuments + ":commit", fmt.Sprintf(`{"writes":[%s]}`, text)
}

// restGet returns the read of getCall over REST.
func restGet() (path, body string) {
	return costDocuments + ":batchGet", fmt.Sprintf(`{"documents":[%q]}`, kept)
}

// startBareTLS starts the bare server with TLS: gRPC over gRPC's own transport, and a folder with a page and WebChannel
// over Go's HTTP server.
func startBareTLS(t *testing.T, c cert.Files) *server {
	t.Helper()
	address := freeAddress(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "page.html"), []byte(page()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestServeBareTLS$")
	cmd.Env = append(os.Environ(), "CLAVE_BENCH_BARE_TLS="+address, "CLAVE_BENCH_BARE_DIR="+dir, "CLAVE_BENCH_CERT="+c.Cert, "CLAVE_BENCH_KEY="+c.Key)
	s := start(t, cmd, address)
	s.site = nextAddress(address)
	return s
}

// TestServeBareTLS is the process of startBareTLS.
func TestServeBareTLS(t *testing.T) {
	address := os.Getenv("CLAVE_BENCH_BARE_TLS")
	if address == "" {
		t.Skip("CLAVE_BENCH_BARE_TLS is not set")
	}
	pair, err := tls.LoadX509KeyPair(os.Getenv("CLAVE_BENCH_CERT"), os.Getenv("CLAVE_BENCH_KEY"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := net.Listen("tcp", nextAddress(address))
	if err != nil {
		t.Fatal(err)
	}
	routes := http.NewServeMux()
	routes.Handle("/", http.FileServer(http.Dir(os.Getenv("CLAVE_BENCH_BARE_DIR"))))
	routes.Handle("/google.firestore.v1.Firestore/", &bareChannels{})
	site := &http.Server{Handler: routes, ReadHeaderTimeout: time.Minute}
	go func() { _ = site.ServeTLS(pages, os.Getenv("CLAVE_BENCH_CERT"), os.Getenv("CLAVE_BENCH_KEY")) }()
	s := grpc.NewServer(grpc.NumStreamWorkers(128), grpc.Creds(credentials.NewServerTLSFromCert(&pair)))
	pb.RegisterFirestoreServer(s, newBare())
	if err := s.Serve(l); err != nil {
		t.Fatal(err)
	}
}

// nextAddress returns an address with the following port.
func nextAddress(address string) string {
	host, port, _ := net.SplitHostPort(address)
	n, _ := strconv.Atoi(port)
	return net.JoinHostPort(host, strconv.Itoa(n+1))
}
