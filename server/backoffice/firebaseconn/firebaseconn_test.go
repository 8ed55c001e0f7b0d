package firebaseconn_test

import (
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"clave/server/backoffice/firebaseconn"
)

// answering returns a server that returns its name and the Host of the request.
func answering(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, name+" "+r.Host) })
}

// get reads a URL by a transport.
func get(t *testing.T, transport *http.Transport, url string) (string, error) {
	t.Helper()
	res, err := (&http.Client{Transport: transport}).Get(url)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return string(text), err
}

func TestRoute(t *testing.T) {
	t.Setenv("FIREBASE_AUTH_EMULATOR_HOST", "")
	plain := httptest.NewServer(answering("clave"))
	t.Cleanup(plain.Close)
	secure := httptest.NewTLSServer(answering("clave"))
	t.Cleanup(secure.Close)
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	for name, o := range map[string]firebaseconn.Options{"http to this machine": {URL: plain.URL}, "https": {URL: secure.URL, RootCAs: roots}} {
		o.Transport = &http.Transport{}
		restore, err := firebaseconn.Route(o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := get(t, o.Transport, "https://www.googleapis.com/robot/v1/metadata/x509/x")
		if err != nil || got != "clave www.googleapis.com" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		restore()
		if o.Transport.DialTLSContext != nil {
			t.Errorf("%s: the transport is not as it was", name)
		}
	}
	o := firebaseconn.Options{URL: secure.URL, Transport: &http.Transport{}}
	if _, err := firebaseconn.Route(o); err != nil {
		t.Fatal(err)
	}
	if got, err := get(t, o.Transport, "https://www.googleapis.com/x"); err == nil {
		t.Errorf("a server with an untrusted certificate was accepted: %q", got)
	}
	if got, err := get(t, o.Transport, secure.URL); err == nil {
		t.Errorf("another host's certificate is not checked: %q", got)
	}
}

func TestRouteRefuses(t *testing.T) {
	t.Setenv("FIREBASE_AUTH_EMULATOR_HOST", "")
	for _, url := range []string{"", "data.example.org", "ftp://x", "http://data.example.org", "http://10.0.0.1"} {
		if _, err := firebaseconn.Route(firebaseconn.Options{URL: url, Transport: &http.Transport{}}); err == nil {
			t.Errorf("Route(%q) was not refused", url)
		}
	}
	t.Setenv("FIREBASE_AUTH_EMULATOR_HOST", "127.0.0.1:9099")
	if _, err := firebaseconn.Route(firebaseconn.Options{URL: "https://data.example.org", Transport: &http.Transport{}}); err == nil {
		t.Error("Route runs although the SDK accepts unsigned tokens")
	}
}
