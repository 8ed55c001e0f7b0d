package production

import (
	"encoding/hex"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/e2e/harness"
	"clave/server/test/kit/openid"
)

// movedSecret is the secret of the provider of TestProvidersMove.
const movedSecret = "hunter2-of-the-moved-provider"

// TestProvidersMove signs in with a provider after its data were backed up and restored, moved to PostgreSQL and back
// to a folder, and exported and imported. Copies contain its secret sealed, exports do not contain it: it is stored
// again. The settings of Auth come along on each way; the modes and debug tokens of App Check do so on all but exports.
func TestProvidersMove(t *testing.T) {
	harness.Alone(t, "data folders are moved and restored")
	database := pgtest.New(t).Database()
	issuer := openid.New(t)
	issuer.ClientSecret = movedSecret
	dir := harness.ProductionFolder(t)
	data := func(name string) string { return filepath.Join(dir, name) }
	run := func(wants string, args ...string) {
		t.Helper()
		out, err := harness.Command(t, dir, args...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), wants) || strings.Contains(string(out), movedSecret) {
			t.Fatalf("clave %v: %v, want %q\n%s", args, err, wants, out)
		}
	}
	add := func(flags ...string) {
		t.Helper()
		harness.WriteFile(t, data("moved.secret"), movedSecret)
		run("oidc.moved", append([]string{"providers", "add", "oidc.moved", "--client-id", issuer.ClientID, "--client-secret-file", "moved.secret", "--issuer", issuer.URL, "--project", harness.RealProject, "--secret-key-file", "secret.keys"}, flags...)...)
		plain := []string{"providers", "add", "oauth.moved", "--client-id", issuer.ClientID, "--client-secret-file", "moved.secret", "--authorization-url", issuer.URL + "/authorize", "--token-url", issuer.URL + "/token"}
		run("oauth.moved", slices.Concat(plain, []string{"--user-info-url", issuer.URL + "/userinfo", "--scope", "profile", "--project", harness.RealProject, "--secret-key-file", "secret.keys"}, flags)...)
		if err := os.Remove(data("moved.secret")); err != nil {
			t.Fatal(err)
		}
	}
	// served runs a server, signs in, and stops the server.
	served := func(want string, flags ...string) {
		t.Helper()
		p := harness.Serve(t, dir, false, flags...)
		for _, id := range []string{"oidc.moved", "oauth.moved"} {
			if got := signInMoved(t, p, id); got != want {
				t.Errorf("signing in at %s with %v: %q, want %q", id, flags, got, want)
			}
		}
		wantMovedSettings(t, p)
		p.Stop(t)
	}
	list := func(flags ...string) {
		t.Helper()
		run("saml.moved    -        enabled   clave-of-saml", append([]string{"providers", "list", "--project", harness.RealProject}, flags...)...)
	}
	listTokens := func(wants string, flags ...string) {
		t.Helper()
		run(wants, append([]string{"appcheck", "list", "--project", harness.RealProject}, flags...)...)
	}
	p := harness.Serve(t, dir, false)
	add()
	writeCertificate(t, dir)
	run("", "providers", "add", "saml.moved", "--idp-entity-id", "idp", "--sso-url", "https://idp.example", "--certificate-file", "idp.cert", "--sp-entity-id", "clave-of-saml", "--project", harness.RealProject)
	if got := signInMoved(t, p, "oidc.moved"); got != "" {
		t.Fatalf("signing in: %s", got)
	}
	settings := harness.Object{
		"authorizedDomains":    []string{"127.0.0.1", "moved.example"},
		"passwordPolicyConfig": harness.Object{"passwordPolicyEnforcementState": "ENFORCE", "passwordPolicyVersions": []harness.Object{{"customStrengthOptions": harness.Object{"minPasswordLength": 11}}}},
	}
	if code, answer := p.Request(t, http.MethodPatch, "/identitytoolkit.googleapis.com/v2/projects/"+harness.RealProject+"/config?updateMask=authorizedDomains,passwordPolicyConfig", accessOf(t, harness.CreateKey(t, dir, "backend")), settings); code != http.StatusOK {
		t.Fatalf("the settings: %d %v", code, answer)
	}
	wantMovedSettings(t, p)
	run("", "appcheck", "add", checkedApp, "--name", "of-a-laptop", "--project", harness.RealProject)
	run("", "backup", "copy")
	p.Stop(t)
	run("clientSecret of oidc.moved", "export", "exported", "--project", harness.RealProject)
	noSecretBelow(t, dir)

	run("", "restore", "copy", "--data", "restored")
	served("", "--data", "restored")
	list("--data", "restored")
	listTokens("of-a-laptop", "--data", "restored")

	run("", "move", "--from", "restored", "--to", database)
	served("", "--store", database)
	noSecretIn(t, database)
	run("", "move", "--from", database, "--to", "back")
	served("", "--data", "back")
	list("--data", "back")
	listTokens("of-a-laptop", "--data", "back")

	// The providers of the project came along, without secrets.
	run("clientSecret of oauth.moved", "import", "exported", "--data", "imported", "--project", harness.RealProject)
	list("--data", "imported")
	served("OPERATION_NOT_ALLOWED", "--data", "imported")
	add("--data", "imported")
	served("", "--data", "imported")
	noSecretBelow(t, dir)
}

// wantMovedSettings reports settings of Auth that clients see if they are not those of TestProvidersMove.
func wantMovedSettings(t *testing.T, p *harness.Production) {
	t.Helper()
	const toolkit = "/identitytoolkit.googleapis.com/"
	_, project := p.Request(t, http.MethodGet, toolkit+"v1/projects?key=k", "", nil)
	if domains, _ := project["authorizedDomains"].([]any); !slices.Contains(domains, any("moved.example")) {
		t.Errorf("the authorized domains are %v, want moved.example among them", domains)
	}
	_, policy := p.Request(t, http.MethodGet, toolkit+"v2/passwordPolicy?key=k", "", nil)
	if options, _ := policy["customStrengthOptions"].(map[string]any); options["minPasswordLength"] != 11.0 || policy["enforcementState"] != "ENFORCE" {
		t.Errorf("the password policy is %v, want 11 letters", policy)
	}
}

// signInMoved signs in at a provider by the API, and returns the code of the error or nothing.
func signInMoved(t *testing.T, p *harness.Production, id string) string {
	t.Helper()
	const toolkit = "/identitytoolkit.googleapis.com/v1/accounts:"
	refused := func(answer map[string]any) string {
		of, _ := answer["error"].(map[string]any)
		code, _, _ := strings.Cut(text(t, of, "message"), " ")
		return code
	}
	status, begun := p.Request(t, http.MethodPost, toolkit+"createAuthUri?key=k", "", map[string]any{"providerId": id, "continueUri": p.URL + "/__/auth/handler"})
	if status != http.StatusOK {
		return refused(begun)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, text(t, begun, "authUri"), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	body := url.Values{"providerId": {id}}.Encode()
	status, answer := p.Request(t, http.MethodPost, toolkit+"signInWithIdp?key=k", "", map[string]any{
		"requestUri": res.Header.Get("Location"), "postBody": body, "sessionId": begun["sessionId"], "returnSecureToken": true,
	})
	if status != http.StatusOK {
		return refused(answer)
	}
	if text(t, answer, "email") != "ann@example.com" {
		t.Errorf("signed in as %v", answer)
	}
	return ""
}

// noSecretBelow fails if a file below a folder contains the secret.
func noSecretBelow(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), movedSecret) {
			t.Errorf("%s contains the secret", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// noSecretIn fails if a table of a database contains the secret.
func noSecretIn(t *testing.T, database string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	rows, err := conn.Query(t.Context(), "select quote_ident(schemaname) || '.' || quote_ident(tablename) from pg_tables where schemaname not in ('pg_catalog', 'information_schema')")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) == 0 {
		t.Fatalf("the database has the tables %v, %v", tables, err)
	}
	found := 0
	for _, table := range tables {
		// Values are shown in hexadecimal digits.
		var secrets, providers int
		query := "select count(*) filter (where position($1 in row_to_json(t)::text) > 0), count(*) filter (where position($2 in row_to_json(t)::text) > 0) from " + table + " t"
		if err := conn.QueryRow(t.Context(), query, hex.EncodeToString([]byte(movedSecret)), hex.EncodeToString([]byte("sealed"))).Scan(&secrets, &providers); err != nil {
			t.Fatal(err)
		}
		if secrets > 0 {
			t.Errorf("the table %s contains the secret", table)
		}
		found += providers
	}
	if found == 0 {
		t.Error("no table contains a sealed secret: the search does not see values")
	}
}
