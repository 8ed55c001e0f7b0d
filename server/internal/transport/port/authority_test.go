package port_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// authority is a certificate authority that implements enough of ACME (RFC 8555) for one name. It validates the name by
// TLS-ALPN-01 (RFC 8737) and does not verify the signatures of requests.
type authority struct {
	t      *testing.T
	server *httptest.Server
	key    *ecdsa.PrivateKey
	cert   *x509.Certificate
	roots  *x509.CertPool
	// visits is the address at which the name is served.
	visits string
	orders atomic.Int32
	seen   atomic.Bool
	// chain is the latest certificate.
	chain atomic.Pointer[[]byte]
}

// newAuthority starts an authority.
func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, roots: x509.NewCertPool()}
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.roots.AddCert(a.cert)
	mux := http.NewServeMux()
	mux.HandleFunc("/directory", func(w http.ResponseWriter, _ *http.Request) {
		a.answer(w, 200, "", map[string]any{"newNonce": a.at("nonce"), "newAccount": a.at("account"), "newOrder": a.at("order/new"), "revokeCert": a.at("revoke"), "keyChange": a.at("change")})
	})
	mux.HandleFunc("/nonce", func(w http.ResponseWriter, _ *http.Request) { a.answer(w, 200, "", nil) })
	mux.HandleFunc("/account", func(w http.ResponseWriter, _ *http.Request) {
		a.answer(w, 201, a.at("account/1"), map[string]any{"status": "valid"})
	})
	mux.HandleFunc("/order/new", func(w http.ResponseWriter, _ *http.Request) {
		a.orders.Add(1)
		a.answer(w, 201, a.at("order/1"), a.order())
	})
	mux.HandleFunc("/order/1", func(w http.ResponseWriter, _ *http.Request) { a.answer(w, 200, a.at("order/1"), a.order()) })
	mux.HandleFunc("/authorization", func(w http.ResponseWriter, _ *http.Request) { a.answer(w, 200, "", a.authorization()) })
	mux.HandleFunc("/challenge", func(w http.ResponseWriter, _ *http.Request) {
		a.seen.Store(a.visit())
		a.answer(w, 200, "", a.challenge())
	})
	mux.HandleFunc("/finalize", func(w http.ResponseWriter, r *http.Request) {
		a.sign(r)
		a.answer(w, 200, a.at("order/1"), a.order())
	})
	mux.HandleFunc("/certificate", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(*a.chain.Load()) })
	a.server = httptest.NewServer(mux)
	t.Cleanup(a.server.Close)
	return a
}

// url returns the URL of the authority's directory.
func (a *authority) url() string { return a.at("directory") }

// at returns the address of a resource.
func (a *authority) at(path string) string { return a.server.URL + "/" + path }

// answer sends a resource with a fresh nonce.
func (a *authority) answer(w http.ResponseWriter, status int, location string, body any) {
	w.Header().Set("Replay-Nonce", rand.Text())
	if location != "" {
		w.Header().Set("Location", location)
	}
	w.WriteHeader(status)
	if body != nil {
		_ = json.NewEncoder(w).Encode(body)
	}
}

// order returns the state of the only order.
func (a *authority) order() map[string]any {
	o := map[string]any{
		"status": "pending", "identifiers": []any{map[string]any{"type": "dns", "value": "data.example.org"}},
		"authorizations": []string{a.at("authorization")}, "finalize": a.at("finalize"),
	}
	if a.seen.Load() {
		o["status"] = "ready"
	}
	if a.chain.Load() != nil {
		o["status"], o["certificate"] = "valid", a.at("certificate")
	}
	return o
}

// authorization returns the state of the authorization for the name.
func (a *authority) authorization() map[string]any {
	z := map[string]any{"status": "pending", "identifier": map[string]any{"type": "dns", "value": "data.example.org"}, "challenges": []any{a.challenge()}}
	if a.seen.Load() {
		z["status"] = "valid"
	}
	return z
}

// challenge returns the challenge that the client must complete.
func (a *authority) challenge() map[string]any {
	c := map[string]any{"type": "tls-alpn-01", "url": a.at("challenge"), "token": "a-token", "status": "pending"}
	if a.seen.Load() {
		c["status"] = "valid"
	}
	return c
}

// visit connects to the name and reports whether the server presents the challenge's certificate.
func (a *authority) visit() bool {
	conn, err := tls.Dial("tcp", a.visits, &tls.Config{ServerName: "data.example.org", NextProtos: []string{"acme-tls/1"}, InsecureSkipVerify: true})
	if err != nil {
		a.t.Errorf("the authority's visit: %v", err)
		return false
	}
	defer conn.Close()
	state := conn.ConnectionState()
	if state.NegotiatedProtocol != "acme-tls/1" {
		return false
	}
	for _, e := range state.PeerCertificates[0].Extensions {
		if fmt.Sprint(e.Id) == "1.3.6.1.5.5.7.1.31" { // id-pe-acmeIdentifier
			return true
		}
	}
	return false
}

// sign issues the certificate for a request.
func (a *authority) sign(r *http.Request) {
	var envelope struct{ Payload string }
	var request struct{ CSR string }
	if err := json.NewDecoder(r.Body).Decode(&envelope); err != nil {
		a.t.Error(err)
	}
	payload, err := base64.RawURLEncoding.DecodeString(envelope.Payload)
	if err != nil {
		a.t.Error(err)
	}
	if err := json.Unmarshal(payload, &request); err != nil {
		a.t.Error(err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(request.CSR)
	if err != nil {
		a.t.Error(err)
	}
	csr, err := x509.ParseCertificateRequest(raw)
	if err != nil {
		a.t.Error(err)
		return
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: csr.DNSNames, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(0, 3, 0),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, csr.PublicKey, a.key)
	if err != nil {
		a.t.Error(err)
		return
	}
	chain := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})...)
	a.chain.Store(&chain)
}
