package port_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/transport/port"
	"clave/server/test/kit/cert"
)

// begun is the initial time of the tests' clocks.
var begun = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// writePair writes a certificate of a name and its key. It is valid at the time of the tests' clocks and now.
func writePair(t *testing.T, certFile, keyFile, name string) {
	t.Helper()
	const years = 50 * 365 * 24 * time.Hour
	cert.Write(t, cert.Files{Cert: certFile, Key: keyFile}, cert.Options{Names: []string{name}, From: begun, Life: years})
}

// shown returns the name in the certificate that a new connection receives.
func shown(t *testing.T, settings *tls.Config) string {
	t.Helper()
	pair, err := settings.GetCertificate(&tls.ClientHelloInfo{})
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return certificate.Subject.CommonName
}

func TestRenewedCertificateFilesAreShown(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writePair(t, certFile, keyFile, "first.example")
	manual := clocktest.NewManual(begun)
	var log bytes.Buffer
	settings, err := port.TLS(port.CertificateOptions{CertFile: certFile, KeyFile: keyFile, Clock: manual, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if got := shown(t, settings); got != "first.example" {
		t.Errorf("shown %q, want the first certificate", got)
	}
	if err := os.WriteFile(certFile, []byte("half a fi"), 0o600); err != nil {
		t.Fatal(err)
	}
	manual.Advance(time.Minute)
	if got := shown(t, settings); got != "first.example" || log.Len() == 0 {
		t.Errorf("with a broken file %q is shown and %q logged, want the old one and an error", got, &log)
	}
	writePair(t, certFile, keyFile, "second.example")
	manual.Advance(time.Minute)
	if got := shown(t, settings); got != "second.example" {
		t.Errorf("shown %q, want the renewed certificate without a restart", got)
	}
}

func TestBrokenCertificateFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.pem"), filepath.Join(dir, "b.pem")
	writePair(t, a, b, "a.example")
	for _, files := range [][2]string{{a, a}, {b, b}, {a, filepath.Join(dir, "nowhere.pem")}} {
		if _, err := port.TLS(port.CertificateOptions{CertFile: files[0], KeyFile: files[1]}); err == nil {
			t.Errorf("TLS(%v) works, want an error", files)
		}
	}
}

func TestPlainHTTPIsRedirectedToHTTPS(t *testing.T) {
	tests := []struct {
		name, method, url string
		port, status      int
		location          string
	}{
		{"a page", "GET", "http://a.example/historia?x=1", 443, 301, "https://a.example/historia?x=1"},
		{"a port in the host", "GET", "http://a.example:8000/", 443, 301, "https://a.example/"},
		{"https at another port", "HEAD", "http://a.example:8000/", 8443, 301, "https://a.example:8443/"},
		{"what must not go in the clear", "POST", "http://a.example/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword", 443, 403, ""},
	}
	for _, tt := range tests {
		w := httptest.NewRecorder()
		port.ToHTTPS(tt.port).ServeHTTP(w, httptest.NewRequest(tt.method, tt.url, nil))
		if w.Code != tt.status || w.Header().Get("Location") != tt.location {
			t.Errorf("%s: %d %q, want %d %q", tt.name, w.Code, w.Header().Get("Location"), tt.status, tt.location)
		}
	}
}

func TestAFailingCertificateAuthorityIsLogged(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	var log bytes.Buffer
	settings, err := port.TLS(port.CertificateOptions{
		Domains: []string{"data.example.org"}, Directory: gone.URL, Cache: t.TempDir(), Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := settings.GetCertificate(&tls.ClientHelloInfo{ServerName: "attacker.example.org"}); err == nil || log.Len() > 0 {
		t.Errorf("an unknown name: %v and %q logged, want an error and silence", err, &log)
	}
	if _, err := settings.GetCertificate(&tls.ClientHelloInfo{ServerName: "data.example.org"}); err == nil || !strings.Contains(log.String(), "data.example.org") {
		t.Errorf("our name: %v and %q logged, want an error and an error that names it", err, &log)
	}
}

func TestCertificatesOfAnAuthority(t *testing.T) {
	ca := newAuthority(t)
	cache := t.TempDir()
	options := port.CertificateOptions{Domains: []string{"data.example.org"}, Directory: ca.url(), Cache: cache, Email: "it@example.org"}
	settings, err := port.TLS(options)
	if err != nil {
		t.Fatal(err)
	}
	ln := listener(t)
	ca.visits = ln.Addr().String()
	run(t, port.Options{Listener: ln, TLS: settings, Handlers: port.Handlers{REST: answers("rest")}})
	connect := func(name string) (*tls.ConnectionState, error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: ca.roots, ServerName: name}}}
		defer client.CloseIdleConnections()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+ln.Addr().String()+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(r)
		if err != nil {
			return nil, err
		}
		resp.Body.Close()
		return resp.TLS, nil
	}
	if _, err := connect("data.example.org"); err != nil {
		t.Fatalf("a visit: %v, want a certificate of the authority", err)
	}
	if _, err := connect("other.example.org"); err == nil {
		t.Error("a name that was not given got a certificate")
	}
	orders := ca.orders.Load()
	if orders == 0 {
		t.Fatal("the authority received no request")
	}
	again, err := port.TLS(options) // as after a restart
	if err != nil {
		t.Fatal(err)
	}
	hello := &tls.ClientHelloInfo{
		ServerName: "data.example.org", SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256},
		SupportedCurves: []tls.CurveID{tls.CurveP256}, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
	}
	if _, err := again.GetCertificate(hello); err != nil || ca.orders.Load() != orders {
		t.Errorf("after a restart: %v and %d orders, want the kept certificate and %d orders", err, ca.orders.Load(), orders)
	}
	files, err := os.ReadDir(cache)
	if err != nil || len(files) == 0 {
		t.Fatalf("the cache holds %v, %v", files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v, want a file that only its owner reads", f.Name(), info.Mode(), err)
		}
	}
}
