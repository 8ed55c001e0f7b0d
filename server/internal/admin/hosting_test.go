package admin_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"clave/server/internal/admin/hostingapi"
	"clave/server/internal/admin/project"
	"clave/server/internal/transport/hosting/versions"
	"clave/server/internal/transport/hosting/versions/versionstest"
)

// hostingOf returns the Hosting API of a site.
func hostingOf(site *versions.Site) *hostingapi.API {
	return hostingapi.New(hostingapi.Options{Site: site, ID: "p", URL: func(label string) string { return "https://" + label + ".example.org" }})
}

// sites is the path of the site.
const sites = "/v1beta1/projects/p/sites/p"

// shownAt requests a path of the site as visitors do.
func (s *server) shownAt(path string) string {
	w := httptest.NewRecorder()
	s.site.Handler(nil).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "https://www.example.org"+path, http.NoBody))
	return w.Body.String()
}

// uploaded makes a version with a page, whose content is uploaded, and returns its name.
func (s *server) uploaded(text string) string {
	s.t.Helper()
	name := field(s.t, s.want(200, "POST "+sites+"/versions", `{"status":"CREATED","labels":{"deployment-tool":"cli-firebase"}}`, `"status":"CREATED"`), "name")
	content, hash := versionstest.Pack(s.t, text)
	populated := s.want(200, "POST /v1beta1/"+name+":populateFiles", `{"files":{"/index.html":"`+hash+`"}}`, `"uploadRequiredHashes":["`+hash+`"]`)
	at, ok := strings.CutPrefix(field(s.t, populated, "uploadUrl"), "http://127.0.0.1:4001")
	if !ok {
		s.t.Fatalf("the URL for uploads is not of the server: %s", populated)
	}
	s.want(200, "POST "+at+"/"+hash, string(content), "{}")
	return name
}

// TestHosting deploys as the Firebase CLI does: to the site, to a preview, and an older version again.
func TestHosting(t *testing.T) {
	s := open(t, memory(t))
	s.want(200, "GET /v1beta1/projects/p", "", `"resources":{"hostingSite":"p"}`)
	s.want(200, "GET /v1/projects/p/services/firebasehosting.googleapis.com", "", "ENABLED")
	s.want(200, "GET /v1beta1/projects/p/sites", "", `"type":"DEFAULT_SITE"`)
	s.want(200, "GET "+sites, "", `"defaultUrl":"https://.example.org"`)
	s.want(200, "GET "+sites+"/domains", "", "{}")
	for _, words := range []string{"GET /v1beta1/projects/p/sites/other", "POST /v1beta1/projects/p/sites/other/versions", "POST /v1beta1/projects/p/sites/other/channels/live/releases"} {
		s.want(501, words, "{}", "is not on this server, which has one site, p.")
	}
	s.want(200, "GET /v1beta1/projects/"+project.Number("p")+"/sites", "", `"name":"projects/p/sites/p"`)
	s.want(501, "POST /v1beta1/projects/"+project.Number("p")+"/sites?siteId=b&validateOnly=true", "{}", "This server has one site, p")
	s.want(403, "GET /v1beta1/projects/"+project.Number("q")+"/sites", "", "PERMISSION_DENIED")
	first := s.uploaded("first")
	s.want(200, "GET /v1beta1/"+first+"/files?status=ACTIVE", "", `"path":"/index.html"`)
	s.want(200, "PATCH /v1beta1/"+first+"?updateMask=status,config", `{"status":"FINALIZED","config":{"headers":[{"glob":"**","headers":{"X-A":"b"}}],"cleanUrls":true}}`, `"versionBytes":"5"`)
	s.want(200, "POST "+sites+"/channels/live/releases?versionName="+first, `{"message":"one"}`, `"message":"one"`)
	if got := s.shownAt("/"); got != "first" {
		t.Errorf("the site is %q", got)
	}
	second := s.uploaded("second")
	s.want(200, "PATCH /v1beta1/"+second+"?updateMask=status", `{"status":"FINALIZED"}`, "deployer@p")
	s.want(404, "POST "+sites+"/channels/pr/releases?versionName="+second, `{}`, "NOT_FOUND")
	s.want(404, "GET "+sites+"/channels/pr", "", "NOT_FOUND")
	s.want(200, "POST "+sites+"/channels?channelId=pr", `{"ttl":"604800s"}`, `"url":"https://p--pr-`)
	s.want(200, "POST "+sites+"/channels/pr/releases?versionName="+strings.TrimPrefix(second, "projects/p/"), `{}`, second)
	s.want(200, "PATCH "+sites+"/channels/pr?updateMask=ttl", `{"ttl":"3600.5s"}`, `"expireTime"`)
	s.want(200, "GET "+sites+"/channels?pageSize=10&pageToken=", "", `channels/live`)
	if got := s.shownAt("/"); got != "first" {
		t.Errorf("after a deployment to a preview the site is %q", got)
	}
	s.want(200, "POST "+sites+"/releases?versionName="+second, "", `"type":"DEPLOY"`)
	if got := s.shownAt("/"); got != "second" {
		t.Errorf("after the second deployment the site is %q", got)
	}
	s.want(200, "POST "+sites+"/releases?versionName="+first, `{"type":"ROLLBACK"}`, `"type":"ROLLBACK"`)
	if got := s.shownAt("/"); got != "first" {
		t.Errorf("after the rollback the site is %q", got)
	}
	latest := s.want(200, "GET "+sites+"/releases?pageSize=1", "", `"nextPageToken":"1"`)
	if !strings.Contains(latest, "ROLLBACK") {
		t.Errorf("the latest release is %s", latest)
	}
	s.want(200, "GET "+sites+"/versions", "", first)
	s.want(400, "DELETE /v1beta1/"+first, "", "is released in the channel live")
	s.want(200, "DELETE "+sites+"/channels/pr", "", "{}")
	s.want(200, "DELETE /v1beta1/"+second, "", "{}")
	s.want(404, "GET /v1beta1/"+second, "", "NOT_FOUND")
	s.want(200, "POST "+sites+"/releases", `{"type":"SITE_DISABLE"}`, "SITE_DISABLE")
	if got := s.shownAt("/"); !strings.Contains(got, "Site Not Found") {
		t.Errorf("the disabled site is %q", got)
	}
}

// TestVersionsAreCloned clones a version that no channel has, and releases the clone after the source was deleted.
func TestVersionsAreCloned(t *testing.T) {
	s := open(t, memory(t))
	first := s.uploaded("first")
	s.want(200, "PATCH /v1beta1/"+first, `{"status":"FINALIZED","config":{"redirects":[{"glob":"/old","statusCode":301,"location":"/new"}]}}`, "FINALIZED")
	operation := s.want(200, "POST "+sites+"/versions:clone", `{"sourceVersion":"`+first+`","finalize":true}`, `"done":true`)
	shown := s.want(200, "GET /v1beta1/"+field(t, operation, "name"), "", `"done":true`)
	clone := regexp.MustCompile(`projects/p/sites/p/versions/[0-9a-f]{16}`).FindString(shown)
	if clone == "" || clone == first || !strings.Contains(shown, `"location":"/new"`) {
		t.Fatalf("the clone of %s is %s", first, shown)
	}
	s.want(200, "GET /v1beta1/"+clone, "", `"status":"FINALIZED"`)
	s.want(200, "DELETE /v1beta1/"+first, "", "{}")
	s.want(200, "POST "+sites+"/releases?versionName="+clone, `{}`, clone)
	if got := s.shownAt("/"); got != "first" {
		t.Errorf("the site is %q", got)
	}
	created := s.want(200, "POST "+sites+"/versions:clone", `{"sourceVersion":"`+clone+`"}`, `"status":"CREATED"`)
	again := regexp.MustCompile(`projects/p/sites/p/versions/[0-9a-f]{16}`).FindString(created)
	s.want(200, "PATCH /v1beta1/"+again, `{"status":"FINALIZED"}`, `"fileCount":"1"`)
}

// TestHostingRefuses sends what must change nothing: what callers may not do, invalid fields, and other contents.
func TestHostingRefuses(t *testing.T) {
	s := open(t, memory(t))
	name := s.uploaded("first")
	content, hash := versionstest.Pack(t, "second")
	upload := "POST /upload/v1beta1/" + name + "/files/" + hash
	for _, caller := range []string{"viewer", "rules-admin", "datastore-owner", "index-admin", "other", "nobody"} {
		for _, words := range []string{upload, "PATCH /v1beta1/" + name, "POST " + sites + "/versions", "POST /v1beta1/" + name + ":populateFiles", "POST " + sites + "/releases?versionName=" + name, "DELETE /v1beta1/" + name, "POST " + sites + "/channels?channelId=a"} {
			if code, got := s.call(caller, words, "{}"); code != http.StatusForbidden && code != http.StatusUnauthorized {
				t.Errorf("%s by %s: %d %s", words, caller, code, got)
			}
		}
	}
	s.want(404, upload, string(content), "has no file with the hash")
	s.want(400, "POST /v1beta1/"+name+":populateFiles", `{"files":{"/../../state.json":"`+hash+`"}}`, "is not valid")
	s.want(400, "POST /v1beta1/"+name+":populateFiles", `{"files":{"/a":"`+hash+`"},"folder":"/etc"}`, `Unknown name \"folder\"`)
	s.want(400, "POST /v1beta1/"+name+":populateFiles", `{"files":{"/a":"`+strings.Repeat("x", 10<<20)+`"}}`, "payload size exceeds the limit")
	s.want(200, "POST /v1beta1/"+name+":populateFiles", `{"files":{"/a.txt":"`+hash+`"}}`, hash)
	s.want(400, upload, strings.Repeat("x", 64<<20), "is not gzipped")
	other, _ := versionstest.Pack(t, "third")
	s.want(400, upload, string(other), "content hash")
	s.want(400, "PATCH /v1beta1/"+name, `{"status":"FINALIZED"}`, "1 of the 2 files of the version have not been uploaded")
	s.want(200, upload, string(content), "{}")
	s.want(400, "PATCH /v1beta1/"+name, `{"status":"FINALIZED","config":{"rewrites":[{"glob":"**","path":"/a","to":"b"}]}}`, `Unknown name \"to\"`)
	s.want(400, "PATCH /v1beta1/"+name+"?updateMask=name", `{"status":"FINALIZED"}`, "update_mask")
	s.want(400, "PATCH /v1beta1/"+name, `{"status":"ABANDONED"}`, "FINALIZED or DELETED")
	s.want(400, "POST "+sites+"/releases?versionName="+name, `{}`, "is not finalized")
	s.want(400, "POST "+sites+"/releases?versionName=sites/other/versions/0123456789abcdef", `{}`, "is not of the site")
	s.want(404, "POST "+sites+"/releases?versionName=sites/p/versions/../../state", `{}`, "NOT_FOUND")
	s.want(400, "POST "+sites+"/releases", `{}`, "A release has a version")
	s.want(400, "POST "+sites+"/channels?channelId=a", `{"ttl":"NaNs"}`, "Invalid value at 'ttl'")
	s.want(501, "POST "+sites+"/channels?channelId=a", `{"retainedReleaseCount":3}`, "UNIMPLEMENTED")
	s.want(400, "POST "+sites+"/versions:clone", `{}`, "is not of the site")
	s.want(400, "POST "+sites+"/versions:clone", `{"sourceVersion":"`+name+`"}`, "is not finalized")
	s.want(404, "POST "+sites+"/versions:clone", `{"sourceVersion":"sites/p/versions/0123456789abcdef"}`, "NOT_FOUND")
	s.want(501, "POST "+sites+"/versions:clone", `{"sourceVersion":"`+name+`","exclude":{"regexes":["a"]}}`, "UNIMPLEMENTED")
	s.want(404, "GET /v1beta1/projects/p/operations/0123456789abcdef", "", "NOT_FOUND")
	for _, words := range []string{"POST /v1beta1/projects/p/sites?siteId=b", "PATCH " + sites, "DELETE " + sites} {
		s.want(501, words, `{}`, "This server has one site, p")
	}
	if got := s.shownAt("/"); !strings.Contains(got, "Site Not Found") {
		t.Errorf("the site is %q, and nothing was released", got)
	}
	absent := hostingapi.New(hostingapi.Options{Absent: "Not here."})
	for _, r := range absent.Routes() {
		if _, err := r.Do(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "Not here.") {
			t.Errorf("%s of a server without sites: %v", r.Name, err)
		}
	}
}
