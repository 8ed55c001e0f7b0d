package api_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/sms"
	"clave/server/internal/auth/service/updateform"
)

// texted sends a sign-in code to a phone and returns its session and the code.
func (w *fixture) texted(phone string) object {
	w.t.Helper()
	w.must(w.client("sendVerificationCode", object{"phoneNumber": phone}))
	list := w.codes("verificationCodes")
	return list[len(list)-1].(object)
}

// enroll starts to enroll a phone as a second factor and returns the request that completes it.
func (w *fixture) enroll(user object, phone string) object {
	w.t.Helper()
	started := w.must(w.client("v2/accounts/mfaEnrollment:start", object{"idToken": user["idToken"], "phoneEnrollmentInfo": object{"phoneNumber": phone}}))
	list := w.codes("verificationCodes")
	return object{"idToken": user["idToken"], "phoneVerificationInfo": object{
		"sessionInfo": started["phoneSessionInfo"].(object)["sessionInfo"], "code": list[len(list)-1].(object)["code"],
	}}
}

// texter counts text messages.
type texter struct{ sent atomic.Int32 }

// Text implements sms.Sender.
func (x *texter) Text(context.Context, sms.Message) error {
	x.sent.Add(1)
	return nil
}

// confirmed creates a user with a verified address, also if administrators cannot verify it.
func (w *fixture) confirmed(email string) object {
	w.t.Helper()
	made := w.signUp(email, "secret1")
	w.confirm(email)
	return made
}

// confirm marks an account's address as verified, as an administrator.
func (w *fixture) confirm(email string) {
	w.t.Helper()
	admin, yes := service.Call{Project: project, Admin: true}, true
	found, err := w.service.Lookup(w.t.Context(), admin, &service.LookupRequest{Email: []string{email}})
	if err != nil || len(found.Users) != 1 {
		w.t.Fatalf("the account of %s: %v, %v", email, found, err)
	}
	if _, err := w.service.Update(w.t.Context(), admin, &updateform.Request{LocalID: &found.Users[0].LocalID, EmailVerified: &yes}); err != nil {
		w.t.Fatal(err)
	}
}

// withApp creates a user with an authenticator app and returns its sign-up, and the app's key under "key".
func (w *fixture) withApp(email string) object {
	w.t.Helper()
	user := w.verified(email)
	started := w.must(w.client("v2/accounts/mfaEnrollment:start", object{"idToken": user["idToken"], "totpEnrollmentInfo": object{}}))
	session := started["totpSessionInfo"].(object)
	user["key"] = session["sharedSecretKey"]
	w.must(w.client("v2/accounts/mfaEnrollment:finalize", object{"idToken": user["idToken"], "totpVerificationInfo": object{
		"sessionInfo": session["sessionInfo"], "verificationCode": authenticator(w.t, str(session, "sharedSecretKey"), time.Now()),
	}}))
	return user
}

// TestPhoneSignInRequiresTheSecondFactor signs in by one text message to an account that requires two proofs.
func TestPhoneSignInRequiresTheSecondFactor(t *testing.T) {
	w := newFixture(t, setup{})
	user := w.verified("two@example.com")
	w.must(w.admin("POST", "v1/projects/"+project+"/accounts:update", object{"localId": user["localId"], "phoneNumber": "+16505550107"}))
	w.must(w.client("v2/accounts/mfaEnrollment:finalize", w.enroll(user, "+16505550108")))
	sent := w.texted("+16505550107")
	in, refused := w.client("signInWithPhoneNumber", object{"sessionInfo": sent["sessionInfo"], "code": sent["code"]})
	if refused != "UNSUPPORTED_FIRST_FACTOR" || str(in, "idToken") != "" {
		t.Errorf("signing in by phone alone = %q, %v; want UNSUPPORTED_FIRST_FACTOR", refused, in)
	}
}

// TestAPhoneIsEnrolledOnce starts two enrollments of one number and completes both.
func TestAPhoneIsEnrolledOnce(t *testing.T) {
	w := newFixture(t, setup{})
	user := w.verified("once@example.com")
	first, second := w.enroll(user, "+16505550109"), w.enroll(user, "+16505550109")
	w.must(w.client("v2/accounts/mfaEnrollment:finalize", first))
	if _, refused := w.client("v2/accounts/mfaEnrollment:finalize", second); refused != "SECOND_FACTOR_EXISTS" {
		t.Errorf("the same number again: %q, want SECOND_FACTOR_EXISTS", refused)
	}
}

// TestFactorsRequireAVerifiedAddress enrolls factors for an account whose address was not verified: its owner could not
// sign in any more.
func TestFactorsRequireAVerifiedAddress(t *testing.T) {
	w := newFixture(t, setup{})
	in := w.verified("later@example.com")
	enroll := w.enroll(in, "+16505550118")
	w.must(w.admin("POST", "v1/projects/"+project+"/accounts:update", object{"localId": in["localId"], "emailVerified": false}))
	for _, tt := range []struct {
		verb string
		body object
	}{
		{"mfaEnrollment:start", object{"idToken": in["idToken"], "phoneEnrollmentInfo": object{"phoneNumber": "+16505550119"}}},
		{"mfaEnrollment:start", object{"idToken": in["idToken"], "totpEnrollmentInfo": object{}}},
		{"mfaEnrollment:finalize", enroll},
	} {
		if got := w.refusal("v2/accounts/"+tt.verb, tt.body); got != "UNVERIFIED_EMAIL" {
			t.Errorf("%s %v: %q, want UNVERIFIED_EMAIL", tt.verb, tt.body, got)
		}
	}
	w.must(w.admin("POST", "v1/projects/"+project+"/accounts:update", object{"localId": in["localId"], "emailVerified": true}))
	w.must(w.client("v2/accounts/mfaEnrollment:finalize", enroll))
}

// TestAProofIsAcceptedOnce uses a temporary proof twice and for other purposes.
func TestAProofIsAcceptedOnce(t *testing.T) {
	w := newFixture(t, setup{})
	sent := w.texted("+16505550110")
	w.must(w.client("signInWithPhoneNumber", object{"sessionInfo": sent["sessionInfo"], "code": sent["code"]}))
	other := w.signUp("b@example.com", "secret1")
	sent = w.texted("+16505550110")
	proof := w.must(w.client("signInWithPhoneNumber", object{"sessionInfo": sent["sessionInfo"], "code": sent["code"], "idToken": other["idToken"]}))["temporaryProof"]
	tests := []struct {
		name string
		body object
		want string
	}{
		{"linking by the proof", object{"temporaryProof": proof, "phoneNumber": "+16505550110", "idToken": other["idToken"]}, "PHONE_NUMBER_EXISTS"},
		{"no number", object{"temporaryProof": proof}, "MISSING_PHONE_NUMBER"},
		{"another number", object{"temporaryProof": proof, "phoneNumber": "+16505550111"}, "INVALID_TEMPORARY_PROOF"},
	}
	for _, tt := range tests {
		if _, refused := w.client("signInWithPhoneNumber", tt.body); refused != tt.want {
			t.Errorf("%s: %q, want %s", tt.name, refused, tt.want)
		}
	}
	signIn := object{"temporaryProof": proof, "phoneNumber": "+16505550110"}
	w.must(w.client("signInWithPhoneNumber", signIn))
	if _, refused := w.client("signInWithPhoneNumber", signIn); refused != "INVALID_TEMPORARY_PROOF" {
		t.Errorf("signing in by the proof again: %q, want INVALID_TEMPORARY_PROOF", refused)
	}
}

// mailer is a mail server that can be down.
type mailer struct{ down atomic.Bool }

// Send implements service.Mailer.
func (m *mailer) Send(context.Context, service.Email) error {
	if m.down.Load() {
		return errors.New("no mail server")
	}
	return nil
}

// TestAnEmailThatCannotBeSentUndoesNothing changes an address while the mail server is down.
func TestAnEmailThatCannotBeSentUndoesNothing(t *testing.T) {
	post := &mailer{}
	w := newFixture(t, setup{mail: post})
	user := w.verified("from@example.com")
	w.must(w.client("sendOobCode", object{"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": user["idToken"], "newEmail": "to@example.com"}))
	code := w.lastCode()["oobCode"]
	post.down.Store(true)
	if done, refused := w.client("update", object{"oobCode": code}); refused != "" || done["email"] != "to@example.com" {
		t.Errorf("changing the address = %v, %q; want it done", done, refused)
	}
	w.must(w.client("signInWithPassword", object{"email": "to@example.com", "password": "secret1"}))
}

// TestABlockingFunctionIsCalledAfterTheSecondFactor signs in by e-mail link and by provider to an account with a second
// factor.
func TestABlockingFunctionIsCalledAfterTheSecondFactor(t *testing.T) {
	var called atomic.Int32
	w := newFixture(t, setup{blocking: function(func(map[string]any) (int, string) {
		called.Add(1)
		return 200, "{}"
	})})
	user := w.verified("whole@example.com")
	w.must(w.client("v2/accounts/mfaEnrollment:finalize", w.enroll(user, "+16505550112")))
	w.must(w.admin("PATCH", "v2/projects/"+project+"/config", object{"blockingFunctions": object{"triggers": object{
		"beforeSignIn": object{"functionUri": "http://f/s"},
	}}}))
	w.must(w.client("sendOobCode", object{"requestType": "EMAIL_SIGNIN", "email": "whole@example.com", "continueUrl": "http://localhost/", "canHandleCodeInApp": true}))
	ways := map[string]func() (object, string){
		"link": func() (object, string) {
			return w.client("signInWithEmailLink", object{"email": "whole@example.com", "oobCode": w.lastCode()["oobCode"]})
		},
		"provider": func() (object, string) {
			return w.idp("google.com", `{"sub":"w1","email":"whole@example.com","email_verified":true}`, nil)
		},
	}
	for name, way := range ways {
		if half := w.must(way()); str(half, "mfaPendingCredential") == "" || str(half, "idToken") != "" {
			t.Errorf("%s = %v, want a pending credential", name, half)
		}
		if n := called.Load(); n != 0 {
			t.Errorf("%s: the function was called %d times before the second factor", name, n)
		}
	}
}
