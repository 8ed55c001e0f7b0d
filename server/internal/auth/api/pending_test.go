package api_test

import (
	"testing"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/updateform"
	"clave/server/internal/base/clock/clocktest"
)

// TestAPendingSignInIsCompletedOnce completes a pending sign-in twice at the same time: the blocking function of the
// first request completes it with another code.
func TestAPendingSignInIsCompletedOnce(t *testing.T) {
	var inner func() (object, string)
	refused := "nothing"
	w := newFixture(t, setup{blocking: function(func(map[string]any) (int, string) {
		if end := inner; end != nil {
			inner = nil
			_, refused = end()
		}
		return 200, "{}"
	})})
	user := w.verified("pending@example.com")
	w.must(w.client("v2/accounts/mfaEnrollment:finalize", w.enroll(user, "+16505550114")))
	w.must(w.admin("PATCH", "v2/projects/"+project+"/config", object{"blockingFunctions": object{"triggers": object{
		"beforeSignIn": object{"functionUri": "http://f/s"},
	}}}))
	half := w.must(w.client("signInWithPassword", object{"email": "pending@example.com", "password": "secret1", "returnSecureToken": true}))
	end := func() func() (object, string) {
		w.must(w.client("v2/accounts/mfaSignIn:start", object{
			"mfaPendingCredential": half["mfaPendingCredential"], "mfaEnrollmentId": half["mfaInfo"].([]any)[0].(object)["mfaEnrollmentId"], "phoneSignInInfo": object{},
		}))
		list := w.codes("verificationCodes")
		sent := list[len(list)-1].(object)
		return func() (object, string) {
			return w.client("v2/accounts/mfaSignIn:finalize", object{
				"mfaPendingCredential": half["mfaPendingCredential"], "phoneVerificationInfo": object{"sessionInfo": sent["sessionInfo"], "code": sent["code"]},
			})
		}
	}
	first, second := end(), end()
	inner = second
	_, outer := first()
	if refused != "" || outer != "INVALID_MFA_PENDING_CREDENTIAL" {
		t.Errorf("the two ends of one sign-in answered %q and %q; want one refused with INVALID_MFA_PENDING_CREDENTIAL", refused, outer)
	}
}

// TestAdministratorsKeepAuthenticatorApps changes the factors of a user who has an authenticator app.
func TestAdministratorsKeepAuthenticatorApps(t *testing.T) {
	w := newFixture(t, setup{})
	user := w.withApp("app@example.com")
	lookup := func() []any {
		found := w.must(w.admin("POST", "v1/projects/"+project+"/accounts:lookup", object{"localId": user["localId"]}))
		list, _ := found["users"].([]any)[0].(object)["mfaInfo"].([]any)
		return list
	}
	set := func(enrollments ...any) string {
		_, refused := w.admin("POST", "v1/projects/"+project+"/accounts:update", object{"localId": user["localId"], "mfa": object{"enrollments": enrollments}})
		return refused
	}
	app := lookup()[0].(object)
	renamed := object{"mfaEnrollmentId": app["mfaEnrollmentId"], "displayName": "tablet", "totpInfo": object{}}
	if refused := set(renamed, object{"phoneInfo": "+16505550115", "displayName": "phone"}); refused != "" {
		t.Fatalf("listing the app again with a phone: %s", refused)
	}
	list := lookup()
	if len(list) != 2 || list[0].(object)["displayName"] != "tablet" || list[0].(object)["totpInfo"] == nil || list[0].(object)["enrolledAt"] != app["enrolledAt"] {
		t.Errorf("factors = %v, want the app and the phone", list)
	}
	for name, tt := range map[string]struct {
		give []any
		want string
	}{
		"an app that is not enrolled": {[]any{object{"mfaEnrollmentId": "nope", "totpInfo": object{}}}, "MFA_ENROLLMENT_NOT_FOUND"},
		"the app as a phone":          {[]any{object{"mfaEnrollmentId": app["mfaEnrollmentId"], "totpInfo": object{}, "phoneInfo": "+12"}}, "INVALID_MFA_PHONE_NUMBER"},
		"the app twice":               {[]any{renamed, renamed}, "DUPLICATE_MFA_ENROLLMENT_ID"},
		"neither app nor phone":       {[]any{object{"displayName": "x"}}, "INVALID_MFA_PHONE_NUMBER"},
		"more than a user may have":   {[]any{object{"phoneInfo": "+16505550121"}, object{"phoneInfo": "+16505550122"}, object{"phoneInfo": "+16505550123"}, object{"phoneInfo": "+16505550124"}, object{"phoneInfo": "+16505550125"}, object{"phoneInfo": "+16505550126"}}, "SECOND_FACTOR_LIMIT_EXCEEDED"},
	} {
		if refused := set(tt.give...); refused != tt.want {
			t.Errorf("%s: %q, want %s", name, refused, tt.want)
		}
	}
	if list := lookup(); len(list) != 2 {
		t.Errorf("refused changes left %v", list)
	}
	if refused := set(); refused != "" || len(lookup()) != 0 {
		t.Errorf("an empty list: %q, leaves %v; want nothing left", refused, lookup())
	}
}

// withPhone creates an account with a verified address, a password and a phone as its second factor, in production.
func (w *fixture) withPhone(email, phone string, messages *lastText) object {
	w.t.Helper()
	settings := object{"mfa": object{"state": "ENABLED", "enabledProviders": []string{"PHONE_SMS"}}}
	if _, err := w.service.UpdateConfig(w.t.Context(), service.Call{Project: project}, &service.ConfigRequest{Mask: []string{"mfa"}, Body: settings}); err != nil {
		w.t.Fatal(err)
	}
	in := w.confirmed(email)
	started := w.must(w.client("v2/accounts/mfaEnrollment:start", object{"idToken": in["idToken"], "phoneEnrollmentInfo": object{"phoneNumber": phone}}))
	done := w.must(w.client("v2/accounts/mfaEnrollment:finalize", object{"idToken": in["idToken"], "phoneVerificationInfo": object{
		"sessionInfo": started["phoneSessionInfo"].(object)["sessionInfo"], "code": messages.code(),
	}}))
	in["idToken"] = done["idToken"]
	return in
}

// half signs in with the password of an account with a second factor, and returns the answer.
func (w *fixture) half(email string) object {
	w.t.Helper()
	half := w.signIn(email, "secret1")
	if half["mfaPendingCredential"] == nil || half["idToken"] != nil {
		w.t.Fatalf("a sign-in with a second factor = %v", half)
	}
	return half
}

// textFor sends the second factor's code for a pending sign-in, and returns the session that the code belongs to.
func (w *fixture) textFor(half object) (session any, refused string) {
	w.t.Helper()
	started, refused := w.client("v2/accounts/mfaSignIn:start", object{
		"mfaPendingCredential": half["mfaPendingCredential"], "mfaEnrollmentId": half["mfaInfo"].([]any)[0].(object)["mfaEnrollmentId"], "phoneSignInInfo": object{},
	})
	if refused != "" {
		return nil, refused
	}
	return started["phoneResponseInfo"].(object)["sessionInfo"], ""
}

// TestAPendingSignInEnds presents a second factor after the first has become invalid: before the factor's code is
// requested, after that, and while a blocking function checks the sign-in.
func TestAPendingSignInEnds(t *testing.T) {
	const gone = "INVALID_MFA_PENDING_CREDENTIAL"
	password, yes := "secret2", true
	for _, tt := range []struct {
		name string
		edit updateform.Request
		want string
	}{
		{"a new password", updateform.Request{Password: &password}, gone},
		{"a revocation", updateform.Request{ValidSince: new(noon.Unix())}, gone},
		{"a revocation later", updateform.Request{ValidSince: new(noon.Add(time.Hour).Unix())}, gone},
		{"a disabled account", updateform.Request{DisableUser: &yes}, "USER_DISABLED"},
	} {
		for _, when := range []string{"before the code", "after the code", "during the sign-in", "never"} {
			t.Run(tt.name+" "+when, func(t *testing.T) {
				var w *fixture
				messages, called := &lastText{}, func() {}
				w = newFixture(t, setup{production: true, clock: clocktest.NewManual(noon), sms: messages, blocking: function(func(map[string]any) (int, string) {
					called()
					return 200, "{}"
				})})
				in := w.withPhone("a@example.com", "+16505550114", messages)
				triggers := &service.ConfigRequest{Mask: []string{"blockingFunctions"}, Body: object{"blockingFunctions": object{"triggers": object{"beforeSignIn": object{"functionUri": "https://f.example.com/s"}}}}}
				if _, err := w.service.UpdateConfig(t.Context(), service.Call{Project: project}, triggers); err != nil {
					t.Fatal(err)
				}
				end := func() {
					edit := tt.edit
					edit.LocalID = new(str(in, "localId"))
					if _, err := w.service.Update(t.Context(), service.Call{Project: project, Admin: true}, &edit); err != nil {
						t.Error(err)
					}
				}
				half, want := w.half("a@example.com"), tt.want
				if when == "before the code" {
					end()
					if _, refused := w.textFor(half); refused != want {
						t.Errorf("requesting the code: %q, want %q", refused, want)
					}
					return
				}
				session, refused := w.textFor(half)
				if refused != "" {
					t.Fatal(refused)
				}
				switch when {
				case "after the code":
					end()
				case "during the sign-in":
					called = end
				default:
					want = ""
				}
				if got := w.refusal("v2/accounts/mfaSignIn:finalize", object{
					"mfaPendingCredential": half["mfaPendingCredential"], "phoneVerificationInfo": object{"sessionInfo": session, "code": messages.code()},
				}); got != want {
					t.Errorf("presenting the second factor: %q, want %q", got, want)
				}
			})
		}
	}
}

// TestTextMessagesServeOnePurpose uses the code of one user's second factor for another user's, and as a first factor.
func TestTextMessagesServeOnePurpose(t *testing.T) {
	messages := &lastText{}
	w := newFixture(t, setup{production: true, sms: messages})
	const shared = "+16505550115"
	w.withPhone("a@example.com", shared, messages)
	w.withPhone("b@example.com", shared, messages)
	ofA, ofB := w.half("a@example.com"), w.half("b@example.com")
	present := func(half object, session any) string {
		return w.refusal("v2/accounts/mfaSignIn:finalize", object{
			"mfaPendingCredential": half["mfaPendingCredential"], "phoneVerificationInfo": object{"sessionInfo": session, "code": messages.code()},
		})
	}
	text := func(half object) any {
		session, refused := w.textFor(half)
		if refused != "" {
			t.Fatal(refused)
		}
		return session
	}
	if got := present(ofA, text(ofB)); got != "MFA_ENROLLMENT_NOT_FOUND" {
		t.Errorf("the code of another user's factor: %q, want MFA_ENROLLMENT_NOT_FOUND", got)
	}
	sent := w.must(w.client("sendVerificationCode", object{"phoneNumber": shared}))
	if got := present(ofA, sent["sessionInfo"]); got != "MFA_ENROLLMENT_NOT_FOUND" {
		t.Errorf("the code of a first factor: %q, want MFA_ENROLLMENT_NOT_FOUND", got)
	}
	if got := w.refusal("signInWithPhoneNumber", object{"sessionInfo": text(ofA), "code": messages.code()}); got != "INVALID_SESSION_INFO" {
		t.Errorf("a second factor's code as a first factor: %q, want INVALID_SESSION_INFO", got)
	}
	if got := present(ofA, text(ofA)); got != "" {
		t.Errorf("the user's own code: %q", got)
	}
}
