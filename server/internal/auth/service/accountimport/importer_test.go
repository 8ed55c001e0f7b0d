package accountimport_test

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/auth/service/hasher"
	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/store/pebble/pebbletest"
)

// scope is the scope of the tests' accounts.
var scope = account.Scope{Project: "demo"}

// now is the time of the imports.
var now = time.Unix(1_700_000_000, 0)

// open returns an importer on an empty store, and where it imports to.
func open(t *testing.T) (*accountimport.Importer, accountimport.Target) {
	t.Helper()
	accounts := account.New(pebbletest.Open(t))
	h := hasher.New(hasher.Options{Accounts: accounts, MemCost: 4, Log: slog.New(slog.DiscardHandler)})
	to := accountimport.Target{Scope: scope, Hash: func(password string) (*passhash.Hash, error) { return h.Hash(t.Context(), scope.Project, "", password) }}
	return &accountimport.Importer{Accounts: accounts, Hasher: h, Clock: clocktest.NewManual(now), HashMemCost: 4}, to
}

// do imports accounts and returns the problems, each as "index message".
func do(t *testing.T, m *accountimport.Importer, to accountimport.Target, r *accountimport.Request) []string {
	t.Helper()
	problems, err := m.Import(t.Context(), to, r)
	if err != nil {
		t.Fatal(err)
	}
	return listed(problems)
}

// listed returns problems, each as "index message".
func listed(problems []accountimport.Problem) []string {
	out := []string{}
	for _, p := range problems {
		out = append(out, fmt.Sprint(p.Index, " ", p.Message))
	}
	return out
}

// get returns an imported account.
func get(t *testing.T, m *accountimport.Importer, uid string) *account.User {
	t.Helper()
	u, err := m.Accounts.Get(scope, uid)
	if err != nil {
		t.Fatal(err)
	}
	if u == nil {
		t.Fatalf("there is no account %s", uid)
	}
	return u
}

// TestWhatIsNotImported checks the problem with each account. The one account without a problem is imported all the
// same.
func TestWhatIsNotImported(t *testing.T) {
	m, to := open(t)
	claims := func(s string) *string { return &s }
	cases := []struct {
		user accountimport.User
		want string
	}{
		{accountimport.User{}, "localId is missing"},
		{accountimport.User{LocalID: strings.Repeat("a", 1025)}, "localId is invalid"},
		{accountimport.User{LocalID: "a\x00b"}, "localId is invalid"},
		{accountimport.User{LocalID: "a", ProviderUserInfo: []userinfo.Provider{{ProviderID: "x", RawID: "a\x00b"}}}, "Invalid provider id"},
		{accountimport.User{LocalID: "a", TenantID: "t"}, "Tenant id in userInfo does not match the tenant id in request."},
		{accountimport.User{LocalID: "a", Email: "x"}, "email is invalid"},
		{accountimport.User{LocalID: "a", PhoneNumber: "123"}, "phone number format is invalid"},
		{accountimport.User{LocalID: "a", CustomAttributes: claims("{")}, "Invalid custom claims provided."},
		{accountimport.User{LocalID: "a", CustomAttributes: claims(`{"sub":1}`)}, "Custom claims provided include a reserved claim."},
		{accountimport.User{LocalID: "a", CustomAttributes: claims(`{"a":"` + strings.Repeat("x", 1000) + `"}`)}, "Custom claims provided are too large."},
		{accountimport.User{LocalID: "a", DisplayName: claims(strings.Repeat("x", 257))}, "display name or photo url is too long"},
		{accountimport.User{LocalID: "a", ProviderUserInfo: []userinfo.Provider{{RawID: "1"}}}, "federatedId or (providerId & rawId) is required"},
		{accountimport.User{LocalID: "a", ProviderUserInfo: []userinfo.Provider{{FederatedID: "https://accounts.google.com/1"}}}, "Invalid provider id"},
		{accountimport.User{LocalID: "a", ProviderUserInfo: []userinfo.Provider{{ProviderID: "google.com"}}}, "federatedId or (providerId & rawId) is required"},
		{accountimport.User{LocalID: "a", MFAInfo: []userinfo.Factor{{}}}, "Second factor not supported."},
		{accountimport.User{LocalID: "a", MFAInfo: []userinfo.Factor{{PhoneInfo: "123"}}}, "Phone number format is invalid"},
		{accountimport.User{LocalID: "a", MFAInfo: []userinfo.Factor{{MFAEnrollmentID: "m", PhoneInfo: "+18095550100"}, {MFAEnrollmentID: "m", PhoneInfo: "+18095550101"}}}, "Enrollment id already exists."},
		{accountimport.User{LocalID: "a", PasswordHash: "YQ"}, "Missing hash algorithm"},
	}
	r, want := &accountimport.Request{}, []string{}
	for i, c := range cases {
		r.Users, want = append(r.Users, c.user), append(want, fmt.Sprint(i, " ", c.want))
	}
	r.Users = append(r.Users, accountimport.User{LocalID: "good"})
	if got := do(t, m, to, r); !slices.Equal(got, want) {
		t.Errorf("the problems are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if u, err := m.Accounts.Get(scope, "a"); err != nil || u != nil {
		t.Errorf("an account with a problem was imported: %+v, %v", u, err)
	}
	get(t, m, "good")
}

// TestAnAccountIsImportedWhole reads back what an import gave, and the times of the import where it gave none.
func TestAnAccountIsImportedWhole(t *testing.T) {
	m, to := open(t)
	name, yes, since := "Ann", true, int64(77)
	full := accountimport.User{
		LocalID: "full", Email: "Ann@Example.com", EmailVerified: &yes, DisplayName: &name, PhotoURL: &name, PhoneNumber: "+18095550100", Disabled: &yes, CreatedAt: 5, LastLoginAt: 6,
		ValidSince: &since, CustomAuth: &yes, EmailLinkSignin: &yes, InitialEmail: "i@x.y", ScreenName: "s", Language: "es", TimeZone: "z", DateOfBirth: "d",
		ProviderUserInfo: []userinfo.Provider{{ProviderID: "google.com", RawID: "1", DisplayName: &name}, {ProviderID: "password"}, {ProviderID: "phone"}},
		MFAInfo:          []userinfo.Factor{{PhoneInfo: "+18095550101", DisplayName: "mine"}},
	}
	if got := do(t, m, to, &accountimport.Request{Users: []accountimport.User{full, {LocalID: "bare"}}}); len(got) > 0 {
		t.Fatal(got)
	}
	u := get(t, m, "full")
	if u.Email != "ann@example.com" || !u.EmailVerified || *u.DisplayName != name || *u.PhotoURL != name || u.Phone != "+18095550100" || !u.Disabled || !u.Custom || !u.EmailLink {
		t.Errorf("the account is %+v", u)
	}
	if u.Created != 5 || u.LastLogin != 6 || *u.ValidSince != 77 || u.InitialEmail != "i@x.y" || u.ScreenName+u.Language+u.TimeZone+u.DateOfBirth != "seszd" {
		t.Errorf("the account is %+v", u)
	}
	if len(u.Providers) != 1 || u.Providers[0].RawID != "1" || u.Providers[0].DisplayName != name || len(u.Factors) != 1 || u.Factors[0].Phone != "+18095550101" {
		t.Errorf("the account has the providers %+v and the factors %+v", u.Providers, u.Factors)
	}
	if bare := get(t, m, "bare"); bare.Created != now.UnixMilli() || *bare.ValidSince != now.Unix() || bare.LastLogin != 0 || bare.EmailVerified || bare.Disabled {
		t.Errorf("the account without values is %+v", bare)
	}
}

// TestPasswords imports passwords of every form, and signs in with each.
func TestPasswords(t *testing.T) {
	foreign := passhash.Params{SignerKey: []byte("their signer key"), Separator: []byte("s"), Rounds: 1, MemCost: 3}
	hash, err := foreign.New("secret", []byte("salt"))
	if err != nil {
		t.Fatal(err)
	}
	sum, salt := base64.StdEncoding.EncodeToString(hash.Sum), base64.URLEncoding.EncodeToString(hash.Salt)
	scrypt := accountimport.Request{HashAlgorithm: "SCRYPT", SignerKey: base64.StdEncoding.EncodeToString(foreign.SignerKey), SaltSeparator: "cw", Rounds: 1, MemoryCost: 3}
	for _, tt := range []struct {
		name     string
		r        accountimport.Request
		user     accountimport.User
		emulator bool
		problem  string
	}{
		{"a hash", scrypt, accountimport.User{PasswordHash: sum, Salt: salt}, false, ""},
		{"plain text", accountimport.Request{}, accountimport.User{RawPassword: "secret"}, false, ""},
		{"a fake hash", accountimport.Request{}, accountimport.User{PasswordHash: "fakeHash:salt=x:password=secret"}, true, ""},
		{"a fake hash in production", scrypt, accountimport.User{PasswordHash: "fakeHash:salt=x:password=secret"}, false, "0 Invalid password hash"},
		{"a hash that is no base64", scrypt, accountimport.User{PasswordHash: "?"}, false, "0 Invalid password hash"},
		{"a salt that is no base64", scrypt, accountimport.User{PasswordHash: sum, Salt: "?"}, false, "0 Invalid salt"},
		{"a hash that costs too much", accountimport.Request{HashAlgorithm: "BCRYPT"}, accountimport.User{PasswordHash: base64.StdEncoding.EncodeToString([]byte("$2a$31$" + strings.Repeat("a", 53)))}, false, "0 Invalid password hash"},
	} {
		m, to := open(t)
		m.Emulator = tt.emulator
		tt.user.LocalID, tt.r.Users = "u", nil
		tt.r.Users = append(tt.r.Users, tt.user)
		got := do(t, m, to, &tt.r)
		if tt.problem != "" {
			if !slices.Equal(got, []string{tt.problem}) {
				t.Errorf("%s: %v, want %s", tt.name, got, tt.problem)
			}
			continue
		}
		if len(got) > 0 {
			t.Errorf("%s: %v", tt.name, got)
			continue
		}
		u := get(t, m, "u")
		for password, want := range map[string]bool{"secret": true, "Secret": false} {
			if ok, err := m.Hasher.Check(t.Context(), scope.Project, "", u.Password, password); ok != want || err != nil {
				t.Errorf("%s: Check(%q) = %v, %v; want %v", tt.name, password, ok, err, want)
			}
		}
		if u.PasswordUpdated != now.UnixMilli() {
			t.Errorf("%s: the password was updated at %d, want %d", tt.name, u.PasswordUpdated, now.UnixMilli())
		}
	}
}

// TestOwnHashesNeedNoKey imports hashes with the project's own key, which is not stored with each of them.
func TestOwnHashesNeedNoKey(t *testing.T) {
	m, to := open(t)
	own, err := m.Hasher.Params(t.Context(), scope.Project)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := own.New("secret", []byte("salt"))
	if err != nil {
		t.Fatal(err)
	}
	r := accountimport.For(hash, own)
	r.Users = []accountimport.User{{LocalID: "u", PasswordHash: base64.StdEncoding.EncodeToString(hash.Sum), Salt: base64.StdEncoding.EncodeToString(hash.Salt)}}
	if got := do(t, m, to, r); len(got) > 0 {
		t.Fatal(got)
	}
	if u := get(t, m, "u"); len(u.Password.Key) > 0 || !accountimport.IsOwn(u.Password, own) {
		t.Errorf("the account's hash is %+v, want one with the project's key", u.Password)
	}
}

// TestConflicts imports many accounts, some of which have the address or the provider's user of an existing account.
// Only those are left out.
func TestConflicts(t *testing.T) {
	m, to := open(t)
	google := []userinfo.Provider{{ProviderID: "google.com", RawID: "1"}}
	if got := do(t, m, to, &accountimport.Request{Users: []accountimport.User{{LocalID: "old", Email: "old@x.y", PhoneNumber: "+18095550100", ProviderUserInfo: google}}}); len(got) > 0 {
		t.Fatal(got)
	}
	r := &accountimport.Request{}
	for i := range 450 {
		u := accountimport.User{LocalID: fmt.Sprint("u", i), Email: fmt.Sprintf("u%d@x.y", i)}
		switch i {
		case 10:
			u.Email = "OLD@x.y"
		case 250:
			u.PhoneNumber = "+18095550100"
		case 251:
			u.ProviderUserInfo = google
		case 449:
			u.Email = "u0@x.y"
		}
		r.Users = append(r.Users, u)
	}
	want := []string{
		"10 email exists in other account in database", "250 phone number exists in other account in database",
		"251 raw id exists in other account in database", "449 email exists in other account in database",
	}
	checked, err := m.Check(t.Context(), to, r)
	if got := listed(checked); err != nil || !slices.Equal(got, want) {
		t.Errorf("Check = %v, %v; want %v", got, err, want)
	}
	if u, err := m.Accounts.Get(scope, "u0"); err != nil || u != nil {
		t.Errorf("Check stored an account: %+v, %v", u, err)
	}
	if got := do(t, m, to, r); !slices.Equal(got, want) {
		t.Errorf("Import = %v, want %v", got, want)
	}
	stored := 0
	if err := m.Accounts.List(t.Context(), scope, "", func(*account.User) bool { stored++; return true }); err != nil || stored != 450-len(want)+1 {
		t.Errorf("%d accounts are stored, %v; want %d", stored, err, 450-len(want)+1)
	}
}

// TestReplacing imports an account whose id exists: production replaces it, and the official emulator does so only if
// it is allowed.
func TestReplacing(t *testing.T) {
	yes := true
	for _, tt := range []struct {
		name       string
		asEmulator bool
		transfer   bool
		allow      *bool
		want       string
	}{
		{"production", false, false, nil, "new"}, {"the emulator", true, false, nil, "old"}, {"the emulator, if allowed", true, false, &yes, "new"},
		{"the emulator, a whole project", true, true, nil, "new"},
	} {
		m, to := open(t)
		m.AsEmulator, to.Transfer = tt.asEmulator, tt.transfer
		for _, name := range []string{"old", "new"} {
			problems := do(t, m, to, &accountimport.Request{Users: []accountimport.User{{LocalID: "u", DisplayName: &name}}, AllowOverwrite: tt.allow})
			if replaced := tt.want == "new" || name == "old"; (len(problems) == 0) != replaced {
				t.Errorf("%s: the problems of %s are %v", tt.name, name, problems)
			}
		}
		if got := *get(t, m, "u").DisplayName; got != tt.want {
			t.Errorf("%s: the name is %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestTheLastOfTwoIsImported imports two accounts with one id, where nothing refuses them.
func TestTheLastOfTwoIsImported(t *testing.T) {
	m, to := open(t)
	first, last := "first", "last"
	users := []accountimport.User{{LocalID: "u", DisplayName: &first, Email: "a@x.y"}, {LocalID: "u", DisplayName: &last}}
	if got := do(t, m, to, &accountimport.Request{Users: users}); len(got) > 0 {
		t.Fatal(got)
	}
	if u := get(t, m, "u"); *u.DisplayName != last || u.Email != "" {
		t.Errorf("the account is %+v, want the last one", u)
	}
	if _, err := m.Import(t.Context(), to, &accountimport.Request{Users: users, SanityCheck: ptr(true)}); err == nil {
		t.Error("a request with a sanity check imports two accounts with one id")
	}
}

// ptr returns a pointer to a value.
func ptr(v bool) *bool { return &v }

// TestFactorsOfUnverifiedAddresses imports second factors of users without a verified address: the official emulator
// refuses them.
func TestFactorsOfUnverifiedAddresses(t *testing.T) {
	factors := []userinfo.Factor{{PhoneInfo: "+18095550101"}}
	for _, tt := range []struct {
		email    string
		verified bool
		want     string
	}{
		{"", false, "0 Second factor account requires email to be presented."}, {"a@x.y", false, "0 Second factor account requires email to be verified."}, {"a@x.y", true, ""},
	} {
		for _, asEmulator := range []bool{false, true} {
			m, to := open(t)
			m.AsEmulator = asEmulator
			want := ""
			if asEmulator {
				want = tt.want
			}
			r := &accountimport.Request{Users: []accountimport.User{{LocalID: "u", Email: tt.email, EmailVerified: &tt.verified, MFAInfo: factors}}}
			if got := strings.Join(do(t, m, to, r), ", "); got != want {
				t.Errorf("as emulator %v, address %q, verified %v: %q, want %q", asEmulator, tt.email, tt.verified, got, want)
			}
		}
	}
}

// TestTheFirstHashesAreAdopted imports hashes with Firebase's parameters into a project without passwords, which hashes
// with them from then on.
func TestTheFirstHashesAreAdopted(t *testing.T) {
	m, to := open(t)
	theirs := passhash.Params{SignerKey: []byte("their signer key"), Separator: []byte("s"), Rounds: 8, MemCost: 4}
	hash, err := theirs.New("secret", []byte("salt"))
	if err != nil {
		t.Fatal(err)
	}
	r := accountimport.For(hash, theirs)
	r.Users = []accountimport.User{{LocalID: "u", PasswordHash: base64.StdEncoding.EncodeToString(hash.Sum), Salt: base64.StdEncoding.EncodeToString(hash.Salt)}}
	if got := do(t, m, to, r); len(got) > 0 {
		t.Fatal(got)
	}
	own, err := m.Hasher.Params(t.Context(), scope.Project)
	if err != nil || string(own.SignerKey) != string(theirs.SignerKey) {
		t.Errorf("the project hashes with the key %q, %v; want %q", own.SignerKey, err, theirs.SignerKey)
	}
}

// TestImportsAreNotSignUps imports an account: no trigger of new users may run for it.
func TestImportsAreNotSignUps(t *testing.T) {
	m, to := open(t)
	m.Accounts.OnLifecycleEvent(func(e account.LifecycleEvent) { t.Errorf("the import counts as %+v", e) })
	if got := do(t, m, to, &accountimport.Request{Users: []accountimport.User{{LocalID: "u"}}}); len(got) > 0 {
		t.Fatal(got)
	}
}
