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
		got := parsed.Keyless()
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
}

// TestSignInProviders reads the ways to sign in that auth.providers turns off, which clave start ignores.
func TestSignInProviders(t *testing.T) {
	for _, c := range []struct {
		providers              string
		noAnonymous, passwords bool
		notes                  int
	}{
		{`{"anonymous": false, "emailPassword": false}`, true, true, 0},
		{`{"anonymous": true, "emailPassword": false}`, false, true, 0},
		{`{"anonymous": false, "anonymous": true}`, false, false, 1},
		{`{"anonymous": "false", "emailPassword": null}`, false, false, 2},
		{`{"googleSignIn": {}}`, false, false, 1},
		{`[]`, false, false, 1},
	} {
		path := write(t, map[string]string{"firebase.json": `{"firestore":{"rules":"firestore.rules"},"auth":{"providers":` + c.providers + `}}`, "firestore.rules": ""})
		parsed, err := config.Parse(config.ModeServe, append([]string{"--config", path, "--trust-proxy"}, serving()...), noEnv, io.Discard)
		if err != nil || parsed.Auth.NoAnonymous != c.noAnonymous || parsed.Auth.NoPasswords != c.passwords || len(parsed.Notes) != c.notes {
			t.Errorf("%s: %+v, %v; want %t, %t and %d notes", c.providers, parsed, err, c.noAnonymous, c.passwords, c.notes)
		}
		parsed, err = config.Parse(config.ModeStart, []string{"--config", path}, noEnv, io.Discard)
		if err != nil || parsed.Auth.NoAnonymous || parsed.Auth.NoPasswords {
			t.Errorf("clave start with %s: %+v, %v", c.providers, parsed, err)
		}
	}
}
