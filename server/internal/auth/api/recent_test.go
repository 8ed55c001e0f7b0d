package api_test

import (
	"testing"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/base/clock/clocktest"
)

// TestSensitiveChangesRequireARecentSignIn tries the changes that production refuses to old sessions, with an old and a
// new sign-in.
func TestSensitiveChangesRequireARecentSignIn(t *testing.T) {
	const old = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
	for _, production := range []bool{false, true} {
		manual := clocktest.NewManual(time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC))
		w := newFixture(t, setup{production: production, clock: manual, sms: &texter{}})
		settings := object{"mfa": object{"state": "ENABLED", "enabledProviders": []string{"PHONE_SMS"}}}
		if _, err := w.service.UpdateConfig(t.Context(), service.Call{Project: project}, &service.ConfigRequest{Mask: []string{"mfa"}, Body: settings}); err != nil {
			t.Fatal(err)
		}
		w.confirmed("a@example.com")
		anonymous := w.must(w.client("signUp", object{}))
		in := w.must(w.client("signInWithPassword", object{"email": "a@example.com", "password": "secret1", "returnSecureToken": true}))
		manual.Advance(6 * time.Minute)
		in["idToken"] = w.must(w.client("token", object{"grant_type": "refresh_token", "refresh_token": in["refreshToken"]}))["id_token"]
		for _, tt := range []struct {
			name, verb string
			body       object
			sensitive  bool
			start      string
		}{
			{"a weak password", "update", object{"password": "1"}, true, "WEAK_PASSWORD"},
			{"a name", "update", object{"displayName": "Ann"}, false, ""},
			{"a second factor", "v2/accounts/mfaEnrollment:start", object{"phoneEnrollmentInfo": object{"phoneNumber": "+16505550121"}}, true, ""},
			{"deletion", "delete", object{}, true, ""},
		} {
			want := tt.start
			if production && tt.sensitive {
				want = old
			}
			tt.body["idToken"] = in["idToken"]
			if got := w.refusal(tt.verb, tt.body); got != want {
				t.Errorf("production %v, %s with an old sign-in: %q, want %q", production, tt.name, got, want)
			}
		}
		if !production {
			continue // the account is gone
		}
		fresh := w.must(w.client("signInWithPassword", object{"email": "a@example.com", "password": "secret1", "returnSecureToken": true}))
		if got := w.refusal("update", object{"idToken": fresh["idToken"], "password": "secret2"}); got != "" {
			t.Errorf("a password with a new sign-in: %q", got)
		}
		if got := w.refusal("delete", object{"idToken": anonymous["idToken"]}); got != "" {
			t.Errorf("an anonymous user who deletes the account after a while: %q; nothing can sign such a user in again", got)
		}
	}
}
