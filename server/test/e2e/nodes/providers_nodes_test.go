package nodes

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/auth/secret/secrettest"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/openid"
	"clave/server/test/kit/wait"

	"clave/server/test/e2e/harness"
)

// TestSignInsAtNodes signs in at a provider of OpenID Connect at three nodes: begun at one, with the provider's
// response at the page of another, and finished at a third. The configuration was stored at a follower. What one node
// has accepted once, no other accepts again, and a sign-in outlives the leader.
func TestSignInsAtNodes(t *testing.T) {
	store, issuer := pgtest.New(t).Database(), openid.New(t)
	keys := filepath.Join(t.TempDir(), "secret.keys")
	harness.WriteFile(t, keys, secrettest.Line("key")+"\n")
	port := harness.FreePorts(t, 1)[0]
	origin := fmt.Sprintf("http://127.0.0.1:%d", port)
	var nodes signInNodes
	for i, ready := range []string{"Clave ready", "Follower: ", "Follower: "} {
		flags := []string{"--secret-key-file", keys, "--public-url", origin}
		if i == 0 {
			flags = append(flags, "--port", fmt.Sprint(port)) // the key's tokens come from the first
		}
		n := newServingNodeWith(t, store, rulesFor("own"), flags...)
		if i == 0 {
			n.URL = origin
		}
		n.await(ready)
		nodes = append(nodes, n)
	}
	t.Setenv("CLAVE_STORE", store)
	dir := t.TempDir()
	harness.CreateKeyFor(t, dir, "backend", origin)
	token, err := harness.Command(t, dir, "credentials", "token", "backend.json").Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range []string{"oidc.acme", "oidc.other"} { // at the followers
		code, answer := nodes[i+1].Request(t, http.MethodPost, harness.ToolkitPath("v2/projects/"+harness.RealProject+"/oauthIdpConfigs?oauthIdpConfigId="+id), "Bearer "+strings.TrimSpace(string(token)), harness.Object{
			"enabled": true, "clientId": issuer.ClientID, "clientSecret": issuer.ClientSecret, "issuer": issuer.URL, "responseType": harness.Object{"code": true},
		})
		if code != http.StatusOK {
			t.Fatalf("the configuration of %s: %d %v", id, code, answer)
		}
	}

	var user any
	for i := range nodes {
		session, response := nodes.begin(t, i, "oidc.acme")
		nodes.page(t, (i+1)%3, response)
		code, answer := nodes.finish(t, (i+2)%3, response, session)
		if code != http.StatusOK || answer["email"] != "ann@example.com" || user != nil && answer["localId"] != user {
			t.Fatalf("begun at node %d, finished at node %d: %d %v, want the user %v", i, (i+2)%3, code, answer, user)
		}
		user = answer["localId"]
		for at := range nodes {
			code, answer := nodes.finish(t, at, response, session)
			nodes.refuses(t, fmt.Sprintf("the response for the second time, at node %d", at), code, answer)
		}
	}
	session, _ := nodes.begin(t, 1, "oidc.acme")
	_, response := nodes.begin(t, 2, "oidc.acme")
	code, answer := nodes.finish(t, 0, response, session)
	nodes.refuses(t, "the response to the sign-in of another browser", code, answer)

	testConflictAtNodes(t, nodes, issuer)

	session, response = nodes.begin(t, 0, "oidc.acme")
	_ = nodes[0].Cmd.Process.Kill()
	wait.Until(t, "a follower leads, whichever it is", func() bool { return nodes.begins(t, 1) })
	if code, answer := nodes.finish(t, 1, response, session); code != http.StatusOK || answer["localId"] != user {
		t.Errorf("a sign-in begun at a leader that was killed: %d %v, want the user %v", code, answer, user)
	}
}

// testConflictAtNodes signs in with the address of an account: the pending token of one node is valid at another, once.
func testConflictAtNodes(t *testing.T, nodes signInNodes, issuer *openid.Server) {
	code, account := nodes[2].Request(t, http.MethodPost, harness.ToolkitPath("accounts:signUp?key=k"), "", harness.Object{"email": "bea@example.com", "password": "secreta1", "returnSecureToken": true})
	if code != http.StatusOK {
		t.Fatalf("signUp: %d %v", code, account)
	}
	issuer.User = func() map[string]any { return map[string]any{"sub": "u-2", "email": "bea@example.com"} }
	session, response := nodes.begin(t, 0, "oidc.other")
	code, answer := nodes.finish(t, 1, response, session)
	pending, _ := answer["pendingToken"].(string)
	if code != http.StatusOK || answer["needConfirmation"] != true || pending == "" {
		t.Fatalf("a sign-in with the address of an account: %d %v, want needConfirmation", code, answer)
	}
	link := harness.Object{"pendingToken": pending, "idToken": account["idToken"], "requestUri": "http://localhost", "returnSecureToken": true}
	code, answer = nodes[2].Request(t, http.MethodPost, harness.ToolkitPath("accounts:signInWithIdp?key=k"), "", link)
	if code != http.StatusOK || answer["localId"] != account["localId"] {
		t.Errorf("the pending token at another node: %d %v, want the user %v", code, answer, account["localId"])
	}
	for i, n := range nodes {
		if code, answer := n.Request(t, http.MethodPost, harness.ToolkitPath("accounts:signInWithIdp?key=k"), "", link); code != http.StatusBadRequest {
			t.Errorf("the pending token for the second time, at node %d: %d %v", i, code, answer)
		}
	}
	issuer.User = func() map[string]any {
		return map[string]any{"sub": "u-1", "email": "ann@example.com", "email_verified": true}
	}
}

// signInNodes are nodes at which users sign in at a provider.
type signInNodes []*servingNode

// handlerAddress is the address of the page to which the provider redirects, that of a balancer.
const handlerAddress = "http://localhost/__/auth/handler"

// begin begins a sign-in at a node, and returns its session and the provider's response.
func (nodes signInNodes) begin(t *testing.T, i int, provider string) (session string, response *url.URL) {
	t.Helper()
	code, begun := nodes[i].Request(t, http.MethodPost, harness.ToolkitPath("accounts:createAuthUri?key=k"), "", harness.Object{"providerId": provider, "continueUri": handlerAddress})
	page, _ := begun["authUri"].(string)
	if code != http.StatusOK || page == "" {
		t.Fatalf("createAuthUri at node %d: %d %v", i, code, begun)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(r) // follows no redirect
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if response, err = res.Location(); err != nil || response.Query().Get("state") == "" {
		t.Fatalf("the provider redirects to %v, %v", response, err)
	}
	session, _ = begun["sessionId"].(string)
	return session, response
}

// begins reports whether a sign-in can begin at a node, which may be about to lead.
func (nodes signInNodes) begins(t *testing.T, i int) bool {
	t.Helper()
	body := strings.NewReader(`{"providerId": "oidc.acme", "continueUri": "` + handlerAddress + `"}`)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, nodes[i].URL+harness.ToolkitPath("accounts:createAuthUri?key=k"), body)
	if err != nil {
		t.Fatal(err)
	}
	res, err := nodes[i].Client.Do(r)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// page opens the page of a provider's response at a node.
func (nodes signInNodes) page(t *testing.T, i int, response *url.URL) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, nodes[i].URL+response.RequestURI(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, text := harness.Do(t, nodes[i].Client, r); res.StatusCode != http.StatusOK || !strings.Contains(text, "&#34;answer&#34;:true") {
		t.Errorf("the page of the response at node %d: %d %s", i, res.StatusCode, text)
	}
}

// finish presents a provider's response to a node.
func (nodes signInNodes) finish(t *testing.T, i int, response *url.URL, session string) (int, map[string]any) {
	t.Helper()
	return nodes[i].Request(t, http.MethodPost, harness.ToolkitPath("accounts:signInWithIdp?key=k"), "", harness.Object{"requestUri": response.String(), "sessionId": session, "returnSecureToken": true, "returnIdpCredential": true})
}

// refuses reports a response that was accepted.
func (nodes signInNodes) refuses(t *testing.T, name string, code int, answer map[string]any) {
	t.Helper()
	if code != http.StatusBadRequest || !strings.Contains(fmt.Sprint(answer), "INVALID_IDP_RESPONSE") {
		t.Errorf("%s: %d %v, want INVALID_IDP_RESPONSE", name, code, answer)
	}
}
