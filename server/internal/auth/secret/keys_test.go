package secret_test

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/auth/secret"
	"clave/server/internal/auth/secret/secrettest"
)

// TestSeal seals, opens and replaces keys.
func TestSeal(t *testing.T) {
	old := secrettest.Keys(t, "old")
	sealed := old.Seal("hunter2", "p/google.com")
	if strings.Contains(sealed, "hunter2") || sealed == old.Seal("hunter2", "p/google.com") {
		t.Fatalf("sealed as %s", sealed)
	}
	both := secrettest.Keys(t, "new", "old")
	for name, k := range map[string]*secret.Keys{"the key": old, "a newer key before it": both} {
		if got, err := k.Open(sealed, "p/google.com"); got != "hunter2" || err != nil {
			t.Errorf("with %s: %q, %v", name, got, err)
		}
	}
	if !old.Fresh(sealed) || both.Fresh(sealed) || !both.Fresh(both.Seal("x", "y")) {
		t.Error("Fresh does not follow the first key")
	}
}

// TestOpenRefuses opens secrets that are another key's, another place's or changed.
func TestOpenRefuses(t *testing.T) {
	k := secrettest.Keys(t, "old")
	sealed := k.Seal("hunter2", "p/google.com")
	changed := []byte(sealed)
	changed[len(changed)-5] = map[bool]byte{true: 'B', false: 'A'}[changed[len(changed)-5] == 'A']
	for name, c := range map[string]struct {
		keys          *secret.Keys
		sealed, place string
		unknown       bool
	}{
		"another key":       {secrettest.Keys(t, "another"), sealed, "p/google.com", true},
		"no key":            {nil, sealed, "p/google.com", true},
		"another place":     {k, sealed, "p/apple.com", false},
		"changed":           {k, string(changed), "p/google.com", false},
		"cut":               {k, sealed[:len(sealed)-12], "p/google.com", false},
		"another version":   {k, strings.Replace(sealed, "v1.", "v0.", 1), "p/google.com", false},
		"nothing":           {k, "", "p/google.com", false},
		"a key's id alone":  {k, strings.Join(strings.Split(sealed, ".")[:2], ".") + ".", "p/google.com", false},
		"a secret in plain": {k, "hunter2", "p/google.com", false},
	} {
		got, err := c.keys.Open(c.sealed, c.place)
		if err == nil || got != "" || errors.Is(err, secret.ErrUnknownKey) != c.unknown {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestParseRefuses reads files without proper keys. The errors name the line and nothing of it.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"": "no key", "# only a comment\n": "no key", secrettest.Line("old") + "\nhunter2-hunter2-hunter2-hunter2!": "line 2", secrettest.Line("old")[:40]: "line 1",
		base64.StdEncoding.EncodeToString(make([]byte, 32)): "not random", strings.Repeat(secrettest.Line("old")+"\n", 101): "more than 100",
	} {
		if _, err := secret.Parse(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

// TestLoad reads files, and refuses those that others can read or that lie in a data folder.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	for _, sub := range []string{data, filepath.Join(data, "deep"), filepath.Join(dir, "database")} {
		if err := os.Mkdir(sub, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("# made today\n\n"+secrettest.Line("old")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(write("data/deep/linked", 0o600), link); err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(data, "link")
	if err := os.Symlink(write("elsewhere", 0o600), inside); err != nil {
		t.Fatal(err)
	}
	big := write("big", 0o600)
	if err := os.WriteFile(big, []byte(strings.Repeat("#\n", 40<<10)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ file, want string }{
		"a key":                       {write("key", 0o600), ""},
		"a key of a group":            {write("group", 0o640), ""},
		"a folder whose name begins":  {write("database/key", 0o400), ""},
		"readable by everybody":       {write("open", 0o644), "mode"},
		"changeable by a group":       {write("changeable", 0o660), "mode"},
		"in the data folder":          {write("data/key", 0o600), "is in the folder"},
		"deep in the data folder":     {write("data/deep/key", 0o600), "is in the folder"},
		"a link into the data folder": {link, "is in the folder"},
		"a link in the data folder":   {inside, "is in the folder"},
		"a folder":                    {filepath.Join(dir, "database"), "not a regular file"},
		"no file":                     {filepath.Join(dir, "none"), "cannot be read"},
		"a large file":                {big, "more than"},
	} {
		k, err := secret.Load(c.file, "", data, filepath.Join(dir, "not made yet"))
		switch {
		case c.want == "" && (err != nil || !strings.Contains(k.Names(), c.file)):
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
