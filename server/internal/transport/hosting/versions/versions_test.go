package versions_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/transport/hosting/versions"
	"clave/server/internal/transport/hosting/versions/versionstest"
)

// site is a site in a folder, with a clock that the test sets.
type site struct {
	*versions.Site
	t      *testing.T
	folder string
	// shared is the store of nodes in which the site is; nil for one in the folder.
	shared *versions.Shared
	// maxContent is the maximum size of a content, if it is more than 1 MiB.
	maxContent int64
	clock      *clocktest.Manual
}

// open opens a site in a new folder.
func open(t *testing.T) *site {
	t.Helper()
	return openIn(t, t.TempDir())
}

// openIn opens a site in a folder.
func openIn(t *testing.T, folder string) *site {
	t.Helper()
	s := &site{t: t, folder: folder, clock: clocktest.NewManual(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))}
	s.reopen()
	return s
}

// reopen opens the site again, as after a restart.
func (s *site) reopen() {
	s.t.Helper()
	var err error
	if s.Site, err = versions.Open(versions.Options{Folder: s.folder, Shared: s.shared, ID: "p", Clock: s.clock, MaxContent: max(1<<20, s.maxContent), MaxStored: 4 << 20}); err != nil {
		s.t.Fatal(err)
	}
	at := s.Site
	s.t.Cleanup(func() { _ = at.Close() })
}

// fill adds files to a version and uploads what is missing. It returns how many contents were.
func (s *site) fill(id string, files map[string]string) int {
	s.t.Helper()
	hashes, contents := make(map[string]string), make(map[string][]byte)
	for name, text := range files {
		packed, hash := versionstest.Pack(s.t, text)
		hashes[name], contents[hash] = hash, packed
	}
	missing, err := s.Populate(id, hashes)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, hash := range missing {
		if err := s.Upload(id, hash, bytes.NewReader(contents[hash])); err != nil {
			s.t.Fatal(err)
		}
	}
	return len(missing)
}

// finalized makes a finalized version of files.
func (s *site) finalized(config *versions.Config, files map[string]string) string {
	s.t.Helper()
	v, err := s.Create("ann", nil, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.fill(v.ID, files)
	if _, err := s.Finalize(s.t.Context(), v.ID, "ann", config, nil); err != nil {
		s.t.Fatal(err)
	}
	return v.ID
}

// release releases a version in a channel.
func (s *site) release(channel, id string) {
	s.t.Helper()
	if _, err := s.Release(s.t.Context(), versions.NewRelease{Channel: channel, Version: id, By: "ann"}); err != nil {
		s.t.Fatal(err)
	}
}

// get requests a path of a host, and returns the status and the response.
func (s *site) get(host, path string) (int, string) {
	s.t.Helper()
	w := s.response(host, path)
	return w.Code, w.Body.String()
}

// response requests a path of a host.
func (s *site) response(host, path string) *httptest.ResponseRecorder {
	before := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "folder") })
	w := httptest.NewRecorder()
	s.Handler(before).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://"+host+path, http.NoBody))
	return w
}

// want requests a path of the site, and expects a status and a text in the response.
func (s *site) want(path string, status int, text string) {
	s.t.Helper()
	if code, got := s.get("data.example.org", path); code != status || !strings.Contains(got, text) {
		s.t.Errorf("GET %s: %d %q, want %d with %q", path, code, got, status, text)
	}
}

// refused expects an error with a code.
func refused(t *testing.T, what string, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

// TestDeployments deploys two versions, goes back to the first one, disables the site, and opens it again after each.
func TestDeployments(t *testing.T) {
	s := open(t)
	s.want("/", 200, "folder")
	first := s.finalized(nil, map[string]string{"/index.html": "first", "/shared.txt": "shared", "/old.txt": "old"})
	s.want("/", 200, "folder")
	s.release(versions.Live, first)
	s.want("/", 200, "first")
	s.want("/missing", 404, "Not Found")

	v, err := s.Create("ann", nil, map[string]string{"a": "b"})
	if err != nil {
		t.Fatal(err)
	}
	if n := s.fill(v.ID, map[string]string{"/index.html": "second", "/shared.txt": "shared"}); n != 1 {
		t.Errorf("%d contents were uploaded, want the one that the first version lacks", n)
	}
	_, err = s.Release(t.Context(), versions.NewRelease{Channel: versions.Live, Version: v.ID})
	refused(t, "a release of a version that is not finalized", err, fault.FailedPrecondition)
	done, err := s.Finalize(t.Context(), v.ID, "bob", &versions.Config{CleanURLs: true}, nil)
	if err != nil || done.FileCount != 2 || done.Bytes != 12 || done.FinalizedBy != "bob" || done.Labels["a"] != "b" {
		t.Errorf("the finalized version is %+v, %v", done, err)
	}
	s.want("/", 200, "first")
	s.release(versions.Live, v.ID)
	for range 2 {
		s.want("/", 200, "second")
		s.want("/shared.txt", 200, "shared")
		s.want("/old.txt", 404, "Not Found")
		s.reopen()
	}
	if _, err := s.Release(t.Context(), versions.NewRelease{Channel: versions.Live, Version: first, Type: versions.Rollback}); err != nil {
		t.Fatal(err)
	}
	s.want("/", 200, "first")
	c, err := s.Channel(versions.Live)
	if err != nil || len(c.Releases) != 3 || c.Releases[0].Type != versions.Rollback || c.Releases[1].Version != v.ID || c.Releases[0].ID <= c.Releases[1].ID {
		t.Errorf("the releases are %+v, %v", c.Releases, err)
	}
	if _, err := s.Release(t.Context(), versions.NewRelease{Channel: versions.Live, Type: versions.Disable}); err != nil {
		t.Fatal(err)
	}
	s.reopen()
	s.want("/", 404, "Site Not Found")
}

// TestFinalizedVersionsDoNotChange expects that nothing changes a finalized version, or deletes one that is served.
func TestFinalizedVersionsDoNotChange(t *testing.T) {
	s := open(t)
	id := s.finalized(nil, map[string]string{"/index.html": "first"})
	s.release(versions.Live, id)
	packed, hash := versionstest.Pack(t, "other")
	_, err := s.Populate(id, map[string]string{"/index.html": hash})
	refused(t, "Populate", err, fault.FailedPrecondition)
	refused(t, "Upload", s.Upload(id, hash, bytes.NewReader(packed)), fault.FailedPrecondition)
	_, err = s.Finalize(t.Context(), id, "", nil, nil)
	refused(t, "Finalize", err, fault.FailedPrecondition)
	_, err = s.Update(id, &versions.Config{}, nil)
	refused(t, "Update", err, fault.FailedPrecondition)
	refused(t, "Delete", s.Delete(id), fault.FailedPrecondition)
	_, err = s.Release(t.Context(), versions.NewRelease{Channel: versions.Live, Version: "0123456789abcdef"})
	refused(t, "a release of an unknown version", err, fault.NotFound)
	refused(t, "Delete of a path", s.Delete("../state"), fault.NotFound)
	s.want("/", 200, "first")
}

// TestPaths adds files whose paths no URL has, or whose hashes are none. None of a request is added.
func TestPaths(t *testing.T) {
	s := open(t)
	v, err := s.Create("", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, hash := versionstest.Pack(t, "text")
	for _, name := range []string{
		"", "/", "index.html", "//a", "/a//b", "/a/", "/../a", "/a/../../b", "/..", "/.", "/a/./b", "/a\\..\\b", "/a\x00", "/a\nb", "/\xff", "/" + strings.Repeat("a", 1024),
	} {
		if _, err := s.Populate(v.ID, map[string]string{name: hash, "/good": hash}); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("the path %.50q: %v, want INVALID_ARGUMENT", name, err)
		}
	}
	for _, of := range []string{"", "../../state.json", strings.ToUpper(hash), hash[1:], hash + "0"} {
		if _, err := s.Populate(v.ID, map[string]string{"/a": of}); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("the hash %q: %v, want INVALID_ARGUMENT", of, err)
		}
	}
	if all, err := s.Files(v.ID); err != nil || len(all) > 0 {
		t.Errorf("the version has the files %v, %v, want none", all, err)
	}
	many := make(map[string]string)
	for i := range 20_001 {
		many[fmt.Sprint("/", i)] = hash
	}
	_, err = s.Populate(v.ID, many)
	refused(t, "too many files", err, fault.ResourceExhausted)
	if _, err := s.Populate(v.ID, map[string]string{"/año/página.html": hash, "/a b": hash, "/.well-known/x": hash}); err != nil {
		t.Error(err)
	}
}

// TestConfigurations serves a version by each part of its configuration, and refuses what can't be served.
func TestConfigurations(t *testing.T) {
	s := open(t)
	s.release(versions.Live, s.finalized(&versions.Config{
		CleanURLs: true, TrailingSlashBehavior: "REMOVE", I18n: &versions.I18n{Root: "/languages"}, AppAssociation: "AUTO",
		Headers:   []versions.Header{{Pattern: versions.Pattern{Glob: "**/*.html"}, Headers: map[string]string{"X-A": "1"}}, {Pattern: versions.Pattern{Regex: "^/t.*$"}, Headers: map[string]string{"X-B": "2"}}},
		Redirects: []versions.Redirect{{Pattern: versions.Pattern{Glob: "/old/:name"}, Location: "/new/:name", StatusCode: 302}},
		Rewrites: []versions.Rewrite{
			{Pattern: versions.Pattern{Glob: "/api/**"}, Run: &versions.Run{ServiceID: "absent", Region: "us-central1"}}, {Pattern: versions.Pattern{Glob: "/f"}, Function: "f"},
			{Pattern: versions.Pattern{Regex: "^/app/.*"}, Path: "/index.html"},
		},
	}, map[string]string{"/index.html": "index", "/page.html": "page", "/text.txt": "text", "/languages/es/text.txt": "texto"}))
	for _, tt := range []struct {
		path           string
		status         int
		text           string
		header, wanted string
	}{
		{"/page", 200, "page", "", ""}, {"/page.html", 301, "", "Location", "/page"}, {"/page/", 301, "", "Location", "/page"}, {"/old/a", 302, "", "Location", "/new/a"},
		{"/app/x/y", 200, "index", "", ""}, {"/api/x", 501, "", "", ""}, {"/f", 501, "a function", "", ""}, {"/text.txt", 200, "text", "X-B", "2"},
	} {
		w := s.response("data.example.org", tt.path)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.text) || tt.header != "" && w.Header().Get(tt.header) != tt.wanted {
			t.Errorf("GET %s: %d %q %v, want %d %q and %s %q", tt.path, w.Code, w.Body, w.Header(), tt.status, tt.text, tt.header, tt.wanted)
		}
	}
	for name, c := range map[string]*versions.Config{
		"a slash behavior":     {TrailingSlashBehavior: "MAYBE"},
		"an association":       {AppAssociation: "MAYBE"},
		"a regular expression": {Rewrites: []versions.Rewrite{{Pattern: versions.Pattern{Regex: "("}, Path: "/"}}},
		"two patterns":         {Rewrites: []versions.Rewrite{{Pattern: versions.Pattern{Regex: "a", Glob: "b"}, Path: "/"}}},
		"no pattern":           {Rewrites: []versions.Rewrite{{Path: "/"}}},
		"no target":            {Rewrites: []versions.Rewrite{{Pattern: versions.Pattern{Glob: "b"}}}},
		"no redirect":          {Redirects: []versions.Redirect{{Pattern: versions.Pattern{Glob: "b"}, Location: "/", StatusCode: 200}}},
		"no location":          {Redirects: []versions.Redirect{{Pattern: versions.Pattern{Glob: "b"}, StatusCode: 301}}},
		"two header fields":    {Headers: []versions.Header{{Pattern: versions.Pattern{Glob: "b"}, Headers: map[string]string{"A": "b\r\nC: d"}}}},
		"a large one":          {Headers: []versions.Header{{Pattern: versions.Pattern{Glob: "b"}, Headers: map[string]string{"A": strings.Repeat("x", 256<<10)}}}},
	} {
		if _, err := s.Create("", c, nil); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("a configuration with %s: %v, want INVALID_ARGUMENT", name, err)
		}
	}
}

// TestPreviews deploys to a preview with a host of its own, which ends at its time or when it is deleted.
func TestPreviews(t *testing.T) {
	s := open(t)
	s.release(versions.Live, s.finalized(nil, map[string]string{"/index.html": "live"}))
	c, err := s.CreateChannel("pr_1.A", versions.Life{After: 24 * time.Hour}, nil)
	if err != nil || !regexp.MustCompile(`^p--pr-1-a-[0-9a-z]{8}$`).MatchString(c.Label) {
		t.Fatalf("the channel is %+v, %v", c, err)
	}
	host := strings.ToUpper(c.Label) + ".data.example.org:8443"
	if code, _ := s.get(host, "/"); code != 404 {
		t.Errorf("a preview without a release is answered with %d, want 404", code)
	}
	s.release("pr_1.A", s.finalized(nil, map[string]string{"/index.html": "preview"}))
	s.reopen()
	if w := s.response(host, "/"); w.Code != 200 || w.Body.String() != "preview" || w.Header().Get("X-Robots-Tag") != "noindex" {
		t.Errorf("the preview: %d %q %v", w.Code, w.Body, w.Header())
	}
	s.want("/", 200, "live")
	if code, text := s.get("p--pr-1-a-00000000.data.example.org", "/"); code != 404 || strings.Contains(text, "live") {
		t.Errorf("an unknown preview: %d %q, want 404", code, text)
	}
	_, err = s.CreateChannel("pr_1.A", versions.Life{}, nil)
	refused(t, "a second channel of one id", err, fault.AlreadyExists)
	s.clock.Advance(24 * time.Hour)
	if code, _ := s.get(host, "/"); code != 404 {
		t.Errorf("a preview that has ended is answered with %d, want 404", code)
	}
	_, err = s.Channel("pr_1.A")
	refused(t, "a channel that has ended", err, fault.NotFound)
	_, err = s.Release(t.Context(), versions.NewRelease{Channel: "pr_1.A", Version: s.Versions()[0].ID})
	refused(t, "a release in a channel that has ended", err, fault.NotFound)
	if c, err = s.CreateChannel("pr_1.A", versions.Life{}, nil); err != nil {
		t.Fatalf("a channel in place of one that has ended: %v", err)
	}
	s.release("pr_1.A", s.Versions()[0].ID)
	if code, _ := s.get(c.Label+".localhost", "/"); code != 200 {
		t.Errorf("the new preview is answered with %d", code)
	}
	if err := s.DeleteChannel("pr_1.A"); err != nil {
		t.Fatal(err)
	}
	if code, _ := s.get(c.Label+".localhost", "/"); code != 404 {
		t.Errorf("a deleted preview is answered with %d, want 404", code)
	}
	for _, id := range []string{"", "-a", "a/b", "../a", strings.Repeat("a", 64), "live"} {
		if _, err := s.CreateChannel(id, versions.Life{}, nil); err == nil {
			t.Errorf("the channel %q was created", id)
		}
	}
	_, err = s.CreateChannel("b", versions.Life{After: 31 * 24 * time.Hour}, nil)
	refused(t, "a channel that ends late", err, fault.InvalidArgument)
	refused(t, "a deletion of the site", s.DeleteChannel(versions.Live), fault.InvalidArgument)
	_, err = s.UpdateChannel(versions.Live, &versions.Life{After: time.Hour}, nil)
	refused(t, "an end of the site", err, fault.InvalidArgument)
	for i := range 29 {
		if _, err := s.CreateChannel(fmt.Sprint("c", i), versions.Life{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	_, err = s.CreateChannel("more", versions.Life{}, nil)
	refused(t, "too many channels", err, fault.ResourceExhausted)
}

// TestOldVersionsAreRemoved releases more versions than are kept, and expects that the others are removed with their
// contents, and those of deployments that were not completed.
func TestOldVersionsAreRemoved(t *testing.T) {
	s := open(t)
	var ids, kept []string
	for i := range 15 {
		text := fmt.Sprint("content ", i)
		ids = append(ids, s.finalized(nil, map[string]string{"/index.html": text, "/same": "same"}))
		s.release(versions.Live, ids[i])
		if _, hash := versionstest.Pack(t, text); i >= 5 {
			kept = append(kept, hash)
		}
	}
	_, same := versionstest.Pack(t, "same")
	unused, err := s.Create("", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.fill(unused.ID, map[string]string{"/a": "unused"})
	s.clock.Advance(13 * time.Hour)
	if err := os.WriteFile(filepath.Join(s.folder, "upload-1"), []byte("rest of a killed process"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.reopen()
	s.release(versions.Live, ids[14])
	kept = kept[1:] // the release of the same version took the place of the oldest one
	kept = slices.Compact(kept)
	s.onlyContents(append(kept, same)...)
	for _, v := range s.Versions() {
		if !slices.Contains(ids[6:], v.ID) {
			t.Errorf("the version %s is kept", v.ID)
		}
	}
	s.release(versions.Live, ids[7])
	s.want("/", 200, "content 7")
}

// TestUnreleasedVersionsAreBounded creates versions without releasing them: the oldest make room for others.
func TestUnreleasedVersionsAreBounded(t *testing.T) {
	s := open(t)
	s.release(versions.Live, s.finalized(nil, map[string]string{"/index.html": "live"}))
	for range 50 {
		s.clock.Advance(time.Second)
		if _, err := s.Create("", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.Versions()); n != 21 {
		t.Errorf("%d versions are kept, want 20 and the released one", n)
	}
	s.want("/", 200, "live")
}

// TestRequestsSeeOneVersion requests a page and its files while versions are released by two deployments at once. Each
// response must be wholly of one version, and the file that a page names is that of the page or none.
func TestRequestsSeeOneVersion(t *testing.T) {
	s := open(t)
	const clients, releases = 4, 12
	var ids []string
	for n := range 4 {
		text := fmt.Sprint(n)
		ids = append(ids, s.finalized(&versions.Config{
			Headers:  []versions.Header{{Pattern: versions.Pattern{Glob: "**"}, Headers: map[string]string{"X-Version": text}}},
			Rewrites: []versions.Rewrite{{Pattern: versions.Pattern{Glob: "/app/**"}, Path: "/only-" + text + ".html"}},
		}, map[string]string{"/index.html": "page " + text, "/only-" + text + ".html": "page " + text, "/app-" + text + ".js": "script " + text}))
	}
	s.release(versions.Live, ids[0])
	stop := make(chan struct{})
	var requests, swaps sync.WaitGroup
	for range clients {
		requests.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				for _, path := range []string{"/", "/app/x"} {
					page := s.response("data.example.org", path)
					n := page.Header().Get("X-Version")
					if page.Code != 200 || page.Body.String() != "page "+n {
						t.Errorf("GET %s: %d %q with the header of version %q", path, page.Code, page.Body, n)
						return
					}
					script := s.response("data.example.org", "/app-"+n+".js")
					switch of := script.Header().Get("X-Version"); {
					case script.Code == 200 && (of != n || script.Body.String() != "script "+n), script.Code == 404 && of == n, script.Code != 200 && script.Code != 404:
						t.Errorf("the script of version %s: %d %q of version %s", n, script.Code, script.Body, of)
						return
					}
				}
			}
		})
	}
	for d := range 2 {
		swaps.Go(func() {
			for i := range releases {
				if _, err := s.Release(t.Context(), versions.NewRelease{Channel: versions.Live, Version: ids[(i*2+d)%len(ids)]}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	swaps.Wait()
	close(stop)
	requests.Wait()
}

// TestAChangeThatCannotBeWritten makes writing the state fail, and expects that the served version stays.
func TestAChangeThatCannotBeWritten(t *testing.T) {
	s := open(t)
	first, second := s.finalized(nil, map[string]string{"/index.html": "first"}), s.finalized(nil, map[string]string{"/index.html": "second"})
	s.release(versions.Live, first)
	if err := os.Mkdir(filepath.Join(s.folder, "state.json.new"), 0o700); err != nil { // the name of the new file
		t.Fatal(err)
	}
	_, err := s.Release(t.Context(), versions.NewRelease{Channel: versions.Live, Version: second})
	refused(t, "a release", err, fault.Unavailable)
	if strings.Contains(fault.FromError(err).Message, s.folder) {
		t.Errorf("the error names the folder: %v", err)
	}
	s.want("/", 200, "first")
	s.reopen()
	s.want("/", 200, "first")
}

// TestDamagedFolders opens folders with files that are not the site's, and with a state that can't be read.
func TestDamagedFolders(t *testing.T) {
	s := open(t)
	s.release(versions.Live, s.finalized(nil, map[string]string{"/index.html": "first"}))
	for _, name := range []string{"state.json.new", "versions/0123456789abcdef.json.new", "versions/notes.txt", "files/notes.txt"} {
		if err := os.WriteFile(filepath.Join(s.folder, name), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.reopen()
	s.want("/", 200, "first")
	if err := os.WriteFile(filepath.Join(s.folder, "state.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := versions.Open(versions.Options{Folder: s.folder, ID: "p"}); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("a damaged state: %v, want an error that names it", err)
	}
}
