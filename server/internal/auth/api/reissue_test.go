package api_test

import (
	"reflect"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
)

// customToken returns a custom token with an unknown signature, as `clave start` accepts it.
func customToken(uid, claims string) string {
	return `{"uid":"` + uid + `","claims":` + claims + `}`
}

// refreshed returns the claims of the ID token that a refresh token is exchanged for.
func (w *fixture) refreshed(answer object) object {
	w.t.Helper()
	return claimsOf(w.t, str(w.must(w.client("token", object{"grant_type": "refresh_token", "refresh_token": answer["refreshToken"]})), "id_token"))
}

// TestNewTokensKeepSessionClaims requests new tokens of a session in every way. They must have the claims with which
// the session began.
func TestNewTokensKeepSessionClaims(t *testing.T) {
	manual := clocktest.NewManual(time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC))
	for name, s := range map[string]setup{"unsigned": {clock: manual}, "signed": {clock: manual, signed: true}} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, s)
			w.must(w.client("signInWithCustomToken", object{"token": customToken("u1", `{"role":"editor","level":3}`), "returnSecureToken": true}))
			w.must(w.admin("POST", "v1/projects/"+project+"/accounts:update", object{"localId": "u1", "email": "u1@example.com", "customAttributes": `{"stale":true,"role":"reader"}`}))
			manual.Advance(time.Minute)
			in := w.must(w.client("signInWithCustomToken", object{"token": customToken("u1", `{"role":"editor","level":3}`), "returnSecureToken": true}))
			if c := claimsOf(t, str(in, "idToken")); c["role"] != "editor" || c["stale"] != true {
				t.Fatalf("the first claims = %v", c)
			}
			w.must(w.admin("POST", "v1/projects/"+project+"/accounts:update", object{"localId": "u1", "customAttributes": `{}`}))
			manual.Advance(time.Minute)
			for _, password := range []string{"secret1", "secret2"} { // the second time with new tokens
				in = w.must(w.client("update", object{"idToken": in["idToken"], "password": password, "returnSecureToken": true}))
				for what, c := range map[string]object{"the new token": claimsOf(t, str(in, "idToken")), "its refresh": w.refreshed(in)} {
					if c["role"] != "editor" || c["level"] != 3.0 {
						t.Errorf("%s: claims = %v, want those of the session", what, c)
					}
					if _, ok := c["stale"]; ok {
						t.Errorf("%s has a claim that an administrator took away: %v", what, c)
					}
				}
				manual.Advance(time.Minute)
			}
			plain := w.must(w.client("signInWithPassword", object{"email": "u1@example.com", "password": "secret2", "returnSecureToken": true}))
			plain = w.must(w.client("update", object{"idToken": plain["idToken"], "password": "secret3", "returnSecureToken": true}))
			if c := claimsOf(t, str(plain, "idToken")); c["role"] != nil || c["level"] != nil {
				t.Errorf("another session got the claims of the first: %v", c)
			}
		})
	}
}

// TestSessionsOfOneSecondKeepTheirOwnClaims signs in twice within a second with different claims.
func TestSessionsOfOneSecondKeepTheirOwnClaims(t *testing.T) {
	w := newFixture(t, setup{clock: clocktest.NewManual(time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC))})
	first := w.must(w.client("signInWithCustomToken", object{"token": customToken("u1", `{"a":1}`)}))
	second := w.must(w.client("signInWithCustomToken", object{"token": customToken("u1", `{"b":{"c":[1,"x"]}}`)}))
	for name, tt := range map[string]struct {
		in   object
		want object
	}{"first": {first, object{"a": 1.0}}, "second": {second, object{"b": object{"c": []any{1.0, "x"}}}}} {
		out := w.must(w.client("update", object{"idToken": tt.in["idToken"], "password": "secret1"}))
		c := claimsOf(t, str(out, "idToken"))
		if got := (object{"a": c["a"], "b": c["b"]}); !reflect.DeepEqual(got, object{"a": tt.want["a"], "b": tt.want["b"]}) {
			t.Errorf("%s: claims = %v, want %v", name, got, tt.want)
		}
	}
}

// TestEnrollmentKeepsBlockingClaims enrolls and withdraws a second factor in a session with claims from a blocking
// function.
func TestEnrollmentKeepsBlockingClaims(t *testing.T) {
	w := newFixture(t, setup{blocking: function(func(map[string]any) (int, string) {
		return 200, `{"userRecord":{"updateMask":"sessionClaims","sessionClaims":{"ip":"10.0.0.1"}}}`
	})})
	w.must(w.admin("PATCH", "v2/projects/"+project+"/config", object{"blockingFunctions": object{"triggers": object{
		"beforeSignIn": object{"functionUri": "http://f/s"},
	}}}))
	w.verified("b@example.com")
	in := w.must(w.client("signInWithPassword", object{"email": "b@example.com", "password": "secret1", "returnSecureToken": true}))
	done := w.must(w.client("v2/accounts/mfaEnrollment:finalize", w.enroll(in, "+16505550113")))
	c := claimsOf(t, str(done, "idToken"))
	if c["ip"] != "10.0.0.1" {
		t.Errorf("after enrolling: %v, want the session's claims", c)
	}
	changed := w.must(w.client("update", object{"idToken": done["idToken"], "password": "secret2"}))
	inner := claimsOf(t, str(changed, "idToken"))["firebase"].(object)
	factor := inner["second_factor_identifier"]
	if inner["sign_in_second_factor"] != "phone" || factor == nil {
		t.Errorf("a new password made the session lose its second factor: %v", inner)
	}
	out := w.must(w.client("v2/accounts/mfaEnrollment:withdraw", object{"idToken": changed["idToken"], "mfaEnrollmentId": factor}))
	c = w.refreshed(out)
	if c["ip"] != "10.0.0.1" {
		t.Errorf("after withdrawing: %v, want the session's claims", c)
	}
	if inner := c["firebase"].(object); inner["sign_in_second_factor"] != nil {
		t.Errorf("the withdrawn factor is still in the token: %v", inner)
	}
}
