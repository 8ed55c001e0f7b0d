package keyset

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"clave/server/internal/base/fault"
)

// set returns the text of a JWK set.
func set(t *testing.T, keys ...jose.JSONWebKey) string {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestKeys reads keys, reads them again after a change, and keeps them when they can't be read.
func TestKeys(t *testing.T) {
	first, second, small := newRSA(t, 2048), newRSA(t, 2048), newRSA(t, 1024)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var text atomic.Pointer[string]
	publish := func(s string) { text.Store(&s) }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch s := *text.Load(); s {
		case "redirect":
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		case "broken":
			http.Error(w, "no", http.StatusInternalServerError)
		default:
			_, _ = w.Write([]byte(s))
		}
	}))
	defer server.Close()
	k := New(Options{URL: server.URL})
	if key, err := k.Key("a"); key != nil || !fault.Is(err, fault.Unavailable) {
		t.Errorf("before the keys are read: %v, %v", key, err)
	}
	good := jose.JSONWebKey{Key: &first.PublicKey, KeyID: "a", Algorithm: "RS256", Use: "sig"}
	publish(set(t, good, jose.JSONWebKey{Key: &second.PublicKey, KeyID: "enc", Use: "enc"}, jose.JSONWebKey{Key: &small.PublicKey, KeyID: "small"},
		jose.JSONWebKey{Key: &curve.PublicKey, KeyID: "curve"}, jose.JSONWebKey{Key: &second.PublicKey}, jose.JSONWebKey{Key: &second.PublicKey, KeyID: "other", Algorithm: "PS256"}))
	if err := k.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	if shown := k.Set(); len(shown) != 1 || shown[0].Kid != "a" {
		t.Errorf("the keys are %+v, want a only", shown)
	}
	for _, bad := range []string{"redirect", "broken", "<html>", "{}", set(t, jose.JSONWebKey{Key: &curve.PublicKey, KeyID: "curve"}), strings.Repeat(" ", maxSet) + set(t, good)} {
		publish(bad)
		if err := k.Read(t.Context()); err == nil {
			t.Errorf("the answer %.20q was accepted", bad)
		}
	}
	if key, err := k.Key("a"); err != nil || !key.Equal(&first.PublicKey) {
		t.Errorf("the key after failures: %v, %v", key, err)
	}
	publish(set(t, jose.JSONWebKey{Key: &second.PublicKey, KeyID: "b"}))
	for range 3 { // an unknown key asks for one reading
		if key, err := k.Key("b"); key != nil || err != nil {
			t.Errorf("a key that is not read yet: %v, %v", key, err)
		}
	}
	if len(k.wanted) != 1 {
		t.Errorf("%d readings are wanted, want 1", len(k.wanted))
	}
	if err := k.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	if key, err := k.Key("b"); err != nil || !key.Equal(&second.PublicKey) {
		t.Errorf("the new key: %v, %v", key, err)
	}
	if key, err := k.Key("a"); key != nil || err != nil {
		t.Errorf("the withdrawn key: %v, %v", key, err)
	}
}

// newRSA returns a key.
func newRSA(t *testing.T, bits int) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestValidURL checks addresses.
func TestValidURL(t *testing.T) {
	for address, want := range map[string]bool{
		"https://firebaseappcheck.googleapis.com/v1/jwks": true, "http://127.0.0.1:80/jwks": true,
		"http://example.org/jwks": false, "file:///etc/passwd": false, "jwks": false, "": false,
	} {
		if got := ValidURL(address); got != want {
			t.Errorf("ValidURL(%q) = %v", address, got)
		}
	}
}
