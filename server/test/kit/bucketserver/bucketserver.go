// Package bucketserver runs servers of S3 for tests, whose answers can be replaced.
package bucketserver

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"clave/server/internal/base/clock"
	"clave/server/test/kit/program"
)

// The bucket of each server, and the credentials that it expects.
const (
	Bucket    = "backups"
	AccessKey = "AKIAIOSFODNN7EXAMPLE"
	SecretKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
)

// Server is a server with one bucket.
type Server struct {
	// URL is its endpoint.
	URL string
	// intercept, if it is set, answers a request and returns true, or returns false.
	intercept atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool]
}

// SetCredentials sets the environment variables of the credentials for the test and the programs that it starts.
func SetCredentials(t testing.TB) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", SecretKey)
}

// Intercept lets a function answer requests; those for which it returns false are served. A nil function ends that.
func (s *Server) Intercept(answer func(w http.ResponseWriter, r *http.Request) bool) {
	if answer == nil {
		s.intercept.Store(nil)
		return
	}
	s.intercept.Store(&answer)
}

// Refuse answers a request as S3 does for an error.
func Refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>%s</Code><Message>refused</Message></Error>`, code)
}

// serve serves a handler until the test ends.
func serve(t testing.TB, h http.Handler) *Server {
	s := &Server{}
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer := s.intercept.Load(); answer != nil && (*answer)(w, r) {
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(at.Close)
	s.URL = at.URL
	return s
}

// Memory runs gofakes3 in this process. It accepts all credentials.
func Memory(t testing.TB) *Server {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket(Bucket); err != nil {
		t.Fatal(err)
	}
	return serve(t, gofakes3.New(backend).Server())
}

// versity is the name of the program that `make bin/versitygw` builds.
const versity = "versitygw"

// Versity runs the program versitygw behind a proxy, and skips the test if the program is neither in the folder bin of
// the repository nor in the path. It compares credentials.
func Versity(t testing.TB) *Server {
	t.Helper()
	path := versityPath(t)
	if path == "" {
		t.Skip("the program versitygw is absent; make bin/versitygw builds it")
	}
	dir, address := t.TempDir(), fmt.Sprintf("127.0.0.1:%d", program.FreePorts(t, 1)[0])
	if err := os.Mkdir(filepath.Join(dir, Bucket), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "--quiet", "--port", address, "--access", AccessKey, "--secret", SecretKey, "posix", "--sidecar", t.TempDir(), dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // It may have ended.
		_ = cmd.Wait()
	})
	for end := clock.System().Now().Add(30 * time.Second); ; {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
			break
		}
		if clock.System().Now().After(end) {
			t.Fatalf("versitygw does not listen: %v", err)
		}
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: address})
			r.Out.Host = r.In.Host // It is signed.
		},
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	return serve(t, proxy)
}

// versityPath returns the path of versitygw, or "" if it is absent.
func versityPath(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			if path := filepath.Join(dir, "bin", versity); exec.Command(path, "--version").Run() == nil {
				return path
			}
		}
	}
	path, err := exec.LookPath(versity)
	if err != nil {
		return ""
	}
	return path
}
