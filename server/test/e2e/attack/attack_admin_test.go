package attack

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"clave/server/internal/transport/hosting/versions/versionstest"
	"clave/server/test/e2e/harness"
)

// adminAttack is a request to the administration APIs that must be refused.
type adminAttack struct {
	name, method, path, body string
	// token is the Authorization header. public sends the request to the public port instead.
	token  string
	public bool
	// refused are the statuses of a refusal.
	refused []int
}

// administered is a server with administration APIs that is attacked.
type administered struct {
	t *testing.T
	p *harness.Production
	// dir is the folder of the server, exports that of exports, and origin is that of the administration APIs.
	dir, exports, origin string
}

// bearer creates a service account with a role and returns its header.
func (a *administered) bearer(role string) string {
	a.t.Helper()
	for _, args := range [][]string{
		{"credentials", "create", "role-" + role, "--role", role, "--project", harness.RealProject, "--public-url", a.p.URL, "--out", filepath.Join(a.dir, role+".json")},
		{"credentials", "token", role + ".json"},
	} {
		out, err := harness.Command(a.t, a.dir, args...).Output()
		if err != nil {
			a.t.Fatalf("clave %q: %v", args, err)
		}
		if args[1] == "token" {
			return "Bearer " + strings.TrimSpace(string(out))
		}
	}
	return ""
}

// do sends a request and returns the status and the answer.
func (a *administered) do(method, url, token string, body io.Reader) (int, string) {
	a.t.Helper()
	r, err := http.NewRequestWithContext(a.t.Context(), method, url, body)
	if err != nil {
		a.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", "https://evil.example")
	if token != "" {
		r.Header.Set("Authorization", token)
	}
	res, err := a.p.Client.Do(r)
	if err != nil { // such as of a body that is refused while it is sent
		return http.StatusRequestEntityTooLarge, ""
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		a.t.Error(err)
	}
	if res.Header.Get("Access-Control-Allow-Origin") != "" && strings.HasPrefix(url, a.origin) {
		a.t.Errorf("%s %s: other origins may read the answer", method, url)
	}
	return res.StatusCode, string(text)
}

// TestAdminAttacks attacks the administration APIs: without a token, with tokens of the emulators, of users and of
// roles that may not, for other projects, with paths out of the folders, and on the public port.
func TestAdminAttacks(t *testing.T) {
	if os.Getenv(harness.NodesVariable) != "" {
		t.Skip("TestAdminAPIOfNodes administers nodes")
	}
	dir, port := harness.ProductionFolder(t), harness.FreePorts(t, 1)[0]
	a := &administered{t: t, dir: dir, exports: filepath.Join(t.TempDir(), "exports"), origin: fmt.Sprintf("http://127.0.0.1:%d", port)}
	a.p = harness.Serve(t, dir, false, "--trust-proxy", "--admin-api", fmt.Sprintf("127.0.0.1:%d", port), "--admin-exports", a.exports)
	a.p.Client.Timeout = harness.WaitLimit
	signedUp := a.p.Call(t, harness.ToolkitPath("accounts:signUp")+"?key=k", map[string]any{"email": "eve@example.org", "password": "secreta1", "returnSecureToken": true})
	user := "Bearer " + fmt.Sprint(signedUp["idToken"])
	owner, viewer, hosting := a.bearer("owner"), a.bearer("viewer"), a.bearer("hosting-admin")
	for _, one := range a.attacks(owner, viewer, hosting, user) {
		origin := a.origin
		if one.public {
			origin = a.p.URL
		}
		if code, text := a.do(one.method, origin+one.path, one.token, strings.NewReader(one.body)); !slices.Contains(one.refused, code) {
			t.Errorf("%s: %s %s = %d %.200s, want one of %v", one.name, one.method, one.path, code, text, one.refused)
		}
	}
	a.uploads(owner, hosting, viewer)
	a.largeBodies(owner)
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(a.exports), "*")); err != nil || len(left) != 1 {
		t.Errorf("beside the folder of exports there is %q, %v", left, err)
	}
	if left, err := os.ReadDir(a.exports); err != nil || len(left) > 0 {
		t.Errorf("refused exports left %v, %v", left, err)
	}
	if out, err := harness.Command(t, dir, "credentials", "revoke", "role-owner", "--project", harness.RealProject).CombinedOutput(); err != nil {
		t.Fatalf("credentials revoke: %v\n%s", err, out)
	}
	if code, text := a.do("GET", a.origin+"/v1/projects/"+harness.RealProject+"/databases", owner, http.NoBody); code != http.StatusUnauthorized {
		t.Errorf("the token of a revoked key: %d %.200s", code, text)
	}
	a.p.Stop(t)
}

// attacks returns the attacks, with tokens of an owner, of other roles and of a user.
func (a *administered) attacks(owner, viewer, hosting, user string) []adminAttack {
	const project = "/v1/projects/" + harness.RealProject
	const database, site = project + "/databases/(default)", "/v1beta1/projects/" + harness.RealProject + "/sites/" + harness.RealProject
	calls := []struct{ method, path, body string }{
		{"GET", project + "/databases", ""}, {"POST", project + "/databases?databaseId=mine-too", `{"locationId":"a","type":"FIRESTORE_NATIVE"}`}, {"DELETE", database, ""},
		{"POST", database + ":exportDocuments", `{"outputUriPrefix":"gs://a/b"}`}, {"POST", database + ":importDocuments", `{"inputUriPrefix":"gs://a/b"}`},
		{"POST", database + ":bulkDeleteDocuments", `{"collectionIds":["mine"]}`}, {"POST", project + "/databases:clone", `{}`}, {"POST", project + "/databases:restore", `{}`},
		{"POST", database + "/backupSchedules", `{}`}, {"DELETE", database + "/backupSchedules/flags", ""}, {"GET", database + "/operations", ""},
		{"POST", project + "/rulesets", `{}`}, {"POST", project + "/releases", `{}`}, {"POST", project + ":deploy", `{"files":{"(default)":{"rules":{"name":"r","text":"x"}}}}`}, {"GET", project + "/locations/local/backups", ""},
		{"POST", site + "/versions", `{}`}, {"POST", site + "/releases?versionName=x", `{}`}, {"POST", "/upload" + site + "/versions/0123456789abcdef/files/" + strings.Repeat("0", 64), "x"},
	}
	var all []adminAttack
	for _, c := range calls {
		for name, token := range map[string]string{"nobody": "", "the emulator's owner": "Bearer owner", "an emulator's access token": "Bearer ya29.owner", "an unsigned token": unsignedToken, "a user": user} {
			all = append(all, adminAttack{name: name, method: c.method, path: c.path, body: c.body, token: token, refused: []int{401, 403}})
		}
		if c.method != "GET" {
			all = append(all, adminAttack{name: "a viewer", method: c.method, path: c.path, body: c.body, token: viewer, refused: []int{403}})
		}
		if !strings.Contains(c.path, "/sites/") {
			all = append(all, adminAttack{name: "a deployer of sites", method: c.method, path: c.path, body: c.body, token: hosting, refused: []int{403}})
		}
		other := strings.Replace(c.path, harness.RealProject, "another", 1)
		all = append(all, adminAttack{name: "an owner in another project", method: c.method, path: other, body: c.body, token: owner, refused: []int{401, 403}})
		all = append(all, adminAttack{name: "an owner at the public port", method: c.method, path: c.path, body: c.body, token: owner, public: true, refused: []int{400, 403, 404, 405, 501}})
	}
	for _, place := range []string{"", "/tmp/stolen", "file:///tmp/stolen", "gs://..", "gs://../stolen", "gs://a/../../stolen", "gs://a/..", "gs://a/.clave", "gs://a/%2e%2e/b", "s3://a/b", `gs://a\\..\\b`, "gs://a/\u0000"} {
		all = append(all,
			adminAttack{name: "an export out of its folder", method: "POST", path: database + ":exportDocuments", body: `{"outputUriPrefix":"` + place + `"}`, token: owner, refused: []int{400}},
			adminAttack{name: "an import out of its folder", method: "POST", path: database + ":importDocuments", body: `{"inputUriPrefix":"` + place + `"}`, token: owner, refused: []int{400}})
	}
	return append(all,
		adminAttack{name: "a body of 64 MiB", method: "POST", path: project + "/rulesets", body: strings.Repeat(" ", 64*harness.Mib), token: owner, refused: []int{400, 413}},
		adminAttack{name: "a deeply nested body", method: "POST", path: project + "/rulesets", body: strings.Repeat("[", 1<<20), token: owner, refused: []int{400}},
		adminAttack{name: "a database above the folder", method: "POST", path: project + "/databases?databaseId=..%2f..%2fx", body: `{"locationId":"a","type":"FIRESTORE_NATIVE"}`, token: owner, refused: []int{400}},
		adminAttack{name: "a preflight of a page", method: "OPTIONS", path: database, refused: []int{401, 403, 404, 405, 501}},
		adminAttack{name: "an unknown method", method: "POST", path: database + ":runQuery", body: `{}`, token: owner, refused: []int{501}},
	)
}

// uploads attacks the deployment of a site: with contents that a version does not name or that differ from their hash,
// paths out of the site, and versions that lack contents.
func (a *administered) uploads(owner, hosting, viewer string) {
	a.t.Helper()
	const site = "/v1beta1/projects/" + harness.RealProject + "/sites/" + harness.RealProject
	code, text := a.do("POST", a.origin+site+"/versions", hosting, strings.NewReader("{}"))
	_, name, _ := strings.Cut(text, `"name":"`)
	name, _, _ = strings.Cut(name, `"`)
	if code != http.StatusOK || !strings.Contains(name, "/versions/") {
		a.t.Fatalf("a new version: %d %s", code, text)
	}
	content, hash := versionstest.Pack(a.t, "stolen")
	version, upload := a.origin+"/v1beta1/"+name, a.origin+"/upload/v1beta1/"+name+"/files/"
	refused := func(what, method, url, token, body string, want ...int) {
		a.t.Helper()
		if code, text := a.do(method, url, token, strings.NewReader(body)); !slices.Contains(want, code) {
			a.t.Errorf("%s: %d %.200s, want one of %v", what, code, text, want)
		}
	}
	refused("a content that no version names", "POST", upload+hash, hosting, string(content), 400, 404)
	for _, path := range []string{"index.html", "/../index.html", "/a/../../b", "//b", "/a\u0000", "/.."} {
		refused("a path out of the site", "POST", version+":populateFiles", hosting, `{"files":{"`+path+`":"`+hash+`"}}`, 400)
	}
	refused("a hash that is a path", "POST", version+":populateFiles", hosting, `{"files":{"/a":"../../x"}}`, 400)
	if code, text := a.do("POST", version+":populateFiles", hosting, strings.NewReader(`{"files":{"/a":"`+hash+`"}}`)); code != http.StatusOK {
		a.t.Fatalf("the files of the version: %d %s", code, text)
	}
	refused("an upload of nobody", "POST", upload+hash, "", string(content), 401)
	refused("an upload of a viewer", "POST", upload+hash, viewer, string(content), 403)
	refused("another content", "POST", upload+hash, hosting, string(content)+"x", 400)
	refused("a content that is not packed", "POST", upload+hash, owner, "stolen", 400)
	refused("a version without its contents", "PATCH", version+"?updateMask=status", hosting, `{"status":"FINALIZED"}`, 400)
	refused("a release of it", "POST", a.origin+site+"/releases?versionName="+name, hosting, `{}`, 400)
	if code, text := a.do("GET", a.p.URL+"/a", "", http.NoBody); code != http.StatusNotFound {
		a.t.Errorf("a content that was not released is served: %d %s", code, text)
	}
}

// largeBodies sends large bodies about accounts at the same time, with an owner's key, at the public port: half of them
// have millions of values, each of which takes many times its bytes when it is parsed, and half a text of the largest
// size. The former are smaller, so that several find room while they are received.
func (a *administered) largeBodies(owner string) {
	a.t.Helper()
	const bodies, size = 24, 64 * harness.Mib
	path := a.p.URL + harness.ToolkitPath("projects/"+harness.RealProject+"/accounts:batchCreate")
	begin, end := `{"users":[`, `{}]}`
	values := begin + strings.Repeat(`{"":0},`, size/4/7) + end
	begin, end = `{"users":[{"localId":"`, `"}]}`
	text := begin + strings.Repeat("x", size-len(begin)-len(end)) + end
	var all sync.WaitGroup
	for i := range bodies {
		body := values
		if i%2 > 0 {
			body = text
		}
		all.Go(func() {
			if code, answer := a.do("POST", path, owner, strings.NewReader(body)); code/100 == 5 && code != http.StatusServiceUnavailable {
				a.t.Errorf("a large body: %d %.200s", code, answer)
			}
		})
	}
	all.Wait()
	peak := harness.MemoryOf(a.t, a.p.Cmd, "VmHWM")
	a.t.Logf("%d bodies of %d MiB: %d MiB at most", bodies, size/harness.Mib, peak)
	if peak > mostAttacked {
		a.t.Errorf("%d MiB at most after the bodies of an owner, want at most %d", peak, mostAttacked)
	}
	if code, answer := a.do("POST", path, owner, strings.NewReader(`{"users":[{"localId":"later"}]}`)); code != http.StatusOK {
		a.t.Errorf("a small body afterwards: %d %.200s", code, answer)
	}
}
