package config_test

import (
	"io"
	"strings"
	"testing"

	"clave/server/internal/app/config"
)

// TestTheSiteThatIsServed selects one of several sites with --only, as in the Firebase CLI. Its text keeps its place in
// the file.
func TestTheSiteThatIsServed(t *testing.T) {
	list := `{
  // sites
  "hosting": [{"target": "app", "public": "a"},
    {"site": "docs-site", "public": "d"}, {"public": "p"}, "x"],
  "emulators": {"hosting": {"port": 5000}}}`
	rc := `{"projects": {"default": "demo-x", "other": "demo-y"}, "targets": {"demo-x": {"hosting": {"app": ["app-live"]}, "storage": {"main": ["b"]}}, "demo-y": 5}}`
	const several = "firebase.json has 4 sites"
	for _, tt := range []struct {
		name, file string
		args       []string
		member     string
		public     string
		line       int
		note, err  string
	}{
		{"one", `{"hosting": {"public": "o"}}`, nil, "hosting", `"o"`, 1, "", ""},
		{"the only one of a list", `{"hosting": [{"public": "o"}]}`, nil, "hosting[0]", `"o"`, 1, "", ""},
		{"the first", list, nil, "hosting[0]", `"a"`, 3, several + ", of which Clave serves one: app. --only hosting:NAME chooses another: docs-site, hosting[2], hosting[3]", ""},
		{"a target", list, []string{"--only", "firestore,hosting:app"}, "hosting[0]", `"a"`, 3, "", ""},
		{"a site", list, []string{"--only", "hosting:docs-site"}, "hosting[1]", `"d"`, 4, "", ""},
		{"the site of a target", list, []string{"--only", "hosting:app-live"}, "hosting[0]", `"a"`, 3, "", ""},
		{"another project's target", list, []string{"--only", "hosting:app-live", "-P", "other"}, "", "", 0, "", "--only hosting:app-live: firebase.json has no such site or target; it has: app, docs-site, hosting[2], hosting[3]"},
		{"two", list, []string{"--only", "hosting:docs-site,hosting:app"}, "hosting[1]", `"d"`, 4, several, ""},
		{"all", list, []string{"--only", "hosting"}, "hosting[0]", `"a"`, 3, several, ""},
		{"none of them", list, []string{"--only", "auth"}, "", "", 0, "", ""},
		{"a list without sites", `{"hosting": []}`, nil, "", "", 0, "", ""},
		{"null", `{"hosting": null}`, nil, "", "", 0, "", ""},
		{"the last member counts", `{"hosting": {"public": "o"}, "hosting": {"public": "p"}}`, nil, "hosting", `"p"`, 1, "", ""},
		{"no section", `{}`, []string{"--only", "hosting:app"}, "", "", 0, "", ""},
	} {
		path := write(t, map[string]string{"firebase.json": tt.file, ".firebaserc": rc})
		c, err := config.Parse(config.ModeStart, append([]string{"--config", path}, tt.args...), noEnv, io.Discard)
		if tt.err != "" || err != nil {
			if err == nil || tt.err == "" || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.err)
			}
			continue
		}
		text := string(c.Hosting)
		if c.HostingMember != tt.member || c.ServesSite() != (tt.public != "") || !strings.Contains(text, tt.public) || strings.TrimLeft(text, " \n\t")[:min(1, len(text))] != tt.file[:min(1, len(text))] {
			t.Errorf("%s: serves %s: %q, want %s with %s", tt.name, c.HostingMember, text, tt.member, tt.public)
		}
		if at := strings.Index(text, `"public"`); at >= 0 && (strings.Count(text[:at], "\n")+1 != tt.line || tt.file[at:at+8] != `"public"`) {
			t.Errorf("%s: the site is at another place than in the file: %q", tt.name, text)
		}
		if notes := strings.Join(c.Notes, "\n"); !strings.Contains(notes, tt.note) || tt.note == "" && strings.Contains(notes, "sites") {
			t.Errorf("%s: the notes are %q, want %q", tt.name, notes, tt.note)
		}
	}
}
