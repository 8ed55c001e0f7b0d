package production

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/jackc/pgx/v5"

	"clave/server/internal/base/clock"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/pgtest"

	"clave/server/test/e2e/harness"
)

// movedIndexes lists the composite indexes of the moved data.
const movedIndexes = `{"indexes": [{"collectionGroup": "rooms", "queryScope": "COLLECTION", "fields": [
	{"fieldPath": "kind", "order": "ASCENDING"}, {"fieldPath": "n", "order": "DESCENDING"}]}]}`

// movedPasskey is the id of a passkey of the moved data.
const movedPasskey = "the-key-of-ann"

// mover is a project whose data are moved.
type mover struct {
	folder          string
	firestore, auth int
	// token is an ID token of the account, and refresh its refresh token.
	token, refresh string
	// tenant is the id of the tenant, and accounts what accountState returned before the move.
	tenant, accounts string
}

// newMover creates a project's folder.
func newMover(t *testing.T) *mover {
	t.Helper()
	folder, port := harness.ProjectFolder(t, map[string]string{
		"firestore.indexes.json": movedIndexes,
		"firestore.rules":        "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents/{all=**} { allow read, write; } }",
	})
	m := &mover{folder: folder, firestore: port}
	config := filepath.Join(folder, "firebase.json")
	before, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	harness.WriteFile(t, config, strings.Replace(string(before), `"rules":`, `"indexes": "firestore.indexes.json", "rules":`, 1))
	var parsed struct {
		Emulators struct{ Auth struct{ Port int } }
	}
	if err := json.Unmarshal(before, &parsed); err != nil {
		t.Fatal(err)
	}
	m.auth = parsed.Emulators.Auth.Port
	return m
}

// started runs a server on a data folder or a store, calls do, and then stops the server.
func (m *mover) started(t *testing.T, do func(c *firestore.Client), flags ...string) {
	t.Helper()
	cmd, _ := harness.StartProgram(t, m.folder, append([]string{"--project", harness.Project, "--sign-tokens", "--indexes", "enforce"}, flags...)...)
	do(harness.ClientAt(t, fmt.Sprintf("127.0.0.1:%d", m.firestore)))
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := harness.WaitForExit(t, cmd); err != nil {
		t.Errorf("clave start %v ended with %v", flags, err)
	}
}

// fill writes documents and an account.
func (m *mover) fill(t *testing.T, c *firestore.Client) {
	t.Helper()
	for path, data := range map[string]func(i int) map[string]any{
		"rooms/r%d":          func(i int) map[string]any { return map[string]any{"kind": i % 3, "n": i} },
		"rooms/r%d/chairs/c": func(int) map[string]any { return map[string]any{"legs": 4} },
	} {
		err := c.RunTransaction(t.Context(), func(_ context.Context, tx *firestore.Transaction) error {
			var all error
			for i := range 300 {
				all = errors.Join(all, tx.Set(c.Doc(fmt.Sprintf(path, i)), data(i)))
			}
			return all
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	answer := m.identity(t, "signUp", map[string]any{"email": "ann@example.org", "password": "correct horse", "returnSecureToken": true})
	m.token, _ = answer["idToken"].(string)
	m.refresh, _ = answer["refreshToken"].(string)
	m.client(t, "v2/accounts/passkeyEnrollment:finalize", harness.Object{"idToken": m.token, "authenticatorRegistrationResponse": harness.Object{"id": movedPasskey}})
	m.fillTenant(t)
	m.accounts = m.accountState(t)
}

// toolkit calls a method of the Identity Toolkit as the owner and returns the response.
func (m *mover) toolkit(t *testing.T, method, path string, body any) string {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	code, answer := harness.Plain(t, method, fmt.Sprintf("http://127.0.0.1:%d/identitytoolkit.googleapis.com/%s", m.auth, path), string(text))
	if code != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, code, answer)
	}
	return answer
}

// fillTenant writes a tenant with an account, a disabled account, one with a second factor and custom claims, and
// provider configurations.
func (m *mover) fillTenant(t *testing.T) {
	t.Helper()
	at := "projects/" + harness.Project
	var tenant struct{ Name string }
	if err := json.Unmarshal([]byte(m.toolkit(t, http.MethodPost, "v2/"+at+"/tenants", harness.Object{"displayName": "school", "allowPasswordSignup": true})), &tenant); err != nil {
		t.Fatal(err)
	}
	id := tenant.Name[strings.LastIndexByte(tenant.Name, '/')+1:]
	m.toolkit(t, http.MethodPost, "v1/"+at+"/tenants/"+id+"/accounts", harness.Object{"email": "pupil@example.org", "password": "correct horse"})
	m.toolkit(t, http.MethodPost, "v1/"+at+"/accounts", harness.Object{"localId": "gone", "email": "gone@example.org", "disabled": true})
	m.toolkit(t, http.MethodPost, "v1/"+at+"/accounts", harness.Object{"localId": "two", "email": "two@example.org", "emailVerified": true, "password": "correct horse",
		"mfaInfo": []harness.Object{{"displayName": "phone", "phoneInfo": "+34600000000"}}})
	m.toolkit(t, http.MethodPost, "v1/"+at+"/accounts:update", harness.Object{"localId": "two", "customAttributes": `{"role":"staff"}`})
	m.toolkit(t, http.MethodPost, "v2/"+at+"/oauthIdpConfigs?oauthIdpConfigId=oidc.school", harness.Object{"displayName": "School", "enabled": true, "clientId": "c", "issuer": "https://issuer.example.org"})
	m.toolkit(t, http.MethodPost, "v2/"+at+"/tenants/"+id+"/oauthIdpConfigs?oauthIdpConfigId=oidc.pupils", harness.Object{"displayName": "Pupils", "enabled": true, "clientId": "d", "issuer": "https://issuer.example.org"})
	m.tenant = id
}

// accountState returns all accounts, tenants and provider configurations as JSON, without the times of sign-ins.
func (m *mover) accountState(t *testing.T) string {
	t.Helper()
	at := "projects/" + harness.Project
	var all []string
	for _, path := range []string{
		"v1/" + at + "/accounts:batchGet?maxResults=100", "v1/" + at + "/tenants/" + m.tenant + "/accounts:batchGet?maxResults=100",
		"v2/" + at + "/tenants", "v2/" + at + "/oauthIdpConfigs", "v2/" + at + "/tenants/" + m.tenant + "/oauthIdpConfigs",
	} {
		all = append(all, path, m.toolkit(t, http.MethodGet, path, nil))
	}
	return signInTimes.ReplaceAllString(strings.Join(all, "\n"), "")
}

// signInTimes matches the times of sign-ins in accounts, which the tests change.
var signInTimes = regexp.MustCompile(`,?"(lastLoginAt|lastRefreshAt)":"[^"]*"`)

// identity calls a method of the Identity Toolkit.
func (m *mover) identity(t *testing.T, method string, body map[string]any) map[string]any {
	t.Helper()
	return m.client(t, "v1/accounts:"+method, body)
}

// client calls the Identity Toolkit as a client.
func (m *mover) client(t *testing.T, path string, body map[string]any) map[string]any {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/identitytoolkit.googleapis.com/%s?key=k", m.auth, path)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	res, answer := harness.Do(t, http.DefaultClient, r)
	var out map[string]any
	if err := json.Unmarshal([]byte(answer), &out); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s", path, res.StatusCode, answer)
	}
	return out
}

// check reads all data of fill: documents by name, by an index and by a collection group, the account by its password,
// and the account's token by the keys.
func (m *mover) check(t *testing.T, c *firestore.Client) {
	t.Helper()
	byIndex, err := c.Collection("rooms").Where("kind", "==", 1).OrderBy("n", firestore.Desc).Documents(t.Context()).GetAll()
	if err != nil || len(byIndex) != 100 || byIndex[0].Data()["n"] != int64(298) {
		t.Errorf("a query by a composite index: %d documents, %v; want 100, the first with 298", len(byIndex), err)
	}
	chairs, err := c.CollectionGroup("chairs").Documents(t.Context()).GetAll()
	if err != nil || len(chairs) != 300 {
		t.Errorf("a query of a collection group: %d documents, %v; want 300", len(chairs), err)
	}
	if accounts := m.accountState(t); accounts != m.accounts {
		t.Errorf("the accounts are\n%s\nafter the move, and were\n%s", accounts, m.accounts)
	}
	m.identity(t, "signInWithPassword", map[string]any{"email": "pupil@example.org", "password": "correct horse", "tenantId": m.tenant})
	m.identity(t, "signInWithPassword", map[string]any{"email": "ann@example.org", "password": "correct horse"})
	in := m.client(t, "v2/accounts/passkeySignIn:finalize", harness.Object{"authenticatorAuthenticationResponse": harness.Object{"id": movedPasskey}})
	if users, _ := m.identity(t, "lookup", map[string]any{"idToken": in["idToken"]})["users"].([]any); len(users) != 1 || !strings.Contains(fmt.Sprint(users), "ann@example.org") {
		t.Errorf("the passkey signs in as %v, want ann@example.org", users)
	}
	m.exchange(t)
	if users, _ := m.identity(t, "lookup", map[string]any{"idToken": m.token})["users"].([]any); len(users) != 1 {
		t.Errorf("a lookup by a token of before the move: %v, want the account", users)
	}
}

// exchange requests an ID token by the refresh token of before the move.
func (m *mover) exchange(t *testing.T) {
	t.Helper()
	body := strings.NewReader("grant_type=refresh_token&refresh_token=" + url.QueryEscape(m.refresh))
	res, err := http.Post(fmt.Sprintf("http://127.0.0.1:%d/securetoken.googleapis.com/v1/token?key=k", m.auth), "application/x-www-form-urlencoded", body)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("an exchange of a refresh token of before the move: %s", res.Status)
	}
}

// move runs `clave move` and checks its exit status and output.
func move(t *testing.T, from, to string, succeeds bool, prints ...string) {
	t.Helper()
	out, err := harness.Command(t, t.TempDir(), "move", "--from", from, "--to", to).CombinedOutput()
	for _, want := range prints {
		if (err == nil) != succeeds || !strings.Contains(string(out), want) {
			t.Fatalf("clave move: %v\n%s\nwant success %t and %q", err, out, succeeds, want)
		}
	}
}

// killedMove locks the state in PostgreSQL, runs `clave move`, and kills it once it has begun.
func killedMove(t *testing.T, url, from, to string, begun func() bool) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), "begin; lock table clave_state in share row exclusive mode"); err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(from, "postgres") { // this direction only reads PostgreSQL
		if _, err := conn.Exec(t.Context(), "lock table clave_state in access exclusive mode"); err != nil {
			t.Fatal(err)
		}
	}
	cmd := harness.Command(t, t.TempDir(), "move", "--from", from, "--to", to)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for !begun() {
		if err := clock.Sleep(ctx, clock.System(), 20*time.Millisecond); err != nil {
			t.Fatalf("the move did not begin: %v", err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // ended by the signal
}

// wantRefused checks that a server does not start, and the error that it prints.
func (m *mover) wantRefused(t *testing.T, want string, flags ...string) {
	t.Helper()
	out, err := harness.Command(t, m.folder, append([]string{"start", "--project", harness.Project}, flags...)...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), want) {
		t.Errorf("clave start %v: %v %s; want %q", flags, err, out, want)
	}
}

// moveToSmallDisk runs `clave move` to a disk that is too small for the data, if the test may mount one. It must say so
// and leave nothing.
func moveToSmallDisk(t *testing.T, url string) {
	t.Helper()
	mount := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=2m", "move", mount).CombinedOutput(); err != nil {
		t.Logf("no small disk can be mounted: %v: %s", err, out)
		return
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", mount).Run() })
	move(t, url, filepath.Join(mount, "data"), false, "there is no space for the data in "+mount)
	if left, err := os.ReadDir(mount); err != nil || len(left) > 0 {
		t.Errorf("a move to a full disk leaves %v, %v", left, err)
	}
}

// TestMove moves the data of a folder to PostgreSQL and back. Each move follows an attempt that was killed halfway.
func TestMove(t *testing.T) {
	url := pgtest.New(t).Database()
	m := newMover(t)
	first, second := filepath.Join(m.folder, "first"), filepath.Join(m.folder, "second")
	m.started(t, func(c *firestore.Client) { m.fill(t, c) }, "--data", first)

	members, err := postgres.OpenMembers(t.Context(), url, nil) // creates the tables
	if err != nil {
		t.Fatal(err)
	}
	if err := members.Close(); err != nil {
		t.Fatal(err)
	}
	killedMove(t, url, first, url, func() bool {
		st, err := postgres.ReadStatus(t.Context(), url)
		return err == nil && strings.HasPrefix(st.Leader, "clave move from")
	})
	node := []string{"--store", url, "--data", filepath.Join(m.folder, "node")}
	m.wantRefused(t, "run it again", node...)
	move(t, first, url, true, "documents of "+harness.Project+"/(default): rooms", "documents of "+harness.Project+"/(default): chairs", "accounts of "+harness.Project, "signing keys", "Moved.")
	move(t, first, url, false, "not empty")
	m.started(t, func(c *firestore.Client) {
		m.check(t, c)
		move(t, url, second, false, "is serving this database")
	}, node...)

	moveToSmallDisk(t, url)
	killedMove(t, url, url, second, func() bool {
		_, err := os.Stat(filepath.Join(second, "restoring"))
		return err == nil
	})
	m.wantRefused(t, "Run clave move again", "--data", second)
	move(t, url, second, true, "documents of "+harness.Project+"/(default): rooms", "accounts of "+harness.Project, "signing keys", "Moved.")
	move(t, url, second, false, "not empty")
	m.started(t, func(c *firestore.Client) { m.check(t, c) }, "--data", second)
	m.started(t, func(c *firestore.Client) { m.check(t, c) }, "--data", first) // the source is unchanged
	m.started(t, func(c *firestore.Client) { m.check(t, c) }, node...)
	move(t, filepath.Join(m.folder, "nowhere"), url, false, "there are no data")
	move(t, first, second, false, "clave backup copies a folder")
}
