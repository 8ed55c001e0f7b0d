package production

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"firebase.google.com/go/v4/auth"

	"clave/server/test/e2e/harness"
	"clave/server/test/kit/bucketserver"
	"clave/server/test/kit/wait"
)

// TestOperations runs the commands of operations.md: a server makes backups and restores one for trial, its data are
// lost, and a backup brings the documents and accounts back.
func TestOperations(t *testing.T) {
	backups := filepath.Join(t.TempDir(), "backups")
	dir := operate(t, backups)
	wantDamageFound(t, dir, backups)
}

// TestOperationsInABucket is TestOperations with encrypted backups in a bucket.
func TestOperationsInABucket(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL_S3", bucketserver.Memory(t).URL)
	t.Setenv("AWS_ACCESS_KEY_ID", bucketserver.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", bucketserver.SecretKey)
	keys := filepath.Join(t.TempDir(), "backup.key")
	if err := os.WriteFile(keys, []byte("AGE-SECRET-KEY-1LPMCWRC3EHFQEY0T5K5MMQ2HR3EXL2QZ60YSXP47HXAZUL0FXGQSGFNVFT\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	operate(t, "s3://"+bucketserver.Bucket+"/clave", "--backup-key-file", keys)
}

// operate runs the commands of operations.md with a place of backups and its flags, and returns the project's folder.
func operate(t *testing.T, backups string, place ...string) (dir string) {
	t.Helper()
	harness.Alone(t, "a backup is restored into a data folder")
	dir = harness.ProductionFolder(t)
	data, drill := filepath.Join(dir, ".clave"), filepath.Join(t.TempDir(), "drill")
	key := harness.CreateKey(t, dir, "backend")
	flags := append([]string{"--backup-to", backups, "--backup-every", "1s", "--backup-keep", "7d,4w,12m", "--backup-verify", "1s", "--metrics", "127.0.0.1:0"}, place...)
	p := harness.Serve(t, dir, true, flags...)
	accounts, documents := p.Admin(t, key)
	if _, err := accounts.CreateUser(t.Context(), (&auth.UserToCreate{}).UID("ana").Email("ana@example.org").Password("secreta1")); err != nil {
		t.Fatal(err)
	}
	if _, err := documents.Doc("open/kept").Set(t.Context(), map[string]any{"n": 1}); err != nil {
		t.Fatal(err)
	}
	list := func() string {
		out, err := harness.Command(t, dir, append([]string{"backups", "list", "--from", backups}, place...)...).CombinedOutput()
		if err != nil && !strings.Contains(string(out), "does not exist") {
			t.Fatalf("backups list: %v\n%s", err, out)
		}
		return string(out)
	}
	before := strings.Count(list(), "Z  ")
	wait.Until(t, "a backup of the document, and a trial restore", func() bool {
		text := list()
		return strings.Contains(text, "a trial restore succeeded") && strings.Count(text, "Z  ") >= before+2
	})
	p.Stop(t)
	if err := os.Rename(data, filepath.Join(dir, "lost")); err != nil {
		t.Fatal(err)
	}
	commands := commandsOf(t, "../../doc/operations.md")
	if len(commands) != 8 || !strings.HasPrefix(commands[0], "clave serve ") {
		t.Fatalf("operations.md has the commands %q", commands)
	}
	for _, command := range commands[1:] {
		words := strings.Fields(strings.NewReplacer("/var/lib/clave-drill", drill, "/var/lib/clave", data, "/backups", backups).Replace(command))
		if slices.Contains(words, "--from") {
			words = append(words, place...)
		}
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
	return dir
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
