package emulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// startPrinted runs `clave start` in memory and returns it with the lines that it prints until it is ready.
func startPrinted(t *testing.T, dir string, args ...string) (p *harness.Printed, until string) {
	t.Helper()
	return harness.Printing(t, harness.Command(t, dir, append([]string{"start", "--memory"}, args...)...))
}

// TestASecondHubIsReported starts a second program for the same project. It runs, and reports which of the two the
// tools find and the remedy.
func TestASecondHubIsReported(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	first, _ := harness.ProjectFolder(t, nil)
	one, output := startPrinted(t, first, "--project", "demo-words")
	if strings.Contains(output, "not registered") {
		t.Errorf("the first program wrote %s", output)
	}
	second, _ := harness.ProjectFolder(t, nil)
	two, output := startPrinted(t, second, "--project", "demo-words")
	for _, want := range []string{"Hub not registered for the project", "demo-words", fmt.Sprintf("process %d", one.Cmd.Process.Pid), "another --project"} {
		if !strings.Contains(output, want) {
			t.Errorf("the second program wrote %s, want %q in it", output, want)
		}
	}
	two.End()
	one.End()
}

// TestAddressesForPages expects localhost in every address for pages, because host prefixes of WebChannel work below
// that name only.
func TestAddressesForPages(t *testing.T) {
	dir, port := harness.ProjectFolder(t, nil)
	harness.AddSection(t, dir, `"hosting": {"public": "site"}`)
	if err := os.Mkdir(filepath.Join(dir, "site"), 0o700); err != nil {
		t.Fatal(err)
	}
	harness.WriteFile(t, filepath.Join(dir, "site", "index.html"), "home")
	p, output := startPrinted(t, dir, "--project", "demo-words")
	site := ""
	for line := range strings.Lines(output) {
		name, url, _ := strings.Cut(line, " ")
		url = strings.TrimSpace(url)
		if strings.Contains(url, "://") && !strings.Contains(url, "://localhost:") {
			t.Errorf("%s is at %s, want localhost", name, url)
		}
		if name == "Site" {
			site = url
		}
	}
	code, config := harness.Plain(t, http.MethodGet, site+"__/firebase/init.json", "")
	if code != http.StatusOK || strings.Contains(config, "127.0.0.1") {
		t.Errorf("init.json: %d %s", code, config)
	}
	if code, script := harness.Plain(t, http.MethodGet, site+"__/firebase/init.js?useEmulator=true", ""); code != http.StatusOK ||
		!strings.Contains(script, "localhost") || !strings.Contains(script, fmt.Sprint(port)) || strings.Contains(script, "127.0.0.1") {
		t.Errorf("init.js: %d, want Firestore at localhost and port %d: %s", code, port, script)
	}
	p.End()
}

// TestMissingIndexesCanBePasted runs a query without index, pastes the printed definition into the project's file, and
// runs the query with required indexes.
func TestMissingIndexesCanBePasted(t *testing.T) {
	dir, port := harness.ProjectFolder(t, nil)
	harness.AddSection(t, dir, `"firestore": {"indexes": "firestore.indexes.json"}`)
	file := filepath.Join(dir, "firestore.indexes.json")
	harness.WriteFile(t, file, `{"indexes": []}`)
	flags := []string{"--only", "firestore", "--project", "demo-e2e", "--indexes"}
	p, _ := startPrinted(t, dir, append(flags, "off")...)
	if code, answer := harness.RestIn(t, port, "demo-e2e", http.MethodPost, ":runQuery", cheapTalks); code != http.StatusOK {
		t.Fatalf("without index: %d %s", code, answer)
	}
	output := p.Until("has no index")
	if !strings.Contains(output, "--indexes record") || !strings.Contains(output, `"indexes" in firestore.indexes.json`) {
		t.Errorf("the warning is %s", output)
	}
	definition := p.Next()
	p.End()
	if !json.Valid([]byte(definition)) {
		t.Fatalf("the line after the warning is %s, want a definition in JSON", definition)
	}
	harness.WriteFile(t, file, `{"indexes": [`+definition+`]}`)
	p, _ = startPrinted(t, dir, append(flags, "enforce")...)
	if code, answer := harness.RestIn(t, port, "demo-e2e", http.MethodPost, ":runQuery", cheapTalks); code != http.StatusOK {
		t.Errorf("with the pasted index: %d %s", code, answer)
	}
	p.End()
}

// TestIndexFileThatDoesNotExist names an index file that does not exist. Development starts with a notice, as the
// official emulators start, and records indexes in the file. Production and deployments refuse.
func TestIndexFileThatDoesNotExist(t *testing.T) {
	dir, port := harness.ProjectFolder(t, map[string]string{"firestore.rules": harness.ProductionRules})
	config := filepath.Join(dir, "firebase.json")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	harness.WriteFile(t, config, strings.Replace(string(text), `"firestore.rules"`, `"firestore.rules", "indexes": "firestore.indexes.json"`, 1))
	file := filepath.Join(dir, "firestore.indexes.json")
	for _, args := range [][]string{
		{"serve", "--project", harness.RealProject, "--public-url", "http://127.0.0.1", "--port", fmt.Sprint(harness.FreePorts(t, 1)[0])},
		{"deploy", "--store", "postgres://127.0.0.1:1/none"},
	} {
		output, err := harness.Command(t, dir, args...).CombinedOutput()
		if err == nil || !strings.Contains(string(output), "Correct ") || !strings.Contains(string(output), filepath.Base(file)) {
			t.Errorf("clave %s: %v %s, want an error that names the file", args[0], err, output)
		}
	}
	p, output := startPrinted(t, dir, "--only", "firestore", "--project", "demo-e2e", "--indexes", "record")
	if !strings.Contains(output, "firestore.indexes.json, which firebase.json names, does not exist") {
		t.Errorf("the program printed %s, want a notice of the file", output)
	}
	if code, answer := harness.RestIn(t, port, "demo-e2e", http.MethodPost, ":runQuery", cheapTalks); code != http.StatusOK {
		t.Errorf("a query: %d %s", code, answer)
	}
	p.End()
	if recorded, err := os.ReadFile(file); err != nil || !json.Valid(recorded) {
		t.Errorf("the recorded indexes are %s, %v", recorded, err)
	}
}

// TestTheSitesFolder starts programs with an absolute folder for the site, a missing folder, and none. They serve
// pages, or a page with the reason.
func TestTheSitesFolder(t *testing.T) {
	elsewhere := t.TempDir()
	harness.WriteFile(t, filepath.Join(elsewhere, "index.html"), "home")
	for _, tt := range []struct {
		name, hosting string
		code          int
		page, output  string
		// refused is `clave serve`'s error; empty when it serves the site.
		refused string
	}{
		{"absolute", fmt.Sprintf(`{"public": %q}`, elsewhere), http.StatusOK, "home", "", ""},
		{"not there", `{"public": "dist"}`, http.StatusServiceUnavailable, "dist", "dist", "Build it"},
		{"absolute and not there", fmt.Sprintf(`{"public": %q}`, filepath.Join(elsewhere, "dist")), http.StatusServiceUnavailable, "dist", "dist", "Build it"},
		{"a file", fmt.Sprintf(`{"public": %q}`, filepath.Join(elsewhere, "index.html")), http.StatusServiceUnavailable, "index.html", "index.html", "index.html"},
		{"none", `{"rewrites": []}`, http.StatusServiceUnavailable, "public is missing", "No site", "public is missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, ports := t.TempDir(), harness.FreePorts(t, 4)
			harness.WriteFile(t, filepath.Join(dir, "firestore.rules"), harness.ProductionRules)
			harness.WriteFile(t, filepath.Join(dir, "firebase.json"), fmt.Sprintf(`{"firestore": {"rules": "firestore.rules"}, "hosting": %s,
				"emulators": {"firestore": {"port": %d, "websocketPort": %d}, "auth": {"port": %d}, "hosting": {"port": %d}}}`, tt.hosting, ports[0], ports[1], ports[2], ports[3]))
			p, output := startPrinted(t, dir, "--project", "demo-words")
			if !strings.Contains(output, tt.output) {
				t.Errorf("it wrote %s, want %q in it", output, tt.output)
			}
			if code, page := harness.Plain(t, http.MethodGet, fmt.Sprintf("http://localhost:%d/", ports[3]), ""); code != tt.code || !strings.Contains(page, tt.page) {
				t.Errorf("the page is %d %s, want %d with %q", code, page, tt.code, tt.page)
			}
			p.End()
			if tt.refused == "" {
				s := harness.Serve(t, dir, false)
				if code, _ := s.Request(t, http.MethodGet, "/", "", nil); code != http.StatusOK {
					t.Errorf("from serve: %d", code)
				}
				s.Stop(t)
				return
			}
			cmd := harness.ServeCommand(t, dir, nil, "--project", harness.RealProject, "--public-url", "https://data.example.org", "--port", "0")
			stop := harness.Limited(cmd)
			defer stop()
			if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), tt.refused) {
				t.Errorf("clave serve: %v, %s; want it refused with %q", err, out, tt.refused)
			}
		})
	}
}
