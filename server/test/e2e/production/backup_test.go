package production

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"firebase.google.com/go/v4/auth"

	"clave/server/test/e2e/harness"
)

// TestBackupOfARunningServer backs up a running server, writes more, and restores the backup into an empty folder. The
// restored data contain the accounts, sessions, keys and documents at the time of the backup and nothing later.
func TestBackupOfARunningServer(t *testing.T) {
	harness.Alone(t, "a backup is restored into a data folder")
	ctx := t.Context()
	dir, copied := harness.ProductionFolder(t), filepath.Join(t.TempDir(), "copy")
	key := harness.CreateKey(t, dir, "backend")
	p := harness.Serve(t, dir, true)
	accounts, documents := p.Admin(t, key)
	if _, err := accounts.CreateUser(ctx, (&auth.UserToCreate{}).UID("ana").Email("ana@example.org").Password("secreta1")); err != nil {
		t.Fatal(err)
	}
	if _, err := documents.Doc("open/before").Set(ctx, map[string]any{"n": 1}); err != nil {
		t.Fatal(err)
	}
	signedIn := p.Call(t, "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=k", map[string]any{"email": "ana@example.org", "password": "secreta1", "returnSecureToken": true})
	if out, err := harness.Command(t, dir, "backup", copied).CombinedOutput(); err != nil {
		t.Fatalf("backup: %v\n%s", err, out)
	}
	if _, err := documents.Doc("open/after").Set(ctx, map[string]any{"n": 1}); err != nil {
		t.Fatalf("the server does not go on after a backup: %v", err)
	}
	if out, err := harness.Command(t, dir, "restore", copied).CombinedOutput(); err == nil || !strings.Contains(string(out), "not empty") {
		t.Errorf("restore over a running server's data: %v %s", err, out)
	}
	p.Stop(t)
	if err := os.Rename(filepath.Join(dir, ".clave"), filepath.Join(dir, "lost")); err != nil {
		t.Fatal(err)
	}
	if out, err := harness.Command(t, dir, "restore", copied).CombinedOutput(); err != nil {
		t.Fatalf("restore: %v\n%s", err, out)
	}
	p = harness.Serve(t, dir, true)
	documentsURL := "/v1/projects/" + harness.RealProject + "/databases/(default)/documents/open/"
	for name, want := range map[string]int{"before": 200, "after": 404} {
		if code, answer := p.Request(t, http.MethodGet, documentsURL+name, "", nil); code != want {
			t.Errorf("open/%s in the restored data: %d %v, want %d", name, code, answer, want)
		}
	}
	if err := p.Read(t, text(t, signedIn, "idToken"), "open/before"); err != nil {
		t.Errorf("a token from before the backup is refused: %v", err)
	}
	if code, answer := p.Request(t, http.MethodPost, "/securetoken.googleapis.com/v1/token?key=k", "",
		map[string]any{"grant_type": "refresh_token", "refresh_token": text(t, signedIn, "refreshToken")}); code != 200 {
		t.Errorf("a session from before: %d %v", code, answer)
	}
	p.Stop(t)
}

// TestBackupOfAStoppedServer backs up the data folder of a killed server and checks the errors for wrong arguments.
func TestBackupOfAStoppedServer(t *testing.T) {
	dir, port := harness.ProjectFolder(t, nil)
	for name, args := range map[string][]string{"--data": {"backup", "copy"}, "is not a backup": {"restore", "copy"}, "name the folder": {"backup"}} {
		out, err := harness.Command(t, dir, args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), name) {
			t.Errorf("clave %v: %v %s, want %q in it", args, err, out, name)
		}
	}
	cmd, _ := harness.StartProgram(t, dir)
	if code, answer := harness.Rest(t, port, http.MethodPost, "/kept?documentId=a", `{"fields":{}}`); code != 200 {
		t.Fatalf("create: %d %v", code, answer)
	}
	if err := cmd.Process.Kill(); err != nil { // leaves its socket behind
		t.Fatal(err)
	}
	_ = harness.WaitForExit(t, cmd)
	if out, err := harness.Command(t, dir, "backup", "copy").CombinedOutput(); err != nil {
		t.Fatalf("backup of a killed server: %v\n%s", err, out)
	}
	harness.StartProgram(t, dir, "--data", "copy")
	if code, answer := harness.Rest(t, port, http.MethodGet, "/kept/a", ""); code != 200 {
		t.Errorf("the copy as a data folder: %d %v", code, answer)
	}
}
