package api_test

import (
	"testing"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/base/clock/clocktest"
)

// theft is an account that an attacker has moved to another address, with everything that the attacker attached to
// sign in.
type theft struct {
	w      *fixture
	post   *mailbox
	manual *clocktest.Manual
	uid    string
	// recovery is the code that was sent to the owner.
	recovery string
	// session is the session of the attacker.
	session object
}

// steal creates an account with the owner's address, moves it to the attacker's and attaches a provider and a phone,
// before or after the move.
func steal(t *testing.T, verified, attachFirst bool) *theft {
	t.Helper()
	x := &theft{manual: clocktest.NewManual(noon), post: &mailbox{}}
	messages := &lastText{}
	x.w = newFixture(t, setup{production: true, clock: x.manual, mail: x.post, sms: messages})
	w := x.w
	w.run()
	made := w.signUp("owner@example.com", "secret1")
	if verified {
		w.confirm("owner@example.com")
	}
	x.uid = made["localId"].(string)
	attach := func(in object) {
		sent := w.must(w.client("sendVerificationCode", object{"phoneNumber": "+16505550133"}))
		w.must(w.client("signInWithPhoneNumber", object{"idToken": in["idToken"], "sessionInfo": sent["sessionInfo"], "code": messages.code()}))
	}
	if attachFirst {
		attach(w.signIn("owner@example.com", "secret1"))
	}
	x.move(w.signIn("owner@example.com", "secret1"), "attacker@example.com")
	x.manual.Advance(time.Second)
	x.session = w.signIn("attacker@example.com", "secret1")
	if !attachFirst {
		x.session = w.must(w.client("update", object{"idToken": x.session["idToken"], "password": "stolen1", "returnSecureToken": true}))
		attach(x.session)
	}
	return x
}

// changeCode requests a link that moves the account to another address, and returns its code.
func (x *theft) changeCode(in object, to string) string {
	x.w.t.Helper()
	x.w.must(x.w.client("sendOobCode", object{"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": in["idToken"], "newEmail": to}))
	return x.await(to, onetime.ChangeEmail)
}

// move moves the account from the owner's address to another.
func (x *theft) move(in object, to string) {
	x.w.t.Helper()
	x.w.must(x.w.client("update", object{"oobCode": x.changeCode(in, to)}))
	x.recovery = x.await("owner@example.com", onetime.RecoverEmail)
}

// await waits for an e-mail of a kind to an address, and returns its code.
func (x *theft) await(to string, kind onetime.Kind) string {
	x.w.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		for _, sent := range x.post.take(to) {
			if sent.Kind == kind {
				return queryOf(x.w.t, sent.Link, "oobCode")
			}
		}
	}
	x.w.t.Fatalf("no e-mail of kind %s came to %s within a minute", kind, to)
	return ""
}

// stillIn returns the methods by which the attacker can still sign in.
func (x *theft) stillIn(passwords ...string) (ways []string) {
	x.w.t.Helper()
	for _, email := range []string{"owner@example.com", "attacker@example.com"} {
		for _, password := range passwords {
			if x.w.refusal("signInWithPassword", object{"email": email, "password": password}) == "" {
				ways = append(ways, "password "+password)
			}
		}
	}
	if x.w.refusal("token", object{"grant_type": "refresh_token", "refresh_token": x.session["refreshToken"]}) == "" {
		ways = append(ways, "session")
	}
	found, err := x.w.service.Lookup(x.w.t.Context(), service.Call{Project: project, Admin: true}, &service.LookupRequest{LocalID: []string{x.uid}})
	if err != nil || len(found.Users) != 1 {
		x.w.t.Fatalf("the account: %v, %v", found, err)
	}
	if found.Users[0].PhoneNumber != "" {
		ways = append(ways, "phone")
	}
	if found.Users[0].Email != "owner@example.com" {
		ways = append(ways, "address")
	}
	return ways
}

// TestARestoredAddressRemovesTheAttackersCredentials restores the address of a stolen account by the link that was sent
// to its former address. Credentials that were attached after the change must not sign in any more. If ownership of the
// address had not been proved, no earlier credentials may either.
func TestARestoredAddressRemovesTheAttackersCredentials(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		verified, attachFirst bool
		// kept lists the methods by which the owner can sign in.
		kept []string
	}{
		{"an address that an attacker signed up with", false, true, nil},
		{"an address that an attacker signed up with, attached later", false, false, nil},
		{"a verified address", true, false, nil},
		{"a verified address, attached by the owner", true, true, []string{"password secret1", "phone"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := steal(t, tt.verified, tt.attachFirst)
			pending := x.changeCode(x.session, "attacker2@example.com")
			x.w.must(x.w.client("update", object{"oobCode": x.recovery}))
			if got := x.w.refusal("update", object{"oobCode": pending}); got != "INVALID_OOB_CODE" {
				t.Errorf("a link to another address of the attacker: %q, want INVALID_OOB_CODE", got)
			}
			got := x.stillIn("secret1", "stolen1")
			if len(got) != len(tt.kept) || len(got) > 0 && (got[0] != tt.kept[0] || got[1] != tt.kept[1]) {
				t.Errorf("after the address was restored, these ways are open: %v, want %v", got, tt.kept)
			}
		})
	}
}

// TestPendingChangesOfAddressEnd signs up as an attacker with a user's address and requests a link that changes it.
// Then the owner proves the address or sets a new password. The link must no longer change the address.
func TestPendingChangesOfAddressEnd(t *testing.T) {
	for name, prove := range map[string]func(*theft){
		"password reset": func(x *theft) {
			x.w.must(x.w.client("sendOobCode", object{"requestType": "PASSWORD_RESET", "email": "owner@example.com"}))
			x.w.must(x.w.client("resetPassword", object{"oobCode": x.await("owner@example.com", onetime.PasswordReset), "newPassword": "secret2"}))
		},
		"e-mail link": func(x *theft) {
			x.w.must(x.w.client("signInWithEmailLink", object{"email": "owner@example.com", "oobCode": x.w.linkFor(x.post, "owner@example.com")}))
		},
		"new password": func(x *theft) {
			in := x.w.signIn("owner@example.com", "secret1")
			x.w.must(x.w.client("update", object{"idToken": in["idToken"], "password": "secret2"}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := &theft{manual: clocktest.NewManual(noon), post: &mailbox{}}
			x.w = newFixture(t, setup{production: true, clock: x.manual, mail: x.post})
			x.w.run()
			x.session = x.w.signUp("owner@example.com", "secret1")
			x.uid = x.session["localId"].(string)
			pending := x.changeCode(x.session, "attacker@example.com")
			x.manual.Advance(time.Second)
			prove(x)
			if got := x.w.refusal("update", object{"oobCode": pending}); got != "INVALID_OOB_CODE" {
				t.Errorf("the attacker's link: %q, want INVALID_OOB_CODE", got)
			}
			for _, way := range x.stillIn("secret1") {
				t.Errorf("the attacker still has: %s", way)
			}
		})
	}
}
