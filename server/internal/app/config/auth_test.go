package config_test

import (
	"io"
	"path/filepath"
	"slices"
	"testing"

	"clave/server/internal/app/config"
)

// TestKeyless lists the folders in which no key file may be: that of the data, of backups, and of the site.
func TestKeyless(t *testing.T) {
	const rules = `{"firestore":{"rules":"firestore.rules"}`
	for _, c := range []struct {
		name, file string
		args       []string
		want       []string
	}{
		{"no site", rules + "}", nil, nil},
		{"a site", rules + `,"hosting":{"public":"web/dist"}}`, nil, []string{"web/dist"}},
		{"one of several sites", rules + `,"hosting":[{"target":"a","public":"one"},{"target":"b","public":"two"}],"emulators":{}}`, []string{"--only", "firestore,auth,hosting:b"}, []string{"two"}},
		{"a site that is not served", rules + `,"hosting":{"public":"web"}}`, []string{"--only", "firestore,auth"}, nil},
		{"backups", rules + `,"hosting":{"public":"."}}`, []string{"--backup-to", "/backups"}, []string{"/backups", ""}},
	} {
		path := write(t, map[string]string{"firebase.json": c.file, "firestore.rules": ""})
		args := append([]string{"--config", path, "--data", "/data", "--trust-proxy"}, append(serving(), c.args...)...)
		parsed, err := config.Parse(config.ModeServe, args, noEnv, io.Discard)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		want := []string{"/data"}
		for _, folder := range c.want {
			if !filepath.IsAbs(folder) {
				folder = filepath.Join(filepath.Dir(path), folder)
			}
			want = append(want, folder)
		}
		got := slices.DeleteFunc(parsed.Keyless(), func(folder string) bool { return folder == "" })
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
}
