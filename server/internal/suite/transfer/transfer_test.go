package transfer_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/suite/transfer"
)

// TestSummary prints counts with the right number of their nouns.
func TestSummary(t *testing.T) {
	for want, sum := range map[string]transfer.Summary{
		"1 document, 0 accounts": {Documents: 1}, "2 documents, 1 account": {Documents: 2, Accounts: 1},
	} {
		if got := sum.String(); got != want {
			t.Errorf("%+v prints %q, want %q", sum, got, want)
		}
	}
}

// TestSuite imports a folder that the Emulator Suite wrote, with documents exported by the official emulator.
func TestSuite(t *testing.T) {
	h := newFixture(t, cheap)
	sum, err := h.Import(t.Context(), "testdata/suite")
	if err != nil {
		t.Fatal(err)
	}
	if sum.String() != "4 documents, 3 accounts" || len(sum.Notes) > 0 {
		t.Errorf("imported %v, notes %q", sum, sum.Notes)
	}
	const place = "projects/demo-x/databases/(default)/documents/"
	want := map[string]value.Map{
		"all/__id7__": {},
		"all/types": {
			"null": value.Null{}, "t": value.Bool(true), "f": value.Bool(false), "i": value.Int(42), "neg": value.Int(-7), "d": value.Double(1.5),
			"nan": value.Double(math.Float64frombits(0x7FF8 << 48)), "d0": value.Double(3), "ts": value.Timestamp{Seconds: 1767323045, Nanos: 678901000}, "s": value.String("hé"),
			"empty": value.String(""), "long": value.String(strings.Repeat("x", 2000)), "b": value.Bytes("\x00\x01\x02\xff"),
			"r": value.Reference(place + "a/b/c/d"), "g": value.GeoPoint{Lat: 18.5, Lng: -69.9}, "a0": value.Array{},
			"a1": value.Array{value.Int(1), value.String("x"), value.Null{}, value.Map{"k": value.Int(3)}}, "m0": value.Map{},
			"m": value.Map{"x": value.Int(1), "n": value.Map{"y": value.Array{value.Bool(true)}}, "e": value.Array{}},
			"v": value.Vector(1, 2), "dots.in": value.Int(5), "a1x": value.Array{value.Int(9)},
		},
		"all/types/sub/one": {"z": value.Int(1)},
		"Ñandú/x y": {"aa": value.Array{
			value.Map{}, value.GeoPoint{Lat: 1, Lng: 2}, value.Timestamp{Seconds: 1767323045}, value.Bytes("\x00"), value.Reference(place + "a/b"), value.Double(2.5),
		}},
	}
	got := h.documents(everything)
	for path, fields := range want {
		if text := words(fields); got[path] != text {
			t.Errorf("%s is\n%.800s\nwant\n%.800s", path, got[path], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("imported %v", got)
	}
	for _, c := range []struct{ tenant, email, password, want string }{
		{"", "ana@example.org", "secret1", ""},
		{"", "ana@example.org", "secret2", "INVALID_PASSWORD"},
		{"school", "sol@example.org", "secret2", ""},
		{"", "sol@example.org", "secret2", "EMAIL_NOT_FOUND"},
	} {
		if got := h.signIn(c.tenant, c.email, c.password); !strings.HasPrefix(got, c.want) || got != "" && c.want == "" {
			t.Errorf("%s with %s in %q: %q, want %q", c.email, c.password, c.tenant, got, c.want)
		}
	}
}

// awkward lists documents with values that are difficult to export.
var awkward = map[string]value.Map{
	"a/b":                   {},
	"a/__id-9__/c/__id12__": {"n": value.Int(math.MinInt64), "m": value.Int(math.MaxInt64)},
	"a/\u00e9 %2F\U0001F3B5/c/.x": {
		"zero": value.Double(math.Copysign(0, -1)), "inf": value.Double(math.Inf(-1)),
		"first": value.Timestamp{Seconds: -62135596800}, "last": value.Timestamp{Seconds: 253402300799, Nanos: 999999000}, "before": value.Timestamp{Seconds: -1, Nanos: 1000},
		"own": value.Reference("projects/p/databases/named/documents/x/__id3__"),
	},
	"deep/d": {"m": value.Map{"m": value.Map{"list": value.Array{value.Map{"v": value.Vector(0, math.Inf(1)), "e": value.Array{}}}}}},
}

func TestRoundTrip(t *testing.T) {
	from := newFixture(t, cheap)
	for path, fields := range awkward {
		from.put(everything, path, fields)
	}
	for i := range 1200 { // more than one commit of an import, and more than a block of the log
		from.put(everything, fmt.Sprintf("many/%04d", i), value.Map{"text": value.String(strings.Repeat("x", i))})
	}
	from.put(database("named"), "c/d", value.Map{"here": value.Bool(true)})
	dir, sum := from.export()
	if sum.Documents != 1205 {
		t.Errorf("exported %v", sum)
	}
	to := newFixture(t, cheap)
	if sum, err := to.Import(t.Context(), dir); err != nil || sum.Documents != 1205 {
		t.Fatalf("imported %v, %v", sum, err)
	}
	for _, db := range []string{"(default)", "named"} {
		if got, want := to.documents(database(db)), from.documents(database(db)); !maps.Equal(got, want) {
			for path, text := range want {
				if got[path] != text {
					t.Errorf("%s: %s is\n%s\nwant\n%s", db, path, got[path], text)
				}
			}
		}
	}
}

// call is an administrator's call.
var call = service.Call{Project: project, Admin: true}

func TestAccountsRoundTrip(t *testing.T) {
	from := newFixture(t, cheap)
	yes, on := true, map[string]any{"passwordPolicyConfig": map[string]any{"passwordPolicyEnforcementState": "OFF"}}
	if _, err := from.users.UpdateConfig(t.Context(), call, &service.ConfigRequest{Body: on}); err != nil {
		t.Fatal(err)
	}
	tenant, err := from.users.CreateTenant(t.Context(), call, &service.TenantRequest{Body: map[string]any{"displayName": "coro", "allowPasswordSignup": true}})
	if err != nil {
		t.Fatal(err)
	}
	inTenant := service.Call{Project: project, Tenant: tenant.TenantID, Admin: true}
	attributes := `{"role":"admin"}`
	for _, c := range []struct {
		call    service.Call
		request accountimport.Request
	}{
		{call, accountimport.Request{Users: []accountimport.User{{
			LocalID: "own", Email: "own@example.org", RawPassword: "secreto", EmailVerified: &yes, CustomAttributes: &attributes, CreatedAt: 5, LastLoginAt: 6,
			MFAInfo: []userinfo.Factor{{PhoneInfo: "+18095550111", MFAEnrollmentID: "f"}},
		}}}},
		{call, accountimport.Request{HashAlgorithm: "MD5", Users: []accountimport.User{{LocalID: "md5", Email: "md5@example.org", PasswordHash: "XrY7u+Ae7tCTyyK7j1rNww=="}}}},
		{inTenant, accountimport.Request{Users: []accountimport.User{{LocalID: "t", Email: "t@example.org", RawPassword: "secreto"}}}},
	} {
		answer, err := from.users.BatchCreate(t.Context(), c.call, &c.request)
		if err != nil || len(answer.Error) > 0 {
			t.Fatal(err, answer)
		}
	}
	dir, sum := from.export()
	to := newFixture(t, cheap+1)
	if sum, err := to.Import(t.Context(), dir); err != nil || sum.Accounts != 3 {
		t.Fatalf("imported %v, %v of %v", sum, err, sum)
	}
	if sum.Accounts != 3 {
		t.Errorf("exported %v", sum)
	}
	for _, c := range []struct{ tenant, email, password, want string }{
		{"", "own@example.org", "otra", "INVALID_LOGIN_CREDENTIALS"},
		{"", "md5@example.org", "hello world", ""},
		{tenant.TenantID, "t@example.org", "secreto", ""},
	} {
		if got := to.signIn(c.tenant, c.email, c.password); got != c.want && !(c.want != "" && strings.HasPrefix(got, c.want)) {
			t.Errorf("%s with %s: %q, want %q", c.email, c.password, got, c.want)
		}
	}
	want, err := from.users.BatchGet(t.Context(), call, &service.BatchGetRequest{})
	if err != nil {
		t.Fatal(err)
	}
	again, _ := to.export()
	text, err := os.ReadFile(filepath.Join(again, "auth_export", "settings.json"))
	if err != nil || !strings.Contains(string(text), "passwordPolicyEnforcementState") {
		t.Errorf("settings are %s, %v", text, err)
	}
	got, err := to.users.BatchGet(t.Context(), call, &service.BatchGetRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range got.Users {
		a, b := got.Users[i], want.Users[i]
		a.PasswordHash, a.Salt, a.LastLoginAt, a.LastRefreshAt, a.PasswordUpdatedAt = b.PasswordHash, b.Salt, b.LastLoginAt, b.LastRefreshAt, b.PasswordUpdatedAt
		if x, y := fmt.Sprintf("%+v", deref(a)), fmt.Sprintf("%+v", deref(b)); x != y {
			t.Errorf("account is\n%s\nwant\n%s", x, y)
		}
	}
}

// TestProvidersRoundTrip exports and imports identity providers, also of a tenant. The export has no secrets, and says
// so.
func TestProvidersRoundTrip(t *testing.T) {
	from := newFixture(t, cheap)
	tenant, err := from.users.CreateTenant(t.Context(), call, &service.TenantRequest{Body: map[string]any{"displayName": "coro"}})
	must(t, err)
	inTenant := service.Call{Project: project, Tenant: tenant.TenantID, Admin: true}
	for _, c := range []struct {
		call service.Call
		id   string
		body map[string]any
	}{
		{call, "oidc.a", map[string]any{"clientId": "a", "issuer": "https://a.example", "clientSecret": "hunter2", "enabled": true, "responseType": map[string]any{"code": true}}},
		{inTenant, "oidc.b", map[string]any{"clientId": "b", "issuer": "https://b.example"}},
	} {
		_, err := from.users.CreateIdpConfig(t.Context(), c.call, &service.IdpConfigRequest{Kind: "oauthIdpConfigs", ID: c.id, Body: c.body})
		must(t, err)
	}
	dir, sum := from.export()
	if len(sum.Notes) != 1 || !strings.Contains(sum.Notes[0], "clientSecret of oidc.a") {
		t.Errorf("notes %q, want one on oidc.a", sum.Notes)
	}
	must(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "hunter2") {
			t.Errorf("%s has the secret", path)
		}
		return err
	}))
	to := newFixture(t, cheap)
	imported, err := to.Import(t.Context(), dir)
	if err != nil || len(imported.Notes) != 1 || !strings.Contains(imported.Notes[0], "clientSecret of oidc.a") {
		t.Errorf("imported %v, %v, notes %q", imported, err, imported.Notes)
	}
	for _, c := range []struct {
		call       service.Call
		id, client string
	}{{call, "oidc.a", "a"}, {inTenant, "oidc.b", "b"}} {
		got, err := to.users.GetIdpConfig(t.Context(), c.call, &service.IdpConfigRequest{Kind: "oauthIdpConfigs", ID: c.id})
		if err != nil || got["clientId"] != c.client || got["clientSecret"] != nil || !strings.HasSuffix(got["name"].(string), "/oauthIdpConfigs/"+c.id) {
			t.Errorf("%s is %v, %v", c.id, got, err)
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, "auth_export", "providers.json"), []byte(`[{"kind":"oauthIdpConfigs","id":"oidc.a","config":{"clientId":"a","issuer":"i","clientSecret":"x"}}]`), 0o600))
	if _, err := newFixture(t, cheap).Import(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "providers.json") {
		t.Errorf("an export with a secret: %v", err)
	}
}

// deref formats an account with the values behind its pointers.
func deref(u userinfo.Info) string {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	return fmt.Sprint(u.LocalID, u.Email, *u.EmailVerified, text(u.CustomAttributes), u.CreatedAt, u.ValidSince, u.MFAInfo, u.ProviderUserInfo[0].ProviderID)
}

func TestBadExports(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(t *testing.T, dir string)
		code   fault.Code
		expect string
	}{
		{"nothing there", func(t *testing.T, dir string) { must(t, os.RemoveAll(dir)) }, fault.NotFound, "holds no export"},
		{"no metadata", func(t *testing.T, dir string) {
			must(t, os.Remove(dir+"/firestore_export/firestore_export.overall_export_metadata"))
		}, fault.NotFound, "incomplete"},
		{"no output", func(t *testing.T, dir string) {
			must(t, os.Remove(dir+"/firestore_export/all_namespaces/all_kinds/output-0"))
		}, fault.NotFound, "incomplete"},
		{"cut output", func(t *testing.T, dir string) {
			must(t, os.Truncate(dir+"/firestore_export/all_namespaces/all_kinds/output-0", 1000))
		}, fault.DataLoss, "damaged"},
		{"empty output", func(t *testing.T, dir string) {
			must(t, os.Truncate(dir+"/firestore_export/all_namespaces/all_kinds/output-0", 0))
		}, fault.DataLoss, "its files have 0"},
		{"flipped bit", func(t *testing.T, dir string) {
			path := dir + "/firestore_export/all_namespaces/all_kinds/output-0"
			text, err := os.ReadFile(path)
			must(t, err)
			text[len(text)/2] ^= 1
			must(t, os.WriteFile(path, text, 0o600))
		}, fault.DataLoss, "damaged"},
		{"overall metadata cut short", func(t *testing.T, dir string) {
			must(t, os.Truncate(dir+"/firestore_export/firestore_export.overall_export_metadata", 0))
		}, fault.DataLoss, "cannot be read"},
		{"metadata cut short", func(t *testing.T, dir string) {
			must(t, os.Truncate(dir+"/firestore_export/all_namespaces/all_kinds/all_namespaces_all_kinds.export_metadata", 0))
		}, fault.DataLoss, "its files have 0"},
		{"no folder of accounts", func(t *testing.T, dir string) {
			must(t, os.RemoveAll(dir+"/auth_export"))
		}, fault.NotFound, "incomplete"},
		{"settings", func(t *testing.T, dir string) {
			must(t, os.WriteFile(dir+"/auth_export/config.json", []byte(`{"signIn":`), 0o600))
		}, fault.InvalidArgument, "settings of Auth"},
		{"two accounts with one address", func(t *testing.T, dir string) {
			must(t, os.WriteFile(dir+"/auth_export/accounts.json", []byte(`{"users":[{"localId":"x","email":"a@example.com"},{"localId":"y","email":"a@example.com"}]}`), 0o600))
		}, fault.InvalidArgument, "account y of accounts.json is refused"},
		{"json", func(t *testing.T, dir string) {
			must(t, os.WriteFile(dir+"/firebase-export-metadata.json", []byte("{"), 0o600))
		}, fault.DataLoss, "cannot be read"},
		{"accounts", func(t *testing.T, dir string) {
			must(t, os.WriteFile(dir+"/auth_export/accounts.json", []byte(`[]`), 0o600))
		}, fault.DataLoss, "accounts.json cannot be read"},
		{"path", func(t *testing.T, dir string) {
			must(t, os.WriteFile(dir+"/firebase-export-metadata.json", []byte(`{"firestore":{"metadata_file":"../../x"}}`), 0o600))
		}, fault.DataLoss, "outside the folder"},
		{"metadata without an end", func(t *testing.T, dir string) {
			must(t, os.Truncate(dir+"/firestore_export/firestore_export.overall_export_metadata", 1<<40))
		}, fault.DataLoss, "at most"},
		{"description without an end", func(t *testing.T, dir string) {
			must(t, os.Truncate(dir+"/firebase-export-metadata.json", 1<<40))
		}, fault.DataLoss, "at most"},
		{"accounts without an end", func(t *testing.T, dir string) {
			must(t, os.Truncate(dir+"/auth_export/accounts.json", 1<<40))
		}, fault.DataLoss, "at most"},
		{"a device as metadata", func(t *testing.T, dir string) {
			name := dir + "/firestore_export/all_namespaces/all_kinds/all_namespaces_all_kinds.export_metadata"
			must(t, os.Remove(name))
			must(t, os.Symlink("/dev/zero", name))
		}, fault.DataLoss, "not a regular file"},
		{"a pipe as output", func(t *testing.T, dir string) {
			name := dir + "/firestore_export/all_namespaces/all_kinds/output-0"
			must(t, os.Remove(name))
			must(t, syscall.Mkfifo(name, 0o600))
		}, fault.DataLoss, "not a regular file"},
		{"a pipe as accounts", func(t *testing.T, dir string) {
			must(t, os.Remove(dir+"/auth_export/accounts.json"))
			must(t, syscall.Mkfifo(dir+"/auth_export/accounts.json", 0o600))
		}, fault.DataLoss, "not a regular file"},
		{"a pipe as the accounts of a tenant", func(t *testing.T, dir string) {
			must(t, syscall.Mkfifo(dir+"/auth_export/accounts-a.json", 0o600))
		}, fault.DataLoss, "not a regular file"},
		{"a pipe as settings", func(t *testing.T, dir string) {
			must(t, syscall.Mkfifo(dir+"/auth_export/settings.json", 0o600))
		}, fault.InvalidArgument, "not a regular file"},
		{"a pipe as description", func(t *testing.T, dir string) {
			must(t, os.Remove(dir+"/firebase-export-metadata.json"))
			must(t, syscall.Mkfifo(dir+"/firebase-export-metadata.json", 0o600))
		}, fault.DataLoss, "not a regular file"},
		{"a folder as accounts", func(t *testing.T, dir string) {
			must(t, os.Remove(dir+"/auth_export/accounts.json"))
			must(t, os.Mkdir(dir+"/auth_export/accounts.json", 0o700))
		}, fault.DataLoss, "not a regular file"},
		{"a loop of links as accounts", func(t *testing.T, dir string) {
			must(t, os.Remove(dir+"/auth_export/accounts.json"))
			must(t, os.Symlink("accounts.json", dir+"/auth_export/accounts.json"))
		}, fault.NotFound, "too many"},
		{"an output without an end", func(t *testing.T, dir string) {
			must(t, os.Truncate(dir+"/firestore_export/all_namespaces/all_kinds/output-0", 1<<40))
		}, fault.DataLoss, "empty blocks"},
		{"an output that is named twice", func(t *testing.T, dir string) {
			const output = "\x12\x0a\x12\x08output-0" // field 2 with the path in field 2
			must(t, os.WriteFile(dir+"/firestore_export/all_namespaces/all_kinds/all_namespaces_all_kinds.export_metadata", []byte(output+output), 0o600))
		}, fault.DataLoss, "output-0 twice"},
		{"account", func(t *testing.T, dir string) {
			must(t, os.WriteFile(dir+"/auth_export/accounts.json", []byte(`{"users":[{"localId":"x","email":"no"}]}`), 0o600))
		}, fault.InvalidArgument, "account x of accounts.json is refused: email is invalid"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir() + "/suite"
			must(t, os.CopyFS(dir, os.DirFS("testdata/suite")))
			c.spoil(t, dir)
			h := newFixture(t, cheap)
			_, err := h.Import(t.Context(), dir)
			if err == nil || fault.FromError(err).Code != c.code || !strings.Contains(fault.FromError(err).Message, c.expect) {
				t.Errorf("Import = %v, want %v %q", err, c.code, c.expect)
			}
			if empty, err := h.Empty(t.Context()); !empty || err != nil {
				t.Errorf("a refused import has changed the data (%v)", err)
			}
		})
	}
}

// must fails the test on an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestExportReplaces(t *testing.T) {
	h := newFixture(t, cheap)
	h.put(everything, "c/d", value.Map{})
	parent := t.TempDir()
	dir := filepath.Join(parent, "seed")
	for range 2 {
		if _, err := h.Export(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the export there are %v, %v", entries, err)
	}
	other := filepath.Join(parent, "other")
	must(t, os.MkdirAll(filepath.Join(other, "precious"), 0o700))
	if _, err := h.Export(t.Context(), other); fault.FromError(err).Code != fault.FailedPrecondition {
		t.Errorf("a folder with other things: %v, want FailedPrecondition", err)
	}
	if _, err := os.Stat(filepath.Join(other, "precious")); err != nil {
		t.Error(err)
	}
}

// TestCanExport checks folders before an export.
func TestCanExport(t *testing.T) {
	here := t.TempDir()
	for name, files := range map[string][]string{
		"blank": nil, "kept": {".gitkeep"}, "earlier": {"firebase-export-metadata.json", "x"}, "other": {"x"}, "ignored": {".gitignore"},
	} {
		must(t, os.MkdirAll(filepath.Join(here, name), 0o700))
		for _, file := range files {
			must(t, os.WriteFile(filepath.Join(here, name, file), nil, 0o600))
		}
	}
	must(t, os.WriteFile(filepath.Join(here, "file"), nil, 0o600))
	for name, want := range map[string]bool{"absent": true, "blank": true, "kept": true, "earlier": true, "other": false, "ignored": false, "file": false} {
		if err := transfer.CanExport(filepath.Join(here, name)); (err == nil) != want || err != nil && fault.CodeOf(err) != fault.FailedPrecondition {
			t.Errorf("%s: %v, want it to do: %v", name, err, want)
		}
	}
}

// TestExportOfAProject checks that an export contains only the requested parts, and reports other projects with
// documents.
func TestExportOfAProject(t *testing.T) {
	h := newFixture(t, cheap)
	h.put(everything, "c/d", value.Map{})
	for _, other := range []string{"demo-other", "demo-read"} {
		db := resource.Database{Project: other, ID: resource.DefaultDatabase}
		h.documents(db)
		if other == "demo-other" {
			h.put(db, "c/d", value.Map{})
		}
	}
	dir := filepath.Join(t.TempDir(), "seed")
	sum, err := h.Export(t.Context(), dir)
	if err != nil || len(sum.Notes) != 1 || !strings.Contains(sum.Notes[0], "demo-other") || sum.Documents != 1 {
		t.Errorf("export: %v, notes %q, %v; want a word about demo-other", sum, sum.Notes, err)
	}
	for part, other := range map[string]string{transfer.Documents: "auth_export", transfer.Accounts: "firestore_export"} {
		alone := filepath.Join(t.TempDir(), "alone")
		for _, to := range []string{alone, dir} {
			if _, err := h.Export(t.Context(), to, part); err != nil {
				t.Fatal(err)
			}
			if _, err := newFixture(t, cheap).Import(t.Context(), to); err != nil {
				t.Errorf("import of %s: %v", part, err)
			}
		}
		if _, err := os.Stat(filepath.Join(alone, other)); err == nil {
			t.Errorf("an export of %s has %s", part, other)
		}
		if _, err := os.Stat(filepath.Join(dir, other)); err != nil {
			t.Errorf("an export of %s over a whole one has removed the other part: %v", part, err)
		}
	}
}

// TestManaged imports a managed export, which has no file of the Emulator Suite.
func TestManaged(t *testing.T) {
	h := newFixture(t, cheap)
	if sum, err := h.Import(t.Context(), "testdata/suite/firestore_export"); err != nil || sum.Documents != 4 {
		t.Errorf("imported %v, %v", sum, err)
	}
}
