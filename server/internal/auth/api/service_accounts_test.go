package api_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/url"
	"strings"
	"testing"
	"time"
)

// serviceAccount is a service account with its private key.
type serviceAccount struct {
	t     testing.TB
	email string
	key   *rsa.PrivateKey
}

// serviceAccount registers a service account of a project.
func (w *fixture) serviceAccount(project, name string) *serviceAccount {
	w.t.Helper()
	made, err := w.keys.Create(w.t.Context(), project, name, w.url+"/oauth2.googleapis.com/token")
	if err != nil {
		w.t.Fatal(err)
	}
	var file struct {
		PrivateKey string `json:"private_key"`
	}
	if err := json.Unmarshal(made.File, &file); err != nil {
		w.t.Fatal(err)
	}
	block, _ := pem.Decode([]byte(file.PrivateKey))
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		w.t.Fatal(err)
	}
	return &serviceAccount{t: w.t, email: made.Email, key: key.(*rsa.PrivateKey)}
}

// claims returns claims of the account that are valid for an hour.
func (a *serviceAccount) claims(more object) object {
	now := time.Now().Unix()
	c := object{"iss": a.email, "sub": a.email, "iat": now, "exp": now + 3600}
	for k, v := range more {
		c[k] = v
	}
	return c
}

// unsigned returns the part of a JWT that is signed.
func unsigned(t testing.TB, claims object) string {
	t.Helper()
	body, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(body)
}

// jwt returns a JWT signed by the account.
func (a *serviceAccount) jwt(claims object) string {
	a.t.Helper()
	text := unsigned(a.t, claims)
	digest := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, a.key, crypto.SHA256, digest[:])
	if err != nil {
		a.t.Fatal(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(sig)
}

// customAudience is the audience of custom tokens.
const customAudience = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

// TestSignBlobStaysInItsProject signs custom tokens for this project on the server of another project, with the key
// that all projects of a folder share.
func TestSignBlobStaysInItsProject(t *testing.T) {
	w := newFixture(t, setup{production: true})
	ours, theirs := w.serviceAccount(project, "backend"), w.serviceAccount("other-project", "backend")
	signBlob := func(as *serviceAccount, payload string) (int, string) {
		token := as.jwt(as.claims(object{"scope": "https://www.googleapis.com/auth/cloud-platform"}))
		status, answer := w.send("POST", "/iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/"+as.email+":signBlob",
			object{"payload": base64.StdEncoding.EncodeToString([]byte(payload))}, "Authorization", "Bearer "+token)
		signature, err := base64.StdEncoding.DecodeString(str(answer, "signedBlob"))
		if err != nil {
			t.Fatal(err)
		}
		return status, payload + "." + base64.RawURLEncoding.EncodeToString(signature)
	}
	custom := func(of *serviceAccount) string {
		return unsigned(t, of.claims(object{"aud": customAudience, "uid": "ann"}))
	}
	for _, tt := range []struct {
		name       string
		as, issuer *serviceAccount
		status     int
		want       string
	}{
		{"our own server", ours, ours, 200, ""},
		{"another project's server in its own name", theirs, theirs, 200, "CREDENTIAL_MISMATCH"},
		{"another project's server in our server's name", theirs, ours, 403, "INVALID_CUSTOM_TOKEN"},
	} {
		status, token := signBlob(tt.as, custom(tt.issuer))
		if status != tt.status {
			t.Errorf("signBlob by %s: status %d, want %d", tt.name, status, tt.status)
		}
		if got := w.refusal("signInWithCustomToken", object{"token": token}); got != tt.want {
			t.Errorf("a custom token signed by %s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if status, _ := signBlob(theirs, "no token at all"); status != 200 {
		t.Errorf("signBlob of plain bytes: status %d, want 200", status)
	}
}

// TestServersStayInTheirProjects names another project in the path, in the body and in the address of a service
// account.
func TestServersStayInTheirProjects(t *testing.T) {
	w := newFixture(t, setup{production: true})
	ours, theirs := w.serviceAccount(project, "backend"), w.serviceAccount("other-project", "backend")
	w.signUp("a@example.com", "secret1")
	lookup := object{"email": []string{"a@example.com"}}
	inBody := func(project string) object {
		return object{"email": []string{"a@example.com"}, "targetProjectId": project}
	}
	for _, tt := range []struct {
		name string
		// as is the server that calls; nil is a client with an API key.
		as         *serviceAccount
		path       string
		body       object
		status     int
		wantRefuse string
	}{
		{"our server, no project", ours, "v1/accounts:lookup", lookup, 200, ""},
		{"our server, its project in the path", ours, "v1/projects/" + project + "/accounts:lookup", lookup, 200, ""},
		{"our server, its project in the body", ours, "v1/accounts:lookup", inBody(project), 200, ""},
		{"our server, another project in the path", ours, "v1/projects/other-project/accounts:lookup", lookup, 403, "Missing or insufficient permissions."},
		{"our server, another project in the body", ours, "v1/accounts:lookup", inBody("other-project"), 403, "Missing or insufficient permissions."},
		{"our server, its project in the path and another in the body", ours, "v1/projects/" + project + "/accounts:lookup", inBody("other-project"), 200, ""},
		{"another project's server, its project in the path and ours in the body", theirs, "v1/projects/other-project/accounts:lookup", inBody(project), 200, ""},
		{"another project's server, no project", theirs, "v1/accounts:lookup", lookup, 403, "Missing or insufficient permissions."},
		{"another project's server, our project in the path", theirs, "v1/projects/" + project + "/accounts:lookup", lookup, 403, "Missing or insufficient permissions."},
		{"a client, our project in the path", nil, "v1/projects/" + project + "/accounts", object{}, 400, "INSUFFICIENT_PERMISSION"},
		{"a client, another project in the path", nil, "v1/projects/other-project/accounts:sendOobCode", object{"requestType": "PASSWORD_RESET", "email": "a@example.com"}, 400, "INSUFFICIENT_PERMISSION"},
	} {
		headers := []string{"X-Goog-Api-Key", "k"}
		if tt.as != nil {
			headers = []string{"Authorization", "Bearer " + tt.as.jwt(tt.as.claims(object{"scope": "https://www.googleapis.com/auth/cloud-platform"}))}
		}
		status, answer := w.send("POST", "/identitytoolkit.googleapis.com/"+tt.path, tt.body, headers...)
		if status != tt.status || !strings.HasPrefix(codeOf(answer), tt.wantRefuse) {
			t.Errorf("%s: %d %v, want %d %s", tt.name, status, answer, tt.status, tt.wantRefuse)
		}
		if found, _ := answer["users"].([]any); len(found) > 0 && tt.as == theirs {
			t.Errorf("%s: received %v", tt.name, found)
		}
	}
}

// TestAudiences sends a service account's JWTs with the server's audience and with others, as access tokens and in
// exchange for one.
func TestAudiences(t *testing.T) {
	w := newFixture(t, setup{production: true})
	a := w.serviceAccount(project, "backend")
	const scope = "https://www.googleapis.com/auth/cloud-platform"
	admin := func(token string) bool {
		status, _ := w.send("GET", "/identitytoolkit.googleapis.com/v2/projects/"+project+"/config", nil, "Authorization", "Bearer "+token)
		return status == 200
	}
	for name, tt := range map[string]struct {
		claims object
		want   bool
	}{
		"the API":                             {object{"aud": "https://identitytoolkit.googleapis.com/"}, true},
		"Firestore over gRPC":                 {object{"aud": "https://firestore.googleapis.com/google.firestore.v1.Firestore"}, true},
		"our URL":                             {object{"aud": w.url + "/"}, true},
		"a scope":                             {object{"scope": scope}, true},
		"a scope that administers nothing":    {object{"scope": "https://www.googleapis.com/auth/drive"}, false},
		"nothing":                             {object{}, false},
		"another API of Google":               {object{"aud": "https://storage.googleapis.com/"}, false},
		"another server and a scope":          {object{"aud": "https://data.example.org/", "scope": scope}, false},
		"an API by another name":              {object{"aud": "https://firestore.googleapis.com.example.org/"}, false},
		"our URL as a beginning":              {object{"aud": w.url + ".example.org/"}, false},
		"a custom token":                      {object{"aud": customAudience, "uid": "ann", "scope": scope}, false},
		"an assertion for an access token":    {object{"aud": w.url + "/oauth2.googleapis.com/token", "scope": scope}, false},
		"a list of audiences with ours first": {object{"aud": []string{w.url}, "scope": scope}, false},
	} {
		if got := admin(a.jwt(a.claims(tt.claims))); got != tt.want {
			t.Errorf("a self-signed JWT for %s: accepted %v, want %v", name, got, tt.want)
		}
	}
	for name, tt := range map[string]struct {
		audience, host string
		want           int
	}{
		"our URL":                        {w.url + "/oauth2.googleapis.com/token", "", 200},
		"Google's name of it":            {"https://oauth2.googleapis.com/token", "", 200},
		"a Host header that is not ours": {"https://attacker.example.org/oauth2.googleapis.com/token", "attacker.example.org", 401},
	} {
		form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {a.jwt(a.claims(object{"aud": tt.audience, "scope": scope}))}}
		status, answer := w.sendTo(tt.host, "/oauth2.googleapis.com/token", form)
		if status != tt.want {
			t.Errorf("an assertion for %s: %d %v, want %d", name, status, answer, tt.want)
		}
		if token := str(answer, "access_token"); token != "" && !admin(token) {
			t.Errorf("an assertion for %s gave an access token that is refused: %.20s", name, strings.TrimSpace(token))
		}
	}
}
