package production

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"firebase.google.com/go/v4/auth"

	"clave/server/test/e2e/harness"
	"clave/server/test/kit/wait"
)

// TestOperations runs the commands of operations.md: a server makes backups and restores one for trial, its data are
// lost, and a backup brings the documents and accounts back.
func TestOperations(t *testing.T) {
	harness.Alone(t, "a backup is restored into a data folder")
	dir, backups := harness.ProductionFolder(t), filepath.Join(t.TempDir(), "backups")
	data, drill := filepath.Join(dir, ".clave"), filepath.Join(t.TempDir(), "drill")
	key := harness.CreateKey(t, dir, "backend")
	flags := []string{"--backup-to", backups, "--backup-every", "1s", "--backup-keep", "7d,4w,12m", "--backup-verify", "1s", "--metrics", "127.0.0.1:0"}
	p := harness.Serve(t, dir, true, flags...)
	accounts, documents := p.Admin(t, key)
	if _, err := accounts.CreateUser(t.Context(), (&auth.UserToCreate{}).UID("ana").Email("ana@example.org").Password("secreta1")); err != nil {
		t.Fatal(err)
	}
	if _, err := documents.Doc("open/kept").Set(t.Context(), map[string]any{"n": 1}); err != nil {
		t.Fatal(err)
	}
	before := len(listed(t, backups))
	wait.Until(t, "a backup of the document, and a trial restore", func() bool {
		_, err := os.Stat(filepath.Join(backups, "proof.json"))
		return err == nil && len(listed(t, backups)) >= before+2
	})
	p.Stop(t)
	if err := os.Rename(data, filepath.Join(dir, "lost")); err != nil {
		t.Fatal(err)
	}
	commands := commandsOf(t, "../../doc/operations.md")
	if len(commands) != 7 || !strings.HasPrefix(commands[0], "clave serve ") {
		t.Fatalf("operations.md has the commands %q", commands)
	}
	for _, command := range commands[1:] {
		words := strings.Fields(strings.NewReplacer("/var/lib/clave-drill", drill, "/var/lib/clave", data, "/backups", backups).Replace(command))
		if out, err := harness.Command(t, dir, words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	p = harness.Serve(t, dir, true, flags...)
	if code, answer := p.Request(t, http.MethodGet, "/v1/projects/"+harness.RealProject+"/databases/(default)/documents/open/kept", "", nil); code != 200 {
		t.Errorf("the document in the restored data: %d %v", code, answer)
	}
	p.Call(t, "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=k", map[string]any{"email": "ana@example.org", "password": "secreta1", "returnSecureToken": true})
	p.Stop(t)
	wantDamageFound(t, dir, backups)
}

// commandsOf returns the lines of a page that are commands of clave.
func commandsOf(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?m)^clave .*$`).FindAllString(string(text), -1)
}

// listed returns the names of the complete backups in a folder.
func listed(t *testing.T, backups string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(backups, "*Z", "backup.json"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, list := range all {
		names = append(names, filepath.Base(filepath.Dir(list)))
	}
	return names
}

// wantDamageFound changes a byte of a file that only the newest backup has. Its verification must name the file and
// fail, and so must its restore.
func wantDamageFound(t *testing.T, dir, backups string) {
	t.Helper()
	names := listed(t, backups)
	newest := filepath.Join(backups, names[len(names)-1])
	current := filepath.Join(newest, "last-backup")
	if err := os.WriteFile(current, []byte("The time of this file is that of the lost backup.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := harness.Command(t, dir, "backups", "verify", "--from", backups).CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 1 || !strings.Contains(string(out), newest+" is damaged: the file last-backup is damaged") {
		t.Errorf("verify of a changed backup: %v\n%s", err, out)
	}
	out, err = harness.Command(t, dir, "backups", "restore", names[len(names)-1], "--from", backups, "--data", filepath.Join(dir, "refused")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "last-backup is damaged") {
		t.Errorf("restore of a changed backup: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "refused")); err == nil {
		t.Error("a refused restore left a data folder")
	}
}
