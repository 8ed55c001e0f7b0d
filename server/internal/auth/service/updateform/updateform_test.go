package updateform_test

import (
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/updateform"
	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/base/fault"
)

// TestRestrict checks what users may change of themselves.
func TestRestrict(t *testing.T) {
	text, yes, at := "x", true, int64(1)
	for _, c := range []struct {
		name  string
		r     updateform.Request
		rules updateform.UserRules
		want  string
	}{
		{"a name", updateform.Request{DisplayName: &text}, updateform.UserRules{NoPassword: true, Private: true}, ""},
		{"claims", updateform.Request{CustomAttributes: &text}, updateform.UserRules{}, "INSUFFICIENT_PERMISSION"},
		{"disabling", updateform.Request{DisableUser: &yes}, updateform.UserRules{}, "OPERATION_NOT_ALLOWED"},
		{"a provider", updateform.Request{LinkProviderUserInfo: &userinfo.Provider{}}, updateform.UserRules{}, "UNEXPECTED_PARAMETER"},
		{"a provider in the emulator", updateform.Request{LinkProviderUserInfo: &userinfo.Provider{}}, updateform.UserRules{AsEmulator: true}, ""},
		{"a password without password sign-in", updateform.Request{Password: &text}, updateform.UserRules{NoPassword: true}, "OPERATION_NOT_ALLOWED"},
		{"a private address", updateform.Request{Email: &text}, updateform.UserRules{Private: true}, apierror.Text(updateform.VerifyFirst())},
	} {
		got := ""
		if err := c.r.Restrict(c.rules); err != nil {
			got = apierror.Text(err)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	r := updateform.Request{EmailVerified: &yes, PhoneNumber: &text, ValidSince: &at, CreatedAt: &at, LastLoginAt: &at}
	if err := r.Restrict(updateform.UserRules{}); err != nil || r.EmailVerified != nil || r.PhoneNumber != nil || r.ValidSince != nil || r.CreatedAt != nil || r.LastLoginAt != nil {
		t.Errorf("fields of administrators remain in %+v, %v", r, err)
	}
}

// TestApply changes an account. Deletions override values of the same request, and the hash of a password is computed
// before the change.
func TestApply(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	name, email, password := "Ann", "new@example.com", "secret-1"
	r := updateform.Request{
		Email: &email, Password: &password, DisplayName: &name, DeleteAttribute: []updateform.Attribute{"DISPLAY_NAME"}, DeleteProvider: []string{"google.com"},
	}
	hashed := ""
	e, err := r.Prepare(updateform.Options{
		Policy: &field.PasswordPolicy{}, Now: func() time.Time { return now },
		Hash: func(p string) (*passhash.Hash, error) { hashed = p; return &passhash.Hash{Sum: []byte(p)}, nil },
	})
	if err != nil || hashed != password {
		t.Fatalf("Prepare = %v with %q hashed", err, hashed)
	}
	before := account.User{Email: "old@example.com", EmailVerified: true, Providers: []account.Provider{{ProviderID: "google.com"}, {ProviderID: "apple.com"}}}
	u := before
	if err := e.Apply(nil, &u); err != nil {
		t.Fatal(err)
	}
	if u.Email != email || u.InitialEmail != "old@example.com" || string(u.Password.Sum) != password || u.DisplayName != nil || len(u.Providers) != 1 || u.Since() != now.Unix() {
		t.Errorf("after the change: %+v", u)
	}
	if !e.StartsSession(&before, &u) {
		t.Error("StartsSession = false after a new password")
	}
	if same := before; e.StartsSession(&before, &same) {
		t.Error("StartsSession = true without a change that ends sessions")
	}
}

// TestPrepareRefuses refuses invalid values before the account is locked.
func TestPrepareRefuses(t *testing.T) {
	bad, short := "x", "12345"
	linked := func(provider, raw string) updateform.Request {
		return updateform.Request{LinkProviderUserInfo: &userinfo.Provider{ProviderID: provider, RawID: raw}}
	}
	for _, r := range []updateform.Request{linked("password", "1"), linked("x\x00y", "1"), linked("x", "1\x00y")} {
		if _, err := r.Prepare(updateform.Options{Policy: &field.PasswordPolicy{}}); err == nil || apierror.Text(err) != "INVALID_PROVIDER_ID" {
			t.Errorf("Prepare of a link to %+v = %v, want INVALID_PROVIDER_ID", r.LinkProviderUserInfo, err)
		}
	}
	for name, r := range map[string]updateform.Request{
		"INVALID_EMAIL": {Email: &bad}, "INVALID_PHONE_NUMBER : Invalid format.": {PhoneNumber: &bad}, "MISSING_IDENTIFIER": {LinkProviderUserInfo: &userinfo.Provider{ProviderID: "x"}},
		"WEAK_PASSWORD : Password should be at least 6 characters": {Password: &short},
	} {
		_, err := r.Prepare(updateform.Options{Policy: &field.PasswordPolicy{}})
		if err == nil || apierror.Text(err) != name || !fault.Is(err, fault.FailedPrecondition) {
			t.Errorf("Prepare = %v, want %s", err, name)
		}
	}
}
