package production

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/test/e2e/harness"
)

// TestServeDeliversEvents receives an event of `clave serve`, verifies its token by discovery, and runs clave events on
// the data folder while the server runs and after it has stopped.
func TestServeDeliversEvents(t *testing.T) {
	harness.Alone(t, "the state of the deliveries is read from the data folder of a server that was stopped")
	got := make(chan *http.Request, 10)
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r }))
	defer service.Close()
	dir := harness.ProductionFolder(t)
	harness.WriteFile(t, filepath.Join(dir, "firestore.rules"), strings.ReplaceAll(harness.ProductionRules, "allow read; }", "allow read, write; }"))
	harness.WriteFile(t, filepath.Join(dir, "events.json"), `{"triggers": [{"name": "open", "event": "created", "document": "open/{id}", "url": "`+service.URL+`/hook", "oidc": {}}]}`)
	p := harness.Serve(t, dir, false, "--events", "events.json")
	commit := `{"writes": [{"update": {"name": "projects/` + harness.RealProject + `/databases/(default)/documents/open/x", "fields": {}}}]}`
	res, err := p.Client.Post(p.URL+"/v1/projects/"+harness.RealProject+"/databases/(default)/documents:commit", "application/json", strings.NewReader(commit))
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("commit: %v %v", res, err)
	}
	_ = res.Body.Close()
	var event *http.Request
	select {
	case event = <-got:
	case <-time.After(harness.WaitLimit):
		t.Fatal("no event has come")
	}
	if document := event.Header.Get("Ce-Document"); document != "open/x" {
		t.Errorf("the event is of %s", document)
	}
	claims := verifyByDiscovery(t, p, strings.TrimPrefix(event.Header.Get("Authorization"), "Bearer "))
	if claims["aud"] != service.URL+"/hook" || claims["email"] != "events@"+harness.RealProject+".iam.gserviceaccount.com" {
		t.Errorf("the token has the claims %v", claims)
	}
	status := func() string {
		out, err := harness.Command(t, dir, "events", "status").CombinedOutput()
		if err != nil {
			t.Errorf("clave events status: %v %s", err, out)
		}
		return string(out)
	}
	if text := status(); !strings.Contains(text, "open") || !strings.Contains(text, service.URL+"/hook") {
		t.Errorf("clave events status beside the server: %s", text)
	}
	p.Stop(t)
	if text := status(); !strings.Contains(text, "open") || strings.Contains(text, service.URL) {
		t.Errorf("clave events status on the folder: %s", text)
	}
	if out, err := harness.Command(t, dir, "events", "retry").CombinedOutput(); err != nil || string(out) != "0 events will be retried.\n" {
		t.Errorf("clave events retry: %v %s", err, out)
	}
}

// verifyByDiscovery verifies a token as a service does that has only the issuer's URL, and returns the claims.
func verifyByDiscovery(t *testing.T, p *harness.Production, raw string) map[string]any {
	t.Helper()
	parts := strings.Split(raw, ".")
	if len(parts) != 3 {
		t.Fatalf("no token: %q", raw)
	}
	decode := func(part string, into any) {
		t.Helper()
		text, err := base64.RawURLEncoding.DecodeString(part)
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	get := func(url string, into any) {
		t.Helper()
		res, err := p.Client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		if err := json.NewDecoder(res.Body).Decode(into); err != nil {
			t.Fatalf("GET %s: %v", url, err)
		}
	}
	var header struct{ Kid string }
	claims := make(map[string]any)
	decode(parts[0], &header)
	decode(parts[1], &claims)
	issuer, _ := claims["iss"].(string)
	var discovery struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	get(issuer+"/.well-known/openid-configuration", &discovery)
	if discovery.Issuer != issuer {
		t.Errorf("discovery's issuer is %q, the token %q", discovery.Issuer, issuer)
	}
	var set struct {
		Keys []struct{ Kid, N, E string }
	}
	get(discovery.Keys, &set)
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	for _, key := range set.Keys {
		n, err := base64.RawURLEncoding.DecodeString(key.N)
		if key.Kid != header.Kid || err != nil {
			continue
		}
		public := &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: 65537}
		if err := rsa.VerifyPKCS1v15(public, crypto.SHA256, digest[:], signature); err != nil {
			t.Errorf("the token's signature: %v", err)
		}
		return claims
	}
	t.Fatalf("no key %s among %v", header.Kid, set.Keys)
	return nil
}
