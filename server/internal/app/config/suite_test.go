package config_test

import (
	"io"
	"path/filepath"
	"slices"
	"testing"

	"clave/server/internal/app/config"
)

// TestArgumentsOfTheFirebaseCLI parses the arguments of typical scripts that call the Firebase CLI.
func TestArgumentsOfTheFirebaseCLI(t *testing.T) {
	path := write(t, map[string]string{
		"firebase.json": `{"functions": {}, "storage": {"rules": "s.rules"}, "emulators": {"hub": {"port": 4401, "host": "::1"}, "pubsub": {}, "ui": {"enabled": true}}}`,
		".firebaserc":   `{"projects": {"default": "demo-def", "staging": "demo-staging"}}`,
	})
	t.Chdir(filepath.Dir(path))
	absent := "firebase.json names functions, pubsub, storage, of which Clave has no emulator"
	for _, tt := range []struct {
		name    string
		args    []string
		command []string
		only    []string
		project string
		notes   []string
	}{
		{"a line", []string{"npm test"}, []string{"npm test"}, nil, "demo-def", []string{absent}},
		{"an alias", []string{"-P", "staging", "npm test"}, []string{"npm test"}, nil, "demo-staging", []string{absent}},
		{"a project", []string{"--project", "other", "npm test"}, []string{"npm test"}, nil, "other", []string{absent}},
		{"flags behind a line", []string{"npm test", "--only", "auth,hosting:site", "-P", "staging"}, []string{"npm test"}, []string{"auth", "hosting"}, "demo-staging", nil},
		{"around it", []string{"--only", "auth", "npm test", "--export-on-exit", "out"}, []string{"npm test"}, []string{"auth"}, "demo-def", nil},
		{"flags of a command", []string{"jest", "-c", "x", "--only", "auth"}, []string{"jest", "-c", "x", "--only", "auth"}, nil, "demo-def", []string{absent}},
		{"flags of a command with a blank", []string{"--", "/my jest", "--only", "auth"}, []string{"/my jest", "--only", "auth"}, nil, "demo-def", []string{absent}},
		{"a value that looks like a line", []string{"--project", "a b", "jest", "-P"}, []string{"jest", "-P"}, nil, "a b", []string{absent}},
		{
			"flags that do nothing", []string{"--only", "auth", "--ui", "--inspect-functions", "9229", "--log-verbosity", "QUIET", "--non-interactive", "npm test"},
			[]string{"npm test"},
			[]string{"auth"}, "demo-def",
			[]string{
				"--inspect-functions does nothing: Clave runs no functions",
				"--log-verbosity does nothing: --verbose logs each request", "--non-interactive does nothing: Clave has no prompts",
			},
		},
	} {
		c, err := config.Parse(config.ModeExec, tt.args, noEnv, io.Discard)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if !slices.Equal(c.Command, tt.command) || !slices.Equal(c.Only, tt.only) || c.Project != tt.project || !slices.Equal(c.Notes, tt.notes) {
			t.Errorf("%s: command %q, only %q, project %q, notes %q", tt.name, c.Command, c.Only, c.Project, c.Notes)
		}
		if c.Ports.Hub != 4401 || c.HostFor(c.Hosts.Hub) != "::1" || slices.Contains(c.Loose, "hub") {
			t.Errorf("%s: hub at %s:%d, loose %q", tt.name, c.HostFor(c.Hosts.Hub), c.Ports.Hub, c.Loose)
		}
	}
}

// TestTheProjectOfFirebaserc checks the default project.
func TestTheProjectOfFirebaserc(t *testing.T) {
	for rc, want := range map[string]string{
		`{}`:                                     "demo-no-project",
		`{"projects": {"staging": "demo-only"}}`: "demo-only",
		`{"projects": {"staging": "demo-s", "default": "demo-d"}}`:          "demo-d",
		`{"projects": {"staging": "demo-s", "live": "demo-l"}, "etags":{}}`: "demo-no-project",
	} {
		path := write(t, map[string]string{"firebase.json": "{}", ".firebaserc": rc})
		c, err := config.Parse(config.ModeStart, []string{"--config", path}, noEnv, io.Discard)
		if err != nil || c.Project != want {
			t.Errorf(".firebaserc %s: project %q, %v, want %q", rc, c.Project, err, want)
		}
	}
}

func TestSingleProjectMode(t *testing.T) {
	for section, want := range map[string]bool{`{}`: true, `{"singleProjectMode": true}`: true, `{"singleProjectMode": false}`: false} {
		path := write(t, map[string]string{"firebase.json": `{"emulators": ` + section + `}`})
		c, err := config.Parse(config.ModeStart, []string{"--config", path}, noEnv, io.Discard)
		if err != nil || c.SingleProject != want {
			t.Errorf("emulators %s: %v, %v, want %v", section, c.SingleProject, err, want)
		}
	}
}
