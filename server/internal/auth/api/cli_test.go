package api_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// firebaseCLI finds the firebase command: CLAVE_TEST_FIREBASE, the one that `make test` installs for server/test/e2e,
// or the
// one in the PATH. If there is none, the test is skipped.
func firebaseCLI(t *testing.T) string {
	t.Helper()
	for _, path := range []string{os.Getenv("CLAVE_TEST_FIREBASE"), "../../../test/e2e/functions/node_modules/.bin/firebase"} {
		if path == "" {
			continue
		}
		if full, err := filepath.Abs(path); err == nil {
			if _, err := os.Stat(full); err == nil {
				return full
			}
		}
	}
	path, err := exec.LookPath("firebase")
	if err != nil {
		t.Skip("skipped: there is no firebase command (make server/test/e2e/functions/node_modules/.installed, or set CLAVE_TEST_FIREBASE)")
	}
	return path
}

// firebase runs the CLI against the fixture's server and returns its output.
func (w *fixture) firebase(t *testing.T, cli string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), cli, append(args, "--project", project, "--non-interactive")...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+cmd.Dir, "XDG_CONFIG_HOME="+cmd.Dir, "CI=1", "FIREBASE_TOKEN=none", "FIREBASE_CLI_DISABLE_UPDATE_CHECK=1",
		"FIREBASE_GOOGLE_URL="+w.url+"/www.googleapis.com", "FIREBASE_RESOURCEMANAGER_URL="+w.url+"/resourcemanager")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("firebase %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestFirebaseCLI imports a file of users by `firebase auth:import`, signs them in, and exports them by `firebase
// auth:export`: the file must be the same. The first run uses passwords that another project hashed, the second run
// that export.
func TestFirebaseCLI(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Node")
	}
	cli := firebaseCLI(t)
	from, folder := newFixture(t, setup{}), t.TempDir()
	for i, email := range []string{"ann@example.com", "ben@example.com"} {
		from.signUp(email, fmt.Sprintf("secret%d", i))
	}
	from.must(from.admin("POST", "v1/projects/"+project+"/accounts", object{
		"localId": "full", "email": "full@example.com", "emailVerified": true, "password": "secret9", "phoneNumber": "+18095550101", "displayName": "Full, \"Name\"",
		"photoUrl": "https://p.example/1.png", "disabled": true, "customAttributes": `{"role":"editor","n":[1,2]}`,
	}))
	from.must(from.admin("POST", "v1/projects/"+project+"/accounts:update", object{"localId": "full", "linkProviderUserInfo": object{
		"providerId": "google.com", "rawId": "g1", "email": "full@gmail.example", "displayName": "Full", "photoUrl": "https://p.example/2.png",
	}}))
	first := filepath.Join(folder, "first.json")
	from.firebase(t, cli, "auth:export", first)
	hash := from.must(from.admin("GET", "v2/projects/"+project+"/config", nil))["signIn"].(object)["hashConfig"].(object)
	flags := func(file string) []string {
		return []string{
			"auth:import", file, "--hash-algo=SCRYPT", "--hash-key=" + hash["signerKey"].(string), "--salt-separator=" + hash["saltSeparator"].(string),
			fmt.Sprintf("--rounds=%v", hash["rounds"]), fmt.Sprintf("--mem-cost=%v", hash["memoryCost"]),
		}
	}
	for _, name := range []string{"second.json", "third.csv"} {
		to := newFixture(t, setup{})
		source := first
		if strings.HasSuffix(name, ".csv") {
			source = filepath.Join(folder, "from.csv")
			from.firebase(t, cli, "auth:export", source)
		}
		if output := to.firebase(t, cli, flags(source)...); !strings.Contains(output, "Imported successfully") {
			t.Fatalf("auth:import wrote:\n%s", output)
		}
		out := filepath.Join(folder, name)
		to.firebase(t, cli, "auth:export", out)
		if got, want := users(t, out), users(t, source); got != want {
			t.Errorf("%s:\n%s\nwant what was taken in:\n%s", name, got, want)
		}
		for i, email := range []string{"ann@example.com", "ben@example.com"} {
			to.must(to.client("signInWithPassword", object{"email": email, "password": fmt.Sprintf("secret%d", i)}))
		}
		if got := to.refusal("signInWithPassword", object{"email": "full@example.com", "password": "secret9"}); got != "USER_DISABLED" {
			t.Errorf("the disabled user: %q", got)
		}
	}
}

// users reads an export, in a form to compare. Passwords must be in it.
func users(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(file, ".csv") {
		if fields := strings.Split(string(text), ","); len(fields) < 5 || fields[3] == "" || fields[4] == "" {
			t.Fatalf("%s has no passwords:\n%s", file, text)
		}
		return string(text)
	}
	var all struct{ Users []map[string]any }
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatalf("%s: %v\n%s", file, err, text)
	}
	for _, u := range all.Users {
		if u["passwordHash"] == nil || u["salt"] == nil {
			t.Errorf("%v was exported without its password", u["email"])
		}
	}
	out, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
