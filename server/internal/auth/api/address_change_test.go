package api_test

import (
	"testing"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/base/clock/clocktest"
)

// linkFor requests a sign-in link for an address and returns its code.
func (w *fixture) linkFor(post *mailbox, email string) string {
	w.t.Helper()
	post.take(email)
	w.must(w.client("sendOobCode", object{"requestType": "EMAIL_SIGNIN", "email": email, "continueUrl": w.url + "/", "canHandleCodeInApp": true}))
	sent := post.take(email)
	if len(sent) != 1 {
		w.t.Fatalf("%d e-mails with a link were sent to %s, want 1", len(sent), email)
	}
	return queryOf(w.t, sent[0].Link, "oobCode")
}

// withPrivacy switches the protection of addresses from enumeration on or off.
func (w *fixture) withPrivacy(on bool) {
	w.t.Helper()
	settings := &service.ConfigRequest{Mask: []string{"emailPrivacyConfig"}, Body: object{"emailPrivacyConfig": object{"enableImprovedEmailPrivacy": on}}}
	if _, err := w.service.UpdateConfig(w.t.Context(), service.Call{Project: project}, settings); err != nil {
		w.t.Fatal(err)
	}
}

// TestOldSessionsMayNotChangeAddresses tries every way in which an old session could change how its account is signed
// in to.
func TestOldSessionsMayNotChangeAddresses(t *testing.T) {
	const old = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
	manual, post := clocktest.NewManual(noon), &mailbox{}
	messages := &lastText{}
	w := newFixture(t, setup{production: true, clock: manual, mail: post, sms: messages})
	w.run()
	w.withPrivacy(false)
	settings := object{"mfa": object{"state": "ENABLED", "enabledProviders": []string{"PHONE_SMS"}}}
	if _, err := w.service.UpdateConfig(t.Context(), service.Call{Project: project}, &service.ConfigRequest{Mask: []string{"mfa"}, Body: settings}); err != nil {
		t.Fatal(err)
	}
	w.confirmed("a@example.com")
	anonymous := w.must(w.client("signUp", object{}))
	upgraded := w.must(w.client("signUp", object{}))
	w.must(w.client("signInWithEmailLink", object{"idToken": upgraded["idToken"], "email": "up@example.com", "oobCode": w.linkFor(post, "up@example.com")}))
	in := w.signIn("a@example.com", "secret1")
	manual.Advance(6 * time.Minute)
	refresh := func(s object) any {
		return w.must(w.client("token", object{"grant_type": "refresh_token", "refresh_token": s["refreshToken"]}))["id_token"]
	}
	in["idToken"], anonymous["idToken"], upgraded["idToken"] = refresh(in), refresh(anonymous), refresh(upgraded)
	phone := w.must(w.client("sendVerificationCode", object{"phoneNumber": "+16505550133"}))
	for _, tt := range []struct {
		name, verb string
		user       object
		body       object
		want       string
	}{
		{"sign-up with another address", "signUp", in, object{"email": "attacker@example.com", "password": "secret2"}, old},
		{"sign-up with the same address", "signUp", in, object{"email": "a@example.com", "password": "secret2"}, old},
		{"an e-mail link", "signInWithEmailLink", in, object{"email": "attacker@example.com", "oobCode": w.linkFor(post, "attacker@example.com")}, old},
		{"a link to change the address", "sendOobCode", in, object{"requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "attacker@example.com"}, old},
		{"a phone", "signInWithPhoneNumber", in, object{"sessionInfo": phone["sessionInfo"], "code": messages.code()}, old},
		{"deleting address and password", "update", in, object{"deleteAttribute": []string{"EMAIL", "PASSWORD"}}, old},
		{"deleting the password's provider", "update", in, object{"deleteProvider": []string{"password"}}, old},
		{"deleting all providers", "update", in, object{"deleteAttribute": []string{"PROVIDER"}}, old},
		{"withdrawing a second factor", "v2/accounts/mfaEnrollment:withdraw", in, object{"mfaEnrollmentId": "x"}, old},
		{"a session that began anonymously, of an account with an address", "update", upgraded, object{"password": "secret2"}, old},
		{"a link to verify the address", "sendOobCode", in, object{"requestType": "VERIFY_EMAIL"}, ""},
		{"a name", "update", in, object{"displayName": "Ann"}, ""},
		{"an anonymous user's address and password", "signUp", anonymous, object{"email": "new@example.com", "password": "secret1"}, ""},
	} {
		tt.body["idToken"] = tt.user["idToken"]
		if got := w.refusal(tt.verb, tt.body); got != tt.want {
			t.Errorf("%s with an old session: %q, want %q", tt.name, got, tt.want)
		}
	}
	w.signIn("a@example.com", "secret1")
}

// TestChangesOfAddressByLinking links another address to an account, with and without protection of addresses: the
// former address is notified, the sessions end, and the new address is verified only when it was proved.
func TestChangesOfAddressByLinking(t *testing.T) {
	for _, tt := range []struct {
		name     string
		privacy  bool
		change   func(w *fixture, post *mailbox, in object) (object, string)
		refused  string
		verified bool
	}{
		{"sign-up", false, func(w *fixture, _ *mailbox, in object) (object, string) {
			return w.client("signUp", object{"idToken": in["idToken"], "email": "new@example.com", "password": "secret2"})
		}, "", false},
		{"sign-up where addresses are protected", true, func(w *fixture, _ *mailbox, in object) (object, string) {
			return w.client("signUp", object{"idToken": in["idToken"], "email": "new@example.com", "password": "secret2"})
		}, "OPERATION_NOT_ALLOWED", false},
		{"an e-mail link", true, func(w *fixture, post *mailbox, in object) (object, string) {
			return w.client("signInWithEmailLink", object{"idToken": in["idToken"], "email": "new@example.com", "oobCode": w.linkFor(post, "new@example.com")})
		}, "", true},
		{"deleting the address", false, func(w *fixture, _ *mailbox, in object) (object, string) {
			return w.client("update", object{"idToken": in["idToken"], "deleteAttribute": []string{"EMAIL"}, "returnSecureToken": true})
		}, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			manual, post := clocktest.NewManual(noon), &mailbox{}
			w := newFixture(t, setup{production: true, clock: manual, mail: post})
			w.withPrivacy(tt.privacy)
			made := w.confirmed("old@example.com")
			manual.Advance(time.Minute)
			in := w.signIn("old@example.com", "secret1")
			changed, refused := tt.change(w, post, in)
			if refused != tt.refused {
				t.Fatalf("refused with %q, want %q", refused, tt.refused)
			}
			sent := post.take("old@example.com")
			if refused != "" {
				if len(sent) != 0 {
					t.Errorf("a refused change sent %v", sent)
				}
				w.must(w.client("lookup", object{"idToken": in["idToken"]}))
				return
			}
			if len(sent) != 1 || sent[0].Kind != onetime.RecoverEmail {
				t.Fatalf("the former address was sent %v, want one e-mail that restores it", sent)
			}
			for _, s := range []object{made, in} {
				if got := w.refusal("lookup", object{"idToken": s["idToken"]}); got != "TOKEN_EXPIRED" {
					t.Errorf("a session from before the change: %q, want TOKEN_EXPIRED", got)
				}
			}
			user := w.must(w.client("lookup", object{"idToken": changed["idToken"]}))["users"].([]any)[0].(object)
			if got := user["emailVerified"] == true; got != tt.verified {
				t.Errorf("the new address is verified: %v, want %v", got, tt.verified)
			}
			w.must(w.client("update", object{"oobCode": queryOf(t, sent[0].Link, "oobCode")}))
			if got := w.refusal("lookup", object{"idToken": changed["idToken"]}); got != "TOKEN_EXPIRED" {
				t.Errorf("the session that changed the address, after it was restored: %q, want TOKEN_EXPIRED", got)
			}
		})
	}
}

// TestAnonymousUpgrade links an address and a password, and a link, to anonymous users, as the web SDK's
// linkWithCredential does.
func TestAnonymousUpgrade(t *testing.T) {
	post := &mailbox{}
	w := newFixture(t, setup{production: true, mail: post})
	for name, link := range map[string]func(object) (object, string){
		"password": func(in object) (object, string) {
			return w.client("signUp", object{"idToken": in["idToken"], "email": "password@example.com", "password": "secret1", "returnSecureToken": true})
		},
		"link": func(in object) (object, string) {
			return w.client("signInWithEmailLink", object{"idToken": in["idToken"], "email": "link@example.com", "oobCode": w.linkFor(post, "link@example.com")})
		},
	} {
		in := w.must(w.client("signUp", object{}))
		out := w.must(link(in))
		if out["localId"] != in["localId"] {
			t.Errorf("%s: linked to %v, want %v", name, out["localId"], in["localId"])
		}
		user := w.must(w.client("lookup", object{"idToken": out["idToken"]}))["users"].([]any)[0].(object)
		if user["email"] != name+"@example.com" {
			t.Errorf("%s: the account is %v", name, user)
		}
		w.must(w.client("token", object{"grant_type": "refresh_token", "refresh_token": out["refreshToken"]}))
	}
}

// TestAPasswordResetRemovesOtherCredentials signs up as an attacker with a user's address and attaches other
// credentials. Then the owner of the address resets the password: only the new password may sign in. A verified account
// keeps its credentials.
func TestAPasswordResetRemovesOtherCredentials(t *testing.T) {
	for _, verified := range []bool{false, true} {
		w := newFixture(t, setup{})
		in := w.signUp("a@example.com", "secret1")
		w.must(w.idp("facebook.com", `{"sub":"f1"}`, object{"idToken": in["idToken"]}))
		w.must(w.admin("POST", "v1/projects/"+project+"/accounts:update", object{
			"localId": in["localId"], "phoneNumber": "+16505550116", "emailVerified": verified, "mfa": object{"enrollments": []object{{"phoneInfo": "+16505550117"}}},
		}))
		w.must(w.client("sendOobCode", object{"requestType": "PASSWORD_RESET", "email": "a@example.com"}))
		w.must(w.client("resetPassword", object{"oobCode": w.lastCode()["oobCode"], "newPassword": "secret2"}))
		user := w.must(w.admin("POST", "v1/projects/"+project+"/accounts:lookup", object{"localId": in["localId"]}))["users"].([]any)[0].(object)
		kept := user["phoneNumber"] != nil && user["mfaInfo"] != nil
		if dropped := user["phoneNumber"] == nil && user["mfaInfo"] == nil; kept != verified || dropped == verified {
			t.Errorf("verified before %v: after the reset the account has the phone %v and the factors %v", verified, user["phoneNumber"], user["mfaInfo"])
		}
		again := w.must(w.idp("facebook.com", `{"sub":"f1"}`, nil))
		if same := again["localId"] == in["localId"]; same != verified {
			t.Errorf("verified before %v: the attached provider signs in: %v", verified, same)
		}
	}
}

// TestContinueAddresses requests links with continue URLs of several schemes.
func TestContinueAddresses(t *testing.T) {
	w := newFixture(t, setup{production: true})
	w.signUp("a@example.com", "secret1")
	for address, want := range map[string]string{
		w.url + "/next": "", "javascript://127.0.0.1/%0aalert(1)": "INVALID_CONTINUE_URI", "ftp://127.0.0.1/": "INVALID_CONTINUE_URI", "data:text/html,x": "INVALID_CONTINUE_URI",
		"app://127.0.0.1/": "INVALID_CONTINUE_URI", "HTTP://127.0.0.1/": "",
	} {
		if got := w.refusal("sendOobCode", object{"requestType": "PASSWORD_RESET", "email": "a@example.com", "continueUrl": address}); got != want {
			t.Errorf("a link that leads on to %s: %q, want %q", address, got, want)
		}
	}
}
