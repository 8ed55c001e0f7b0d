package production

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"clave/server/internal/transport/hosting/versions/versionstest"
	"clave/server/test/e2e/harness"
	"clave/server/test/kit/wait"
)

// page requests a path of the server at a host, empty for its own, and returns the status and the body.
func (a *administered) page(host, path string) (int, string) {
	a.t.Helper()
	r, err := http.NewRequestWithContext(a.t.Context(), http.MethodGet, a.p.URL+path, http.NoBody)
	if err != nil {
		a.t.Fatal(err)
	}
	r.Host = host
	res, body := harness.Do(a.t, a.p.Client, r)
	return res.StatusCode, body
}

// wantPage expects a text in a page of the site.
func (a *administered) wantPage(when, path, text string) {
	a.t.Helper()
	if code, body := a.page("", path); code != http.StatusOK || !strings.Contains(body, text) {
		a.t.Errorf("%s %s is answered with %d %q, want %q", when, path, code, body, text)
	}
}

// TestFirebaseDeploysHosting deploys a site twice with the unmodified Firebase CLI, the second time as one of two
// targets, of which the server has one, releases the first version again,
// deploys to a preview, deletes a channel, disables the site, and restarts the server after it was killed. Each call of
// the CLI takes seconds, so the API does what one has shown.
func TestFirebaseDeploysHosting(t *testing.T) {
	harness.Parallel(t)
	if os.Getenv(harness.NodesVariable) != "" {
		t.Skip("TestAdminAPIOfNodes deploys to nodes")
	}
	a := administer(t)
	harness.WriteFile(t, filepath.Join(a.dir, "firebase.json"), `{"firestore": {"rules": "firestore.rules"}, "hosting": {"public": "build", "cleanUrls": true,
		"headers": [{"source": "**", "headers": [{"key": "X-Deployed", "value": "yes"}]}], "redirects": [{"source": "/old", "destination": "/about", "type": 301}], "rewrites": [{"source": "/app/**", "destination": "/index.html"}]}}`)
	if err := os.MkdirAll(filepath.Join(a.dir, "build", "assets"), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) { harness.WriteFile(t, filepath.Join(a.dir, "build", name), text) }
	write("index.html", "first page")
	write("about.html", "about")
	write("assets/app.js", strings.Repeat("first script ", 100))
	if out := a.cli(true, "deploy", "--only", "hosting", "-m", "one"); !strings.Contains(out, "Deploy complete!") {
		t.Errorf("deploy printed\n%s", out)
	}
	a.wantPage("after the first deployment", "/app/x", "first page")
	a.wantPage("after the first deployment", "/about", "about")
	a.wantPage("after the first deployment", "/assets/app.js", "first script first script")
	write("index.html", "second page")
	a.deploysOneOfTwoSites()
	a.wantPage("after the second deployment", "/", "second page")
	write("index.html", "preview")
	out := a.cli(true, "hosting:channel:deploy", "pr-1", "--expires", "2h")
	host := regexp.MustCompile(`fundacion-e2e--pr-1-[0-9a-z]{8}\.localhost:[0-9]+`).FindString(out)
	if code, body := a.page(host, "/"); host == "" || code != http.StatusOK || body != "preview" {
		t.Errorf("the preview at %q is answered with %d %q; the CLI printed\n%s", host, code, body, out)
	}
	a.wantPage("after a deployment to a preview", "/", "second page")
	token := a.token("deployer.json")
	own := *a.p
	own.URL = fmt.Sprintf("https://127.0.0.1:%d", a.port)
	const site = "/v1beta1/projects/" + harness.RealProject + "/sites/" + harness.RealProject
	code, answer := own.Request(t, "GET", site+"/releases", "Bearer "+token, nil)
	releases, _ := answer["releases"].([]any)
	if code != http.StatusOK || len(releases) != 2 {
		t.Fatalf("the releases are %d %v", code, answer)
	}
	first := regexp.MustCompile(`versions/([0-9a-f]{16})`).FindStringSubmatch(fmt.Sprint(releases[1]))
	a.cli(true, "hosting:clone", harness.RealProject+"@"+first[1], harness.RealProject+":live")
	a.wantPage("after the first version was released again", "/", "first page")
	if out := a.cli(true, "hosting:channel:list"); !strings.Contains(out, host) {
		t.Errorf("the list of channels lacks the preview at %s:\n%s", host, out)
	}
	if code, answer := own.Request(t, "POST", site+"/channels?channelId=pr-2", "Bearer "+token, map[string]any{}); code != http.StatusOK {
		t.Errorf("another channel is answered with %d %v", code, answer)
	}
	a.cli(true, "hosting:channel:delete", "pr-2", "--force")
	if code, _ := own.Request(t, "GET", site+"/channels/pr-2", "Bearer "+token, nil); code != http.StatusNotFound {
		t.Errorf("a channel that was deleted is answered with %d", code)
	}
	a.cli(true, "hosting:disable", "--force")
	if code, _ := a.page("", "/"); code != http.StatusNotFound {
		t.Errorf("a disabled site is answered with %d", code)
	}
	if code, answer := own.Request(t, "POST", site+"/releases?versionName=sites/"+harness.RealProject+"/versions/"+first[1], "Bearer "+token, map[string]any{}); code != http.StatusOK {
		t.Errorf("a release after the site was disabled is answered with %d %v", code, answer)
	}
	if err := a.p.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = harness.WaitForExit(t, a.p.Cmd) // killed
	a.p = harness.Serve(t, a.dir, true, "--admin-api", fmt.Sprintf("0.0.0.0:%d", a.port))
	a.wantPage("after a kill", "/", "first page")
	if code, body := a.page(host, "/"); code != http.StatusOK || body != "preview" {
		t.Errorf("after a kill the preview is answered with %d %q", code, body)
	}
	a.p.Stop(t)
}

// deploysOneOfTwoSites deploys two targets of .firebaserc, of which the server has the site of one. The deployment of
// both is refused before the first is released, as is the creation of the other site, and that of the one succeeds.
func (a *administered) deploysOneOfTwoSites() {
	a.t.Helper()
	config := filepath.Join(a.dir, "firebase.json")
	one, err := os.ReadFile(config)
	if err != nil {
		a.t.Fatal(err)
	}
	harness.WriteFile(a.t, config, `{"hosting": [{"target": "app", "public": "build"}, {"target": "docs", "public": "build/assets"}]}`)
	harness.WriteFile(a.t, filepath.Join(a.dir, ".firebaserc"), `{"targets": {"`+harness.RealProject+`": {"hosting": {"app": ["`+harness.RealProject+`"], "docs": ["docs-site"]}}}}`)
	if out := a.cli(false, "deploy", "--only", "hosting"); !strings.Contains(out, `The site "docs-site" is not on this server, which has one site, `+harness.RealProject) {
		a.t.Errorf("a deployment to two sites printed\n%s", out)
	}
	a.wantPage("after a deployment to two sites", "/", "first page")
	if out := a.cli(false, "hosting:sites:create", "docs-site", "--non-interactive"); !strings.Contains(out, "This server has one site, "+harness.RealProject) {
		a.t.Errorf("the creation of a site printed\n%s", out)
	}
	if out := a.cli(true, "deploy", "--only", "hosting:app"); !strings.Contains(out, "Deploy complete!") {
		a.t.Errorf("the deployment of a target printed\n%s", out)
	}
	harness.WriteFile(a.t, config, string(one))
}

// deployer calls the Hosting API.
type deployer struct {
	t      *testing.T
	p      *harness.Production
	bearer string
}

// site is the path of the site.
const site = "/v1beta1/projects/" + harness.RealProject + "/sites/" + harness.RealProject

// do makes a call that must succeed.
func (d *deployer) do(method, path string, body any) map[string]any {
	d.t.Helper()
	code, answer := d.p.Request(d.t, method, path, d.bearer, body)
	if code != http.StatusOK {
		d.t.Fatalf("%s %s: %d %v", method, path, code, answer)
	}
	return answer
}

// upload sends a content, and returns the error or the status.
func (d *deployer) upload(ctx context.Context, name, hash string, content io.Reader) (int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.p.URL+"/upload/v1beta1/"+name+"/files/"+hash, content)
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Authorization", d.bearer)
	res, err := d.p.Client.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

// attempt makes a call that may fail, because the server is killed meanwhile.
func (d *deployer) attempt(method, path, body string) {
	r, err := http.NewRequestWithContext(d.t.Context(), method, d.p.URL+path, strings.NewReader(body))
	if err != nil {
		d.t.Error(err)
		return
	}
	r.Header.Set("Authorization", d.bearer)
	if res, err := d.p.Client.Do(r); err == nil {
		_ = res.Body.Close()
	}
}

// begin creates a version of a page, whose content is uploaded if whole is set.
func (d *deployer) begin(text string, whole bool) (name string) {
	d.t.Helper()
	name, _ = d.do("POST", site+"/versions", map[string]any{})["name"].(string)
	content, hash := versionstest.Pack(d.t, text)
	d.do("POST", "/v1beta1/"+name+":populateFiles", map[string]any{"files": map[string]string{"/index.html": hash, "/copy.html": hash}})
	if whole {
		if code, err := d.upload(d.t.Context(), name, hash, bytes.NewReader(content)); err != nil || code != http.StatusOK {
			d.t.Fatalf("the upload is answered with %d, %v", code, err)
		}
	}
	return name
}

// TestDeploymentsUnderKills kills the server while a content arrives, and while versions are finalized and released.
// Afterwards the site is one released version, and the deployment can be completed.
func TestDeploymentsUnderKills(t *testing.T) {
	harness.Parallel(t)
	if os.Getenv(harness.NodesVariable) != "" {
		t.Skip("TestAdminAPIOfNodes deploys to nodes")
	}
	dir := harness.ProductionFolder(t)
	port := harness.FreePorts(t, 1)[0]
	d := &deployer{t: t}
	serve := func() *harness.Production {
		p := harness.Serve(t, dir, false, "--trust-proxy", "--admin-api", fmt.Sprintf("127.0.0.1:%d", port))
		own := *p
		own.URL = fmt.Sprintf("http://127.0.0.1:%d", port)
		d.p = &own
		return p
	}
	kill := func(p *harness.Production) {
		if err := p.Cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = harness.WaitForExit(t, p.Cmd) // killed
	}
	p := serve()
	harness.CreateKeyFor(t, dir, "deployer", p.URL)
	token, err := harness.Command(t, dir, "credentials", "token", "deployer.json").Output()
	if err != nil {
		t.Fatal(err)
	}
	d.bearer = "Bearer " + strings.TrimSpace(string(token))
	released := d.begin("content 0", true)
	d.do("PATCH", "/v1beta1/"+released, map[string]any{"status": "FINALIZED"})
	d.do("POST", site+"/channels/live/releases?versionName="+released, map[string]any{})
	half := d.begin("half", false)
	content, hash := versionstest.Pack(t, "half")
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		_, err := d.upload(t.Context(), half, hash, reader)
		ended <- err
	}()
	if _, err := writer.Write(content[:len(content)-2]); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the content arrives", func() bool {
		found, err := filepath.Glob(filepath.Join(dir, ".clave", "hosting", "upload-*"))
		return err == nil && len(found) > 0
	})
	kill(p)
	_ = writer.Close()
	if err := <-ended; err == nil {
		t.Error("an upload to a killed server has succeeded")
	}
	p = serve()
	if left, err := filepath.Glob(filepath.Join(dir, ".clave", "hosting", "upload-*")); err != nil || len(left) > 0 {
		t.Errorf("the killed server has left %q, %v", left, err)
	}
	if code, err := d.upload(t.Context(), half, hash, bytes.NewReader(content)); err != nil || code != http.StatusOK {
		t.Errorf("after the restart the upload is answered with %d, %v", code, err)
	}
	for round := range 3 {
		text := fmt.Sprint("content ", round+1)
		next := d.begin(text, true)
		finalized := make(chan struct{})
		go func() {
			d.attempt("PATCH", "/v1beta1/"+next, `{"status":"FINALIZED"}`)
			close(finalized)
			d.attempt("POST", site+"/channels/live/releases?versionName="+next, `{}`)
			ended <- nil
		}()
		if round > 0 { // the first kill is while the version is finalized, the others while it is released
			<-finalized
		}
		kill(p)
		<-ended
		p = serve()
		before := fmt.Sprint("content ", round)
		_, index := harness.Read(t, p.Client, p.URL+"/")
		_, again := harness.Read(t, p.Client, p.URL+"/copy.html")
		if index != again || index != text && index != before {
			t.Errorf("after kill %d the site has %q and %q, want %q or %q", round, index, again, before, text)
		}
		if status, _ := d.do("GET", "/v1beta1/"+next, nil)["status"].(string); status == "CREATED" {
			d.do("PATCH", "/v1beta1/"+next, map[string]any{"status": "FINALIZED"})
		}
		d.do("POST", site+"/channels/live/releases?versionName="+next, map[string]any{})
		if _, index = harness.Read(t, p.Client, p.URL+"/"); index != text {
			t.Errorf("after the deployment was completed the site is %q, want %q", index, text)
		}
	}
	p.Stop(t)
}
