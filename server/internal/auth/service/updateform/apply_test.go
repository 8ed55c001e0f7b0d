package updateform_test

import (
	"reflect"
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/updateform"
	"clave/server/internal/auth/service/userinfo"
)

// full returns an account with every field that a request can change.
func full() account.User {
	name, photo, claims, since := "Ann", "https://example.org/a.png", `{"a":1}`, int64(3)
	return account.User{
		UID: "u", Email: "a@x.org", EmailVerified: true, EmailLink: true, Phone: "+18095550100", DisplayName: &name, PhotoURL: &photo, Attributes: &claims,
		Password: &passhash.Hash{Sum: []byte("old")}, PasswordUpdated: 5, Created: 1, LastLogin: 2, ValidSince: &since,
		Providers: []account.Provider{{ProviderID: "google.com", RawID: "1"}, {ProviderID: "apple.com", RawID: "2"}},
		Passkeys:  []account.Passkey{{ID: "k1"}, {ID: "k2"}}, Factors: []account.Factor{{ID: "m", Phone: "+18095550101"}},
	}
}

// TestApplyChangesOnlyWhatIsRequested applies one change each to an account with every field, and compares all fields.
func TestApplyChangesOnlyWhatIsRequested(t *testing.T) {
	text, empty, yes, no, at := "new", "", true, false, int64(1_000)
	phone, claims := "+18095550109", `{"b":2}`
	for _, tt := range []struct {
		name  string
		r     updateform.Request
		o     updateform.Options
		edit  func(*account.User)
		ends  bool
		error string
	}{
		{"nothing", updateform.Request{}, updateform.Options{}, func(*account.User) {}, false, ""},
		{"a name", updateform.Request{DisplayName: &text}, updateform.Options{}, func(u *account.User) { u.DisplayName = &text }, false, ""},
		{"a picture", updateform.Request{PhotoURL: &text}, updateform.Options{}, func(u *account.User) { u.PhotoURL = &text }, false, ""},
		{"a phone number", updateform.Request{PhoneNumber: &phone}, updateform.Options{}, func(u *account.User) { u.Phone = phone }, false, ""},
		{"no phone number", updateform.Request{PhoneNumber: &empty}, updateform.Options{}, func(u *account.User) { u.Phone = "" }, false, ""},
		{"fields of administrators, by a user", updateform.Request{EmailVerified: &no, DisableUser: &yes, CustomAttributes: &claims, CreatedAt: &at, LastLoginAt: &at}, updateform.Options{}, func(*account.User) {}, false, ""},
		{
			"fields of administrators", updateform.Request{EmailVerified: &no, DisableUser: &yes, CustomAttributes: &claims, CreatedAt: &at, LastLoginAt: &at}, updateform.Options{Admin: true},
			func(u *account.User) {
				u.EmailVerified, u.Disabled, u.Attributes, u.Created, u.LastLogin = false, true, &claims, at, at
			}, false, "",
		},
		{"the end of sessions", updateform.Request{ValidSince: &at}, updateform.Options{Admin: true}, func(u *account.User) { u.EndSessions(at) }, true, ""},
		{"no name and no picture", updateform.Request{DeleteAttribute: []updateform.Attribute{"DISPLAY_NAME", "PHOTO_URL"}}, updateform.Options{}, func(u *account.User) { u.DisplayName, u.PhotoURL = nil, nil }, false, ""},
		{"no password", updateform.Request{DeleteAttribute: []updateform.Attribute{"PASSWORD"}}, updateform.Options{}, func(u *account.User) { u.Password, u.PasswordUpdated = nil, 0 }, false, ""},
		{"no providers", updateform.Request{DeleteAttribute: []updateform.Attribute{"PROVIDER"}}, updateform.Options{}, func(u *account.User) { u.Providers = nil }, false, ""},
		{
			"no address", updateform.Request{DeleteAttribute: []updateform.Attribute{"EMAIL"}}, updateform.Options{},
			func(u *account.User) { u.Revoke(now); u.Email, u.EmailVerified, u.EmailLink = "", false, false }, true, "",
		},
		{"one provider", updateform.Request{DeleteProvider: []string{"apple.com"}}, updateform.Options{}, func(u *account.User) { u.Providers = u.Providers[:1] }, false, ""},
		{"the provider phone", updateform.Request{DeleteProvider: []string{"phone"}}, updateform.Options{}, func(u *account.User) { u.Phone = "" }, false, ""},
		{"the provider password", updateform.Request{DeleteProvider: []string{"password"}}, updateform.Options{}, func(u *account.User) { u.Password, u.PasswordUpdated, u.EmailLink = nil, 0, false }, false, ""},
		{
			"the provider password in the emulator", updateform.Request{DeleteProvider: []string{"password"}}, updateform.Options{AsEmulator: true},
			func(u *account.User) {
				u.Password, u.PasswordUpdated, u.EmailLink, u.Email, u.EmailVerified = nil, 0, false, "", false
			}, false, "",
		},
		{"a passkey", updateform.Request{DeletePasskey: []string{"k1"}}, updateform.Options{}, func(u *account.User) { u.Passkeys = u.Passkeys[1:] }, false, ""},
		{
			"a new provider", updateform.Request{LinkProviderUserInfo: &userinfo.Provider{ProviderID: "x.com", RawID: "9", DisplayName: &text}}, updateform.Options{Admin: true},
			func(u *account.User) {
				u.Providers = append(u.Providers, account.Provider{ProviderID: "x.com", RawID: "9", DisplayName: text})
			}, false, "",
		},
		{"a name that is too long", updateform.Request{DisplayName: long()}, updateform.Options{}, nil, false, "INVALID_PROFILE_ATTRIBUTE : Display name is too long."},
		{"claims that are none", updateform.Request{CustomAttributes: &text}, updateform.Options{Admin: true}, nil, false, "INVALID_CLAIMS"},
	} {
		tt.o.Now = func() time.Time { return now }
		e, err := tt.r.Prepare(tt.o)
		if tt.error != "" {
			if err == nil || apierror.Text(err) != tt.error {
				t.Errorf("%s: Prepare = %v, want %s", tt.name, err, tt.error)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got, want := full(), full()
		tt.edit(&want)
		if err := e.Apply(nil, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", tt.name, err, got, want)
		}
		if before := full(); (got.Since() != before.Since() || got.Epoch != before.Epoch) != tt.ends {
			t.Errorf("%s: sessions from before %d and epoch %d have ended, want an end: %v", tt.name, got.Since(), got.Epoch, tt.ends)
		}
	}
}

// now is the time of the changes.
var now = time.Unix(1_700_000_000, 0)

// long returns a name that is too long.
func long() *string {
	out := string(make([]byte, 257))
	return &out
}

// TestSensitive checks which changes need a recent sign-in.
func TestSensitive(t *testing.T) {
	text := "x"
	for name, tt := range map[string]struct {
		r    updateform.Request
		want bool
	}{
		"a name": {updateform.Request{DisplayName: &text}, false}, "an address": {updateform.Request{Email: &text}, true}, "a password": {updateform.Request{Password: &text}, true},
		"a provider's deletion": {updateform.Request{DeleteProvider: []string{"x"}}, true}, "a name's deletion": {updateform.Request{DeleteAttribute: []updateform.Attribute{"DISPLAY_NAME"}}, false},
		"a password's deletion":    {updateform.Request{DeleteAttribute: []updateform.Attribute{"DISPLAY_NAME", "PASSWORD"}}, true},
		"an address's deletion":    {updateform.Request{DeleteAttribute: []updateform.Attribute{"EMAIL"}}, true},
		"all providers' deletions": {updateform.Request{DeleteAttribute: []updateform.Attribute{"PROVIDER"}}, true},
	} {
		if got := tt.r.Sensitive(); got != tt.want {
			t.Errorf("%s: Sensitive = %v, want %v", name, got, tt.want)
		}
	}
}
