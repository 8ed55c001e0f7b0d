package service_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/secret"
	"clave/server/internal/auth/secret/secrettest"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/pebble/pebbletest"
)

// hidden is the client secret of the tests, and hiddenKey the private key.
const (
	hidden    = "hunter2-of-the-client"
	hiddenKey = "hunter2-of-the-team"
)

// sealing is a production server on a store that outlives it.
type sealing struct {
	*fixture
	store *pebble.Store
}

// openSealing opens a production server with keys.
func openSealing(t *testing.T, st *pebble.Store, keys *secret.Keys) *sealing {
	t.Helper()
	if st == nil {
		st = pebbletest.Open(t)
	}
	return &sealing{open(t, func(o *service.Options) {
		o.Accounts, o.Secrets, o.Emulator, o.EmulatorSettings = account.New(st), keys, false, false
	}), st}
}

// create stores a provider with secrets.
func (s *sealing) create(id string) (map[string]any, error) {
	body := map[string]any{
		"enabled": true, "clientId": "c", "clientSecret": hidden,
		"appleSignInConfig": map[string]any{"codeFlowConfig": map[string]any{"teamId": "T", "privateKey": hiddenKey}},
	}
	return s.CreateIdpConfig(s.t.Context(), admin, &service.IdpConfigRequest{Kind: idp.Default, ID: id, Body: body})
}

// config returns the configuration of a provider as the API shows it.
func (s *sealing) config(id string) map[string]any {
	s.t.Helper()
	got, err := s.GetIdpConfig(s.t.Context(), admin, &service.IdpConfigRequest{Kind: idp.Default, ID: id})
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

// secrets returns the secrets of a provider, opened with keys.
func (s *sealing) secrets(id string, keys *secret.Keys) (string, error) {
	s.t.Helper()
	var stored struct {
		ClientSecret idp.Secret `json:"clientSecret"`
		Apple        struct {
			Flow struct {
				PrivateKey idp.Secret `json:"privateKey"`
			} `json:"codeFlowConfig"`
		} `json:"appleSignInConfig"`
	}
	scope := account.Scope{Project: project}
	if found, err := account.New(s.store).Load(scope, idp.Default, id, &stored); err != nil || !found {
		s.t.Fatalf("%s: %v, %v", id, found, err)
	}
	at := idp.Place{Scope: scope, Kind: idp.Default, ID: id}
	first, err := stored.ClientSecret.Open(keys, at, "clientSecret")
	if err != nil {
		return "", err
	}
	second, err := stored.Apple.Flow.PrivateKey.Open(keys, at, "appleSignInConfig", "codeFlowConfig", "privateKey")
	return first + " " + second, err
}

// wantOpened fails unless keys open the secrets of a provider.
func (s *sealing) wantOpened(id string, keys *secret.Keys, want string) {
	s.t.Helper()
	if got, err := s.secrets(id, keys); got != want || err != nil {
		s.t.Errorf("the secrets of %s: %q, %v; want %q", id, got, err, want)
	}
}

// wantHidden fails if a text is anywhere in the store.
func (s *sealing) wantHidden(text string) {
	s.t.Helper()
	it := s.store.Scan(store.Range{})
	defer func() { _ = it.Close() }()
	n := 0
	for it.Next() {
		value, err := it.Value()
		if err != nil {
			s.t.Fatal(err)
		}
		if strings.Contains(string(value), text) {
			s.t.Errorf("%q has %q in plain text", it.Key(), text)
		}
		n++
	}
	if n == 0 || it.Err() != nil {
		s.t.Errorf("read %d values, %v", n, it.Err())
	}
}

// wantSecretless fails if an answer shows anything of a secret.
func wantSecretless(t *testing.T, what string, answer any) {
	t.Helper()
	text, err := json.Marshal(answer)
	if err != nil || strings.Contains(string(text), "hunter2") || strings.Contains(string(text), "sealed") || strings.Contains(string(text), "clientSecret") {
		t.Errorf("%s shows %s, %v", what, text, err)
	}
}

// TestSecretsAreSealed stores, changes, lists and exports a provider. The secrets are nowhere in plain text, and keep
// their values until they are changed.
func TestSecretsAreSealed(t *testing.T) {
	keys := secrettest.Keys(t, "key")
	s := openSealing(t, nil, keys)
	made, err := s.create("google.com")
	if err != nil || made["clientId"] != "c" {
		t.Fatalf("%v, %v", made, err)
	}
	wantSecretless(t, "CreateIdpConfig", made)
	s.wantOpened("google.com", keys, hidden+" "+hiddenKey)
	change := func(mask []string, body map[string]any) error {
		changed, err := s.UpdateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.Default, ID: "google.com", Mask: mask, Body: body})
		wantSecretless(t, "UpdateIdpConfig", changed)
		return err
	}
	if err := change([]string{"clientId"}, map[string]any{"clientId": "d"}); err != nil {
		t.Fatal(err)
	}
	s.wantOpened("google.com", keys, hidden+" "+hiddenKey)
	if err := change(nil, map[string]any{"clientSecret": "hunter2-new"}); err != nil {
		t.Fatal(err)
	}
	s.wantOpened("google.com", keys, "hunter2-new "+hiddenKey)
	s.wantHidden("hunter2")
	wantSecretless(t, "GetIdpConfig", s.config("google.com"))
	listed, err := s.ListIdpConfigs(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.Default})
	wantSecretless(t, "ListIdpConfigs", listed)
	if err != nil {
		t.Error(err)
	}
	exported, err := s.ExportIdpConfigs(t.Context(), admin)
	if err != nil || len(exported) != 1 || strings.Join(exported[0].Secrets, " ") != "clientSecret appleSignInConfig.codeFlowConfig.privateKey" {
		t.Errorf("exported %+v, %v", exported, err)
	}
	wantSecretless(t, "ExportIdpConfigs", exported[0].Config)
	if err := change([]string{"clientSecret"}, map[string]any{}); err != nil {
		t.Fatal(err)
	}
	s.wantOpened("google.com", keys, " "+hiddenKey)
}

// TestForgedSecrets stores secrets that are not texts, such as a sealed one that is copied from another provider.
func TestForgedSecrets(t *testing.T) {
	s := openSealing(t, nil, secrettest.Keys(t, "key"))
	if _, err := s.create("google.com"); err != nil {
		t.Fatal(err)
	}
	sealed := map[string]any{"sealed": secrettest.Keys(t, "key").Seal("x", "y")}
	for name, body := range map[string]map[string]any{
		"an object":     {"clientSecret": sealed},
		"a list":        {"clientSecret": []any{"x"}},
		"a number":      {"clientSecret": 1.0},
		"a sealed key":  {"appleSignInConfig": map[string]any{"codeFlowConfig": map[string]any{"privateKey": sealed}}},
		"a long secret": {"clientSecret": strings.Repeat("x", 1<<20)},
	} {
		for _, mask := range [][]string{nil, {"clientSecret", "appleSignInConfig"}, {"clientSecret.sealed", "appleSignInConfig.codeFlowConfig.privateKey"}} {
			_, err := s.UpdateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.Default, ID: "google.com", Mask: mask, Body: body})
			if err == nil || !strings.HasPrefix(apierror.Text(err), "INVALID_CONFIG") {
				t.Errorf("%s with the mask %v: %v", name, mask, err)
			}
		}
		body["clientId"] = "c"
		if _, err := s.CreateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.Default, ID: "apple.com", Body: body}); err == nil {
			t.Errorf("%s was created", name)
		}
	}
	s.wantOpened("google.com", secrettest.Keys(t, "key"), hidden+" "+hiddenKey)
}

// certificate returns a certificate in PEM.
func certificate(t *testing.T) string {
	t.Helper()
	made, err := idp.NewSigner(time.Now())()
	if err != nil {
		t.Fatal(err)
	}
	return made.Certificate
}

// TestNoKey stores secrets on a server without keys. A server of a developer shows them, as the official emulator.
func TestNoKey(t *testing.T) {
	s := openSealing(t, nil, nil)
	if made, err := s.create("google.com"); err == nil || !strings.Contains(err.Error(), "--secret-key-file") || strings.Contains(err.Error(), hidden) {
		t.Errorf("%v, %v", made, err)
	}
	if _, err := s.CreateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.Default, ID: "google.com", Body: map[string]any{"clientId": "c"}}); err != nil {
		t.Errorf("without a secret: %v", err)
	}
	_, err := s.UpdateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.Default, ID: "google.com", Body: map[string]any{"clientSecret": hidden}})
	if err == nil || !strings.Contains(err.Error(), "--secret-key-file") {
		t.Errorf("a later secret: %v", err)
	}
	signed := map[string]any{
		"idpConfig": map[string]any{"idpEntityId": "i", "ssoUrl": "https://idp.example", "signRequest": true, "idpCertificates": []any{map[string]any{"x509Certificate": certificate(t)}}},
		"spConfig":  map[string]any{"spEntityId": "s"},
	}
	_, err = s.CreateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.SAML, ID: "saml.signed", Body: signed})
	if err == nil || !strings.Contains(err.Error(), "--secret-key-file") {
		t.Errorf("signed requests: %v", err)
	}
	if err := s.SealSecrets(t.Context()); err != nil {
		t.Error(err)
	}
	developer := &sealing{open(t, unchanged), nil}
	if made, err := developer.create("google.com"); err != nil || made["clientSecret"] != hidden {
		t.Errorf("in development: %v, %v", made, err)
	}
}

// TestOldSecretsAreSealed starts a server with keys on data with secrets in plain text, replaces the key, and starts
// with other keys and without any.
func TestOldSecretsAreSealed(t *testing.T) {
	st := pebbletest.Open(t)
	old := openSealing(t, st, nil)
	plain := map[string]any{"clientId": "c", "clientSecret": hidden, "appleSignInConfig": map[string]any{"codeFlowConfig": map[string]any{"privateKey": hiddenKey}}}
	for _, tenant := range []string{"", "school"} {
		err := account.New(st).Change(t.Context(), account.Scope{Project: project, Tenant: tenant}, nil, func(ch *account.Change) error {
			return ch.Save(idp.Default, "google.com", plain)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	wantSecretless(t, "a server without keys", old.config("google.com"))
	for _, c := range []struct {
		keys *secret.Keys
		want string
	}{{secrettest.Keys(t, "first"), ""}, {secrettest.Keys(t, "second", "first"), ""}, {secrettest.Keys(t, "second"), ""}, {secrettest.Keys(t, "first"), "school"}, {nil, "school"}} {
		err := openSealing(t, st, c.keys).SealSecrets(t.Context())
		switch {
		case c.want == "" && err == nil:
			old.wantOpened("google.com", c.keys, hidden+" "+hiddenKey)
		case c.want == "" || err == nil:
			t.Errorf("with %s: %v", c.keys.Names(), err)
		default:
			for _, want := range []string{project, "tenant school", "google.com", "clientSecret", "key"} {
				if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
					t.Errorf("%v, which does not name %s", err, want)
				}
			}
		}
		old.wantHidden("hunter2")
	}
	// What another key has sealed can be replaced without that key.
	wrong := openSealing(t, st, secrettest.Keys(t, "first"))
	if _, err := wrong.UpdateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.Default, ID: "google.com", Body: map[string]any{"clientSecret": "hunter2-new"}}); err != nil {
		t.Error(err)
	}
}

// TestManyLockedSecrets names ten of the providers that cannot be opened, and counts the others.
func TestManyLockedSecrets(t *testing.T) {
	s := openSealing(t, nil, secrettest.Keys(t, "first"))
	for i := range 12 {
		if _, err := s.create(fmt.Sprintf("p%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	err := openSealing(t, s.store, secrettest.Keys(t, "other")).SealSecrets(t.Context())
	if err == nil || !strings.Contains(err.Error(), "and 15 more") || len(err.Error()) > 4000 {
		t.Errorf("%v", err)
	}
}

// TestImportedProviders imports exported providers: into another project, where the secrets are missing, and where they
// are stored already.
func TestImportedProviders(t *testing.T) {
	keys := secrettest.Keys(t, "key")
	from := openSealing(t, nil, keys)
	if _, err := from.create("google.com"); err != nil {
		t.Fatal(err)
	}
	export := func() *service.ExportedIdpConfig {
		all, err := from.ExportIdpConfigs(t.Context(), admin)
		if err != nil || len(all) != 1 {
			t.Fatalf("%v, %v", all, err)
		}
		return &all[0]
	}
	to := openSealing(t, nil, keys)
	missing, err := to.ImportIdpConfig(t.Context(), admin, export())
	if err != nil || len(missing) != 2 {
		t.Fatalf("missing %v, %v", missing, err)
	}
	if got, err := to.secrets("google.com", keys); err == nil || !strings.Contains(err.Error(), "store it again") {
		t.Errorf("opened %q, %v", got, err)
	}
	if err := to.SealSecrets(t.Context()); err != nil {
		t.Errorf("a start with missing secrets: %v", err)
	}
	wantSecretless(t, "an imported provider", to.config("google.com"))
	if missing, err := from.ImportIdpConfig(t.Context(), admin, export()); err != nil || len(missing) > 0 {
		t.Errorf("where the secrets are: missing %v, %v", missing, err)
	}
	from.wantOpened("google.com", keys, hidden+" "+hiddenKey)
	other := export()
	other.Config["clientId"] = "of-somebody-else" // The secret must not be sent to the provider of another client.
	if missing, err := from.ImportIdpConfig(t.Context(), admin, other); err != nil || len(missing) != 2 {
		t.Errorf("another client: missing %v, %v", missing, err)
	}
	for name, in := range map[string]*service.ExportedIdpConfig{
		"a secret":             {Kind: idp.Default, ID: "a", Config: map[string]any{"clientId": "c", "clientSecret": hidden}},
		"a sealed secret":      {Kind: idp.Default, ID: "a", Config: map[string]any{"clientId": "c", "clientSecret": map[string]any{"sealed": "v1.a.b"}}},
		"another kind of item": {Kind: "tenant", ID: "a", Config: map[string]any{}},
		"nothing":              {Kind: idp.Default, ID: "a"},
	} {
		if _, err := to.ImportIdpConfig(t.Context(), admin, in); err == nil {
			t.Errorf("%s was imported", name)
		}
	}
}

// TestProvidersOfADeletedTenant deletes a tenant. Its providers go with it.
func TestProvidersOfADeletedTenant(t *testing.T) {
	s := openSealing(t, nil, secrettest.Keys(t, "key"))
	tenant, err := s.CreateTenant(t.Context(), admin, &service.TenantRequest{Body: map[string]any{"displayName": "school"}})
	if err != nil {
		t.Fatal(err)
	}
	in := admin
	in.Tenant = tenant.TenantID
	request := &service.IdpConfigRequest{Kind: idp.Default, ID: "google.com", Body: map[string]any{"clientId": "c", "clientSecret": hidden}}
	if _, err := s.CreateIdpConfig(t.Context(), in, request); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DeleteTenant(t.Context(), admin, &service.TenantRequest{ID: tenant.TenantID}); err != nil {
		t.Fatal(err)
	}
	if all, err := s.ExportIdpConfigs(t.Context(), admin); err != nil || len(all) > 0 {
		t.Errorf("%v, %v are left", all, err)
	}
}
