package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"firebase.google.com/go/v4/auth"
)

// TestBackupOfARunningServer backs up a running server, writes more, and restores the backup into an empty folder. The
// restored data contain the accounts, sessions, keys and documents at the time of the backup and nothing later.
func TestBackupOfARunningServer(t *testing.T) {
	alone(t, "a backup is restored into a data folder")
	ctx := t.Context()
	dir, copied := productionFolder(t), filepath.Join(t.TempDir(), "copy")
	key := createKey(t, dir, "backend")
	p := serve(t, dir, true)
	accounts, documents := p.admin(t, key)
	if _, err := accounts.CreateUser(ctx, (&auth.UserToCreate{}).UID("ana").Email("ana@example.org").Password("secreta1")); err != nil {
		t.Fatal(err)
	}
	if _, err := documents.Doc("open/before").Set(ctx, map[string]any{"n": 1}); err != nil {
		t.Fatal(err)
	}
	signedIn := p.call(t, "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=k", map[string]any{"email": "ana@example.org", "password": "secreta1", "returnSecureToken": true})
	if out, err := command(t, dir, "backup", copied).CombinedOutput(); err != nil {
		t.Fatalf("backup: %v\n%s", err, out)
	}
	if _, err := documents.Doc("open/after").Set(ctx, map[string]any{"n": 1}); err != nil {
		t.Fatalf("the server does not go on after a backup: %v", err)
	}
	if out, err := command(t, dir, "restore", copied).CombinedOutput(); err == nil || !strings.Contains(string(out), "not empty") {
		t.Errorf("restore over a running server's data: %v %s", err, out)
	}
	p.stop(t)
	if err := os.Rename(filepath.Join(dir, ".clave"), filepath.Join(dir, "lost")); err != nil {
		t.Fatal(err)
	}
	if out, err := command(t, dir, "restore", copied).CombinedOutput(); err != nil {
		t.Fatalf("restore: %v\n%s", err, out)
	}
	p = serve(t, dir, true)
	documentsURL := "/v1/projects/" + realProject + "/databases/(default)/documents/open/"
	for name, want := range map[string]int{"before": 200, "after": 404} {
		if code, answer := p.request(t, http.MethodGet, documentsURL+name, "", nil); code != want {
			t.Errorf("open/%s in the restored data: %d %v, want %d", name, code, answer, want)
		}
	}
	if err := p.read(t, text(t, signedIn, "idToken"), "open/before"); err != nil {
		t.Errorf("a token from before the backup is refused: %v", err)
	}
	if code, answer := p.request(t, http.MethodPost, "/securetoken.googleapis.com/v1/token?key=k", "",
		map[string]any{"grant_type": "refresh_token", "refresh_token": text(t, signedIn, "refreshToken")}); code != 200 {
		t.Errorf("a session from before: %d %v", code, answer)
	}
	p.stop(t)
}

// TestBackupOfAStoppedServer backs up the data folder of a killed server and checks the errors for wrong arguments.
func TestBackupOfAStoppedServer(t *testing.T) {
	dir, port := projectFolder(t, nil)
	for name, args := range map[string][]string{"--data": {"backup", "copy"}, "is not a backup": {"restore", "copy"}, "name the folder": {"backup"}} {
		out, err := command(t, dir, args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), name) {
			t.Errorf("clave %v: %v %s, want %q in it", args, err, out, name)
		}
	}
	cmd, _ := startProgram(t, dir)
	if code, answer := rest(t, port, http.MethodPost, "/kept?documentId=a", `{"fields":{}}`); code != 200 {
		t.Fatalf("create: %d %v", code, answer)
	}
	if err := cmd.Process.Kill(); err != nil { // leaves its socket behind
		t.Fatal(err)
	}
	_ = waitForExit(t, cmd)
	if out, err := command(t, dir, "backup", "copy").CombinedOutput(); err != nil {
		t.Fatalf("backup of a killed server: %v\n%s", err, out)
	}
	startProgram(t, dir, "--data", "copy")
	if code, answer := rest(t, port, http.MethodGet, "/kept/a", ""); code != 200 {
		t.Errorf("the copy as a data folder: %d %v", code, answer)
	}
}
