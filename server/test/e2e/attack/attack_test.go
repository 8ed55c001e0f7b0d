package attack

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// target is a running program that is attacked.
type target struct {
	name, project string
	// origin, auth and site are the origins of Firestore, Authentication and the pages.
	origin, auth, site string
	// hub is the origin of the emulator hub, empty in production.
	hub    string
	client *http.Client
}

// attack is a request that must be refused, or whose answer must not contain something.
type attack struct {
	name, method, path string
	header             map[string]string
	body               string
	// at names the origin: auth, site or hub; Firestore if empty.
	at string
	// host is the request's Host header, by default that of the origin.
	host string
	// only lists the targets that must refuse, by default all. The others must accept the request, which shows that it is
	// valid.
	only []string
	// refused lists the statuses of a refusal, and lacks is a header that the answer must not have.
	refused []int
	lacks   string
	// never is a text that no answer may contain.
	never string
}

// The names of the targets.
const (
	onStart = "start"
	onTLS   = "serve with TLS"
	onProxy = "serve --trust-proxy"
)

// inProduction lists the targets for production.
var inProduction = []string{onTLS, onProxy}

// unsignedToken is a token without a signature for the project of these tests.
const unsignedToken = "Bearer eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJzdWIiOiJhbmEiLCJ1c2VyX2lkIjoiYW5hIiwiYXVkIjoiZnVuZGFjaW9uLWUyZSIsImlzcyI6Imh0dHBzOi8vc2VjdXJldG9rZW4uZ29vZ2xlLmNvbS9mdW5kYWNpb24tZTJlIiwiaWF0IjoxLCJleHAiOjk5OTk5OTk5OTl9."

// attacks returns the attacks on a project.
func attacks(project string) []attack {
	documents := "/v1/projects/" + project + "/databases/(default)/documents"
	toolkit := "/identitytoolkit.googleapis.com/v1"
	preflight := map[string]string{"Origin": "https://evil.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Private-Network": "true"}
	bearer := func(token string) map[string]string { return map[string]string{"Authorization": "Bearer " + token} }
	return []attack{
		{name: "an attacker reads what the rules keep", method: "GET", path: documents + "/mine/ana", refused: []int{403}},
		{name: "an attacker writes", method: "PATCH", path: documents + "/open/a", body: `{"fields":{}}`, refused: []int{403}},
		{name: "the emulator's owner reads", method: "GET", path: documents + "/mine/ana", header: bearer("owner"), only: inProduction, refused: []int{401}},
		{name: "an emulator's access token reads", method: "GET", path: documents + "/mine/ana", header: bearer("ya29.owner"), only: inProduction, refused: []int{401}},
		{name: "an unsigned token reads", method: "GET", path: documents + "/mine/ana", header: map[string]string{"Authorization": unsignedToken}, only: inProduction, refused: []int{401}},
		{name: "the emulator's owner lists accounts", method: "GET", at: "auth", path: toolkit + "/projects/" + project + "/accounts:batchGet", header: bearer("owner"), only: inProduction, refused: []int{401}},
		{name: "an attacker lists accounts", method: "GET", at: "auth", path: toolkit + "/projects/" + project + "/accounts:batchGet?key=k", refused: []int{400, 401, 403}},
		{name: "an attacker queries accounts", method: "POST", at: "auth", path: toolkit + "/projects/" + project + "/accounts:query?key=k", body: `{}`, refused: []int{400, 401, 403}},
		{name: "an attacker queries accounts for a project of a header", method: "POST", at: "auth", path: toolkit + "/projects/" + project + "/accounts:query?key=k", body: `{}`,
			header: map[string]string{"X-Goog-User-Project": project}, refused: []int{400, 401, 403}},
		{name: "an attacker looks up an account of a project of the body", method: "POST", at: "auth", path: toolkit + "/accounts:lookup?key=k",
			body: `{"targetProjectId":"` + project + `","localId":["ana"]}`, refused: []int{400}},
		{name: "an attacker looks up an account by its address", method: "POST", at: "auth", path: toolkit + "/accounts:lookup?key=k", body: `{"email":["ana@example.org"]}`, refused: []int{400}},
		{name: "an attacker imports accounts", method: "POST", at: "auth", path: toolkit + "/projects/" + project + "/accounts:batchCreate?key=k",
			body: `{"users":[{"localId":"eve","email":"eve@example.org"}]}`, refused: []int{400, 401, 403}},
		{name: "an attacker imports accounts by the old name", method: "POST", at: "auth", path: "/www.googleapis.com/identitytoolkit/v3/relyingparty/uploadAccount?key=k",
			body: `{"users":[{"localId":"eve","email":"eve@example.org"}]}`, refused: []int{400, 401, 403}},
		{name: "an attacker exports accounts by the old name", method: "POST", at: "auth", path: "/www.googleapis.com/identitytoolkit/v3/relyingparty/downloadAccount?key=k", body: `{}`,
			refused: []int{400, 401, 403}},
		{name: "an attacker deletes accounts", method: "POST", at: "auth", path: toolkit + "/projects/" + project + "/accounts:batchDelete?key=k", body: `{"localIds":["ana"],"force":true}`, refused: []int{400, 401, 403}},
		{name: "an attacker deletes an account by its id", method: "POST", at: "auth", path: toolkit + "/accounts:delete?key=k", body: `{"localId":"ana"}`, refused: []int{400}},
		{name: "an attacker disables an account by its id", method: "POST", at: "auth", path: toolkit + "/accounts:update?key=k", body: `{"localId":"ana","disableUser":true}`, refused: []int{400}},
		{name: "an attacker chooses the id of an account", method: "POST", at: "auth", path: toolkit + "/accounts:signUp?key=k", body: `{"localId":"ana","returnSecureToken":true}`, refused: []int{400}},
		{name: "an attacker has a session cookie made", method: "POST", at: "auth", path: toolkit + "/projects/" + project + ":createSessionCookie?key=k", body: `{"idToken":"x"}`, refused: []int{400, 401, 403}},
		{name: "an attacker names a blocking function", method: "PATCH", at: "auth", path: "/identitytoolkit.googleapis.com/v2/projects/" + project + "/config?updateMask=blockingFunctions&key=k",
			body: `{"blockingFunctions":{"triggers":{"beforeSignIn":{"functionUri":"http://169.254.169.254/"}}}}`, refused: []int{400, 401, 403}},
		{name: "an attacker reads the settings", method: "GET", at: "auth", path: "/identitytoolkit.googleapis.com/v2/projects/" + project + "/config?key=k", refused: []int{400, 401, 403}},
		{name: "an attacker lists the tenants", method: "GET", at: "auth", path: "/identitytoolkit.googleapis.com/v2/projects/" + project + "/tenants?key=k", refused: []int{400, 401, 403}},
		{name: "an attacker signs in to a tenant that does not exist", method: "POST", at: "auth", path: toolkit + "/accounts:signInWithPassword?key=k",
			body: `{"tenantId":"none","email":"ana@example.org","password":"secreta1"}`, refused: []int{400}},
		{name: "an attacker signs in to a tenant above the folder", method: "POST", at: "auth", path: toolkit + "/accounts:signInWithPassword?key=k",
			body: `{"tenantId":"../ana\u0000u","email":"ana@example.org","password":"secreta1"}`, refused: []int{400}},
		{name: "an attacker signs in by a provider's made-up credential", method: "POST", at: "auth", path: toolkit + "/accounts:signInWithIdp?key=k",
			body: `{"requestUri":"http://localhost","returnSecureToken":true,"postBody":"providerId=google.com&id_token={\"sub\":\"1\",\"email\":\"ana@example.org\",\"email_verified\":true}"}`, only: inProduction, refused: []int{400}},
		{name: "an attacker signs in by an unsigned custom token", method: "POST", at: "auth", path: toolkit + "/accounts:signInWithCustomToken?key=k",
			body: `{"token":"{\"uid\":\"ana\"}","returnSecureToken":true}`, only: inProduction, refused: []int{400}},
		{name: "an attacker has a link shown", method: "POST", at: "auth", path: toolkit + "/accounts:sendOobCode?key=k",
			body: `{"requestType":"PASSWORD_RESET","email":"ana@example.org","returnOobLink":true}`, refused: []int{400}, never: "oobCode="},
		{name: "an attacker signs up where sign-up is off", method: "POST", at: "auth", path: toolkit + "/accounts:signUp?key=k", body: `{"email":"eve@example.org","password":"secreta1"}`,
			only: inProduction, refused: []int{400}},
		{name: "an attacker signs up without a name where sign-up is off", method: "POST", at: "auth", path: toolkit + "/accounts:signUp?key=k", body: `{"returnSecureToken":true}`,
			only: inProduction, refused: []int{400}},
		{name: "a link in an e-mail leads to a script", method: "POST", at: "auth", path: toolkit + "/accounts:sendOobCode?key=k",
			body: `{"requestType":"PASSWORD_RESET","email":"ana@example.org","continueUrl":"javascript:alert(1)"}`, refused: []int{400}},
		{name: "an attacker has something signed", method: "POST", at: "auth", path: "/iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@b.example:signBlob",
			body: `{"payload":"YQ=="}`, refused: []int{400, 401, 403, 404}},
		{name: "an assertion without a signature", method: "POST", at: "auth", path: "/oauth2.googleapis.com/token?grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=" +
			strings.TrimPrefix(unsignedToken, "Bearer "), refused: []int{400, 401}},
		{name: "an attacker clears the documents", method: "DELETE", path: "/emulator/v1/projects/" + project + "/databases/(default)/documents", only: inProduction, refused: []int{404, 405}},
		{name: "an attacker reads the codes", method: "GET", at: "auth", path: "/emulator/v1/projects/" + project + "/oobCodes", only: inProduction, refused: []int{404, 405}},
		{name: "an attacker clears the accounts", method: "DELETE", at: "auth", path: "/emulator/v1/projects/" + project + "/accounts", only: inProduction, refused: []int{404, 405}},
		{name: "an attacker reads the codes of text messages", method: "GET", at: "auth", path: "/emulator/v1/projects/" + project + "/verificationCodes", only: inProduction, refused: []int{404, 405}},
		{name: "an attacker reads the emulator's settings", method: "GET", at: "auth", path: "/emulator/v1/projects/" + project + "/config", only: inProduction, refused: []int{404, 405}},
		{name: "an attacker changes the emulator's settings", method: "PATCH", at: "auth", path: "/emulator/v1/projects/" + project + "/config",
			body: `{"signIn":{"allowDuplicateEmails":true}}`, only: inProduction, refused: []int{404, 405}},
		{name: "an attacker applies a code by the emulator's page", method: "GET", at: "auth", path: "/emulator/action?mode=verifyEmail&oobCode=x&apiKey=k", only: inProduction, refused: []int{404, 405}},
		{name: "an attacker picks another user's account at a provider", method: "GET", at: "auth", path: "/emulator/auth/handler?apiKey=k&providerId=google.com", only: inProduction, refused: []int{403}},
		{name: "an attacker replaces the rules", method: "PUT", path: "/emulator/v1/projects/" + project + ":securityRules", body: `{"rules":{"files":[{"name":"firestore.rules","content":` +
			strconv.Quote(harness.ProductionRules) + `}]}}`, only: inProduction, refused: []int{404, 405}},
		{name: "an attacker reads which rules were evaluated", method: "GET", path: "/emulator/v1/projects/" + project + ":ruleCoverage", only: inProduction, refused: []int{404, 405}},
		{name: "an attacker reads which rules were evaluated, as a page", method: "GET", path: "/emulator/v1/projects/" + project + ":ruleCoverage.html", only: inProduction, refused: []int{404, 405}},
		{name: "an attacker lists what runs", method: "GET", at: "hub", path: "/emulators", only: inProduction, refused: []int{404}},
		{name: "an attacker has the data exported", method: "POST", at: "hub", path: "/_admin/export", body: `{"path":"."}`, refused: []int{404, 405, 500}, never: `"OK"`},
		{name: "a page has the data exported", method: "POST", at: "hub", path: "/_admin/export", header: map[string]string{"Origin": "https://evil.example"}, body: `{"path":"stolen"}`,
			refused: []int{403, 404, 405}},
		{name: "a page of a name for this machine has the data exported", method: "POST", at: "hub", path: "/_admin/export", host: "evil.example", body: `{"path":"stolen"}`, refused: []int{403, 404, 405}},
		{name: "a page of a public network calls a private one", method: "OPTIONS", path: documents + ":commit", header: preflight, only: inProduction, lacks: "Access-Control-Allow-Private-Network"},
		{name: "a link out of the site", method: "GET", at: "site", path: "/out.json", refused: []int{404}, never: "firestore.rules"},
		{name: "a linked folder out of the site", method: "GET", at: "site", path: "/up/firebase.json", refused: []int{404}, never: "firestore.rules"},
		{name: "a path out of the site", method: "GET", at: "site", path: "/..%2ffirebase.json", refused: []int{400, 404}, never: "firestore.rules"},
		{name: "a file that the site keeps", method: "GET", at: "site", path: "/.env", refused: []int{404}, never: "secret"},
		{name: "a body larger than the limit", method: "POST", path: documents + ":commit", body: strings.Repeat(" ", 12*harness.Mib), refused: []int{400, 413}},
		{name: "a packed body that unpacks beyond the limit", method: "POST", path: documents + ":commit", header: map[string]string{"Content-Encoding": "gzip"},
			body: "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\xff\xff\xff\x7f", refused: []int{400}},
	}
}

// TestAttacks carries out each attack on each mode of the program.
func TestAttacks(t *testing.T) {
	for _, tg := range targets(t) {
		t.Run(tg.name, func(t *testing.T) {
			for _, a := range attacks(tg.project) {
				tg.attack(t, a)
			}
		})
	}
}

// attack carries out one attack.
func (tg target) attack(t *testing.T, a attack) {
	t.Helper()
	origin := map[string]string{"": tg.origin, "auth": tg.auth, "site": tg.site, "hub": tg.hub}[a.at]
	r, err := http.NewRequestWithContext(t.Context(), a.method, origin+a.path, strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = a.host
	r.Header.Set("Content-Type", "application/json")
	for name, value := range a.header {
		r.Header.Set(name, value)
	}
	res, err := tg.client.Do(r)
	if err != nil {
		t.Errorf("%s: %v", a.name, err)
		return
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Errorf("%s: %v", a.name, err)
	}
	refused := slices.Contains(a.refused, res.StatusCode)
	if a.lacks != "" {
		refused = res.Header.Get(a.lacks) == ""
	}
	switch must := a.only == nil || slices.Contains(a.only, tg.name); {
	case must && !refused:
		t.Errorf("%s: %s %s = %s %.200s, want one of %v", a.name, a.method, a.path, res.Status, text, a.refused)
	case !must && refused && a.lacks == "" && res.StatusCode != http.StatusNotFound:
		t.Errorf("%s: %s %s = %s %.200s, want it granted here: the attack is invalid", a.name, a.method, a.path, res.Status, text)
	case !must && refused && a.lacks != "":
		t.Errorf("%s: the answer lacks %s, want it here: the attack is invalid", a.name, a.lacks)
	}
	if a.never != "" && strings.Contains(string(text), a.never) {
		t.Errorf("%s: the answer contains %q", a.name, a.never)
	}
}

// targets runs the program in each mode: for development, for production with TLS, and for production behind a proxy.
func targets(t *testing.T) []target {
	t.Helper()
	folder := func() string {
		dir := harness.ProductionFolder(t)
		site := filepath.Join(dir, "site")
		for link, to := range map[string]string{"out.json": "../firebase.json", "up": ".."} {
			if err := os.Symlink(to, filepath.Join(site, link)); err != nil {
				t.Fatal(err)
			}
		}
		harness.WriteFile(t, filepath.Join(site, ".env"), "secret")
		return dir
	}
	dir, p := folder(), harness.FreePorts(t, 5)
	harness.WriteFile(t, filepath.Join(dir, "firebase.json"), fmt.Sprintf(`{"firestore": {"rules": "firestore.rules"}, "hosting": {"public": "site"},
		"emulators": {"firestore": {"port": %d, "websocketPort": %d}, "auth": {"port": %d}, "hosting": {"port": %d}, "hub": {"port": %d}}}`, p[0], p[1], p[2], p[3], p[4]))
	if os.Getenv(harness.NodesVariable) != "" {
		t.Setenv("CLAVE_STORE", "") // only clave serve uses it
	}
	harness.StartProgram(t, dir, "--memory", "--project", harness.RealProject)
	all := []target{{
		name: onStart, project: harness.RealProject, client: &http.Client{Timeout: harness.WaitLimit},
		origin: fmt.Sprintf("http://127.0.0.1:%d", p[0]), auth: fmt.Sprintf("http://127.0.0.1:%d", p[2]), site: fmt.Sprintf("http://127.0.0.1:%d", p[3]),
		hub: fmt.Sprintf("http://127.0.0.1:%d", p[4]),
	}}
	for name, flags := range map[string][]string{onTLS: {"--no-sign-up"}, onProxy: {"--no-sign-up", "--trust-proxy", "--host", "0.0.0.0"}} {
		s := harness.Serve(t, folder(), name == onTLS, flags...)
		s.Client.Timeout = harness.WaitLimit
		all = append(all, target{name: name, project: harness.RealProject, origin: s.URL, auth: s.URL, site: s.URL, hub: s.URL, client: s.Client})
	}
	return all
}
