package console_test

import (
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"testing"

	"clave/server/internal/app/config"
	"clave/server/test/kit/cert"
)

// TestConsoleUsesTLSBeyondLoopback opens a session over TLS. Its cookie must be sent only with TLS and not be shared
// with other ports.
func TestConsoleUsesTLSBeyondLoopback(t *testing.T) {
	files := cert.In(t.TempDir())
	cert.Write(t, files, cert.Options{Names: []string{"console.example"}})
	s := start(t, config.ModeServe, "--console", "0.0.0.0:0", "--tls-cert", files.Cert, "--tls-key", files.Key)
	link := s.app.ConsoleURL()
	_, port, err := net.SplitHostPort(s.app.Console)
	if err != nil {
		t.Fatal(err)
	}
	origin, at, ok := strings.Cut(link, "/?")
	if !ok || origin != "https://console.example:"+port {
		t.Fatalf("the link is %s, want one to https://console.example:%s", link, port)
	}
	client := &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}, //nolint:gosec // the certificate is the test's own
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	get := func(path string, header ...string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", "https://127.0.0.1:"+port+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "console.example:" + port
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil {
			t.Fatal(err)
		}
		return res
	}
	opened := get("/?" + at)
	if opened.StatusCode != http.StatusSeeOther || len(opened.Cookies()) != 1 {
		t.Fatalf("the link over TLS: %d %v", opened.StatusCode, opened.Cookies())
	}
	c := opened.Cookies()[0]
	if !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || !strings.HasPrefix(c.Name, "__Host-") {
		t.Errorf("the session's cookie over TLS is %v", c)
	}
	cookie := c.Name + "=" + c.Value
	for origin, want := range map[string]int{"https://console.example:" + port: 200, "http://console.example:" + port: 403, "https://evil.example": 403} {
		if got := get("/api/session", "Cookie", cookie, "Origin", origin).StatusCode; got != want {
			t.Errorf("a request of a page of %s: %d, want %d", origin, got, want)
		}
	}
	if got := get("/api/session").StatusCode; got != http.StatusUnauthorized {
		t.Errorf("without the cookie: %d, want 401", got)
	}
	if got := get("/api/session", "Cookie", strings.TrimPrefix(cookie, "__Host-")).StatusCode; got != http.StatusUnauthorized {
		t.Errorf("the cookie under the name that it has without TLS: %d, want 401", got)
	}
	// A request without TLS has no session, whatever its headers.
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://127.0.0.1:"+port+"/api/session", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", cookie)
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		defer res.Body.Close()
		if res.StatusCode == http.StatusOK {
			t.Errorf("a plain request: %d", res.StatusCode)
		}
	}
}
