package production

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// listed returns the names of the complete backups in a folder.
func listed(t *testing.T, backups string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(backups, "backups", "*Z.json"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, list := range all {
		names = append(names, strings.TrimSuffix(filepath.Base(list), ".json"))
	}
	return names
}

// wantDamageFound changes a byte of an object that the newest backup has. Its verification must name the object and
// fail, and so must its restore.
func wantDamageFound(t *testing.T, dir, backups string) {
	t.Helper()
	names := listed(t, backups)
	newest := names[len(names)-1]
	list, err := os.ReadFile(filepath.Join(backups, "backups", newest+".json"))
	if err != nil {
		t.Fatal(err)
	}
	name := string(regexp.MustCompile(`"objects":\[{"name":"([0-9a-f]{64})"`).FindSubmatch(list)[1])
	object := filepath.Join(backups, "objects", name[:2], name)
	text, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	text[0] ^= 1
	if err := os.WriteFile(object, text, 0o600); err != nil {
		t.Fatal(err)
	}
	want := "the object objects/" + name[:2] + "/" + name + " is damaged"
	out, err := harness.Command(t, dir, "backups", "verify", "--from", backups).CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 1 || !strings.Contains(string(out), newest+" is damaged: "+want) {
		t.Errorf("verify of a changed backup: %v\n%s", err, out)
	}
	out, err = harness.Command(t, dir, "backups", "restore", newest, "--from", backups, "--data", filepath.Join(dir, "refused")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), want) {
		t.Errorf("restore of a changed backup: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "refused")); err == nil {
		t.Error("a refused restore left a data folder")
	}
}
