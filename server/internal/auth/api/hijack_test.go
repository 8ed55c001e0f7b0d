package api_test

import (
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
)

// TestProofOfAnAddressRemovesOtherCredentials signs up as an attacker with a user's address. Then the owner signs in
// with a proof of the address: no credential of the attacker may sign in any more.
func TestProofOfAnAddressRemovesOtherCredentials(t *testing.T) {
	const email = "owner@example.com"
	link := func(w *fixture, more object) object {
		w.must(w.client("sendOobCode", object{"requestType": "EMAIL_SIGNIN", "email": email, "continueUrl": "http://localhost/", "canHandleCodeInApp": true}))
		body := object{"email": email, "oobCode": w.lastCode()["oobCode"]}
		for k, v := range more {
			body[k] = v
		}
		return w.must(w.client("signInWithEmailLink", body))
	}
	google := func(w *fixture, more object) object {
		return w.must(w.idp("google.com", `{"sub":"g1","email":"`+email+`","email_verified":true}`, more))
	}
	for name, proof := range map[string]func(*fixture, object) object{"link": link, "provider": google} {
		t.Run(name, func(t *testing.T) {
			manual := clocktest.NewManual(time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC))
			w := newFixture(t, setup{clock: manual})
			attacker := w.signUp(email, "secret1")
			w.must(w.idp("facebook.com", `{"sub":"f1"}`, object{"idToken": attacker["idToken"]}))
			w.must(w.admin("POST", "v1/projects/"+project+"/accounts:update", object{"localId": attacker["localId"], "phoneNumber": "+16505550116"}))
			manual.Advance(time.Minute)
			owner := proof(w, nil)
			if owner["localId"] != attacker["localId"] {
				t.Fatalf("the owner is %v, want the account %v", owner["localId"], attacker["localId"])
			}
			for what, refused := range map[string]string{
				"password":      w.refusal("signInWithPassword", object{"email": email, "password": "secret1"}),
				"refresh token": w.refusal("token", object{"grant_type": "refresh_token", "refresh_token": attacker["refreshToken"]}),
				"ID token":      w.refusal("lookup", object{"idToken": attacker["idToken"]}),
			} {
				if refused == "" {
					t.Errorf("the attacker's %s still works", what)
				}
			}
			if again := w.must(w.idp("facebook.com", `{"sub":"f1"}`, nil)); again["localId"] == owner["localId"] {
				t.Error("the attacker's provider still signs in")
			}
			user := w.must(w.client("lookup", object{"idToken": owner["idToken"]}))["users"].([]any)[0].(object)
			if user["emailVerified"] != true || user["passwordHash"] != nil || user["phoneNumber"] != nil {
				t.Errorf("the owner's account = %v", user)
			}
			w.must(w.client("token", object{"grant_type": "refresh_token", "refresh_token": owner["refreshToken"]}))
		})
		t.Run(name+" by the one who set the password", func(t *testing.T) {
			manual := clocktest.NewManual(time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC))
			w := newFixture(t, setup{clock: manual})
			in := w.signUp(email, "secret1")
			manual.Advance(time.Minute)
			proof(w, object{"idToken": in["idToken"]})
			if refused := w.refusal("signInWithPassword", object{"email": email, "password": "secret1"}); refused != "" {
				t.Errorf("the password is gone after its owner linked a proof: %s", refused)
			}
			w.must(w.client("lookup", object{"idToken": in["idToken"]}))
		})
		t.Run(name+" to a verified account", func(t *testing.T) {
			w := newFixture(t, setup{})
			in := w.verified(email)
			proof(w, nil)
			if refused := w.refusal("signInWithPassword", object{"email": email, "password": "secret1"}); refused != "" {
				t.Errorf("a verified account's password is gone: %s", refused)
			}
			w.must(w.client("lookup", object{"idToken": in["idToken"]}))
		})
	}
}

// refusal calls a method as a client and returns the refusal's name, or empty.
func (w *fixture) refusal(verb string, body object) string {
	w.t.Helper()
	_, refused := w.client(verb, body)
	return refused
}

// TestAPasswordResetRemovesPasskeys resets the password of an account whose address was not verified, and signs in with
// the passkey that was registered before.
func TestAPasswordResetRemovesPasskeys(t *testing.T) {
	w := newFixture(t, setup{})
	in := w.signUp("ana@example.com", "attacker1")
	w.must(w.client("v2/accounts/passkeyEnrollment:finalize", object{"idToken": in["idToken"], "authenticatorRegistrationResponse": object{"id": "key"}}))
	signIn := object{"authenticatorAuthenticationResponse": object{"id": "key"}}
	w.must(w.client("v2/accounts/passkeySignIn:finalize", signIn))
	w.must(w.client("sendOobCode", object{"requestType": "PASSWORD_RESET", "email": "ana@example.com"}))
	w.must(w.client("resetPassword", object{"oobCode": w.lastCode()["oobCode"], "newPassword": "secreta1"}))
	if got := w.refusal("v2/accounts/passkeySignIn:finalize", signIn); got != "PASSKEY_CREDENTIAL_NOT_FOUND" {
		t.Errorf("the passkey after the reset: %q, want PASSKEY_CREDENTIAL_NOT_FOUND", got)
	}
}
