package hub_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/suite/hub"
)

// locatorAt reads the locator in a folder.
func locatorAt(t *testing.T, path string) hub.Locator {
	t.Helper()
	var l hub.Locator
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &l)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestPublish(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "hub-demo-x.json")
	mine := hub.Locator{Version: "1", Origins: []string{"http://127.0.0.1:1"}, PID: os.Getpid()}
	theirs := hub.Locator{Version: "1", Origins: []string{"http://127.0.0.1:2"}, PID: os.Getppid()}
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(dir, "elsewhere")
	if err := os.WriteFile(elsewhere, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		before func() error
		taken  bool
	}{
		{"nothing", func() error { return nil }, false},
		{"one of a program that has ended", func() error { return writeLocator(path, hub.Locator{PID: gone.Process.Pid}) }, false},
		{"one of a program that runs", func() error { return writeLocator(path, theirs) }, true},
		{"no locator", func() error { return os.WriteFile(path, []byte("{"), 0o600) }, false},
		{"a link", func() error { return os.Symlink(elsewhere, path) }, false},
	} {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := tt.before(); err != nil {
			t.Fatal(err)
		}
		withdraw, err := hub.Publish(dir, "demo-x", mine)
		if tt.taken {
			if fault.CodeOf(err) != fault.FailedPrecondition || locatorAt(t, path).PID != theirs.PID {
				t.Errorf("%s: %v, and there is %+v; want it left alone", tt.name, err, locatorAt(t, path))
			}
			continue
		}
		if err != nil || locatorAt(t, path).Origins[0] != mine.Origins[0] {
			t.Fatalf("%s: %v, and there is %+v", tt.name, err, locatorAt(t, path))
		}
		if err := withdraw(); err != nil {
			t.Errorf("%s: withdraw: %v", tt.name, err)
		}
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s: the locator stays", tt.name)
		}
	}
	if text, err := os.ReadFile(elsewhere); err != nil || string(text) != "kept" {
		t.Errorf("what the link leads to is %q, %v", text, err)
	}
	withdraw, err := hub.Publish(dir, "demo-x", mine)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeLocator(path, theirs); err != nil {
		t.Fatal(err)
	}
	if err := withdraw(); err != nil || locatorAt(t, path).PID != theirs.PID {
		t.Errorf("another's locator was withdrawn: %v", err)
	}
	for _, project := range []string{"", "../x", `a\b`} {
		if _, err := hub.Publish(dir, project, mine); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("project %q: %v, want it refused", project, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.part")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", strings.Join(left, " "))
	}
}

// writeLocator writes a locator.
func writeLocator(path string, l hub.Locator) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}
