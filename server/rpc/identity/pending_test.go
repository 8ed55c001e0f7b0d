package identity_test

import "testing"

// TestAPendingSignInIsCompletedOnce completes a pending sign-in twice at the same time: the blocking function of the first request completes it with
// another code.
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
