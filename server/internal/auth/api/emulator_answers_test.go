package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// emulatorCase is a request that production and the official emulator answer differently, or that Clave once answered
// unlike both. The answers were recorded from the official emulator of firebase-tools 15.34.2; see
// TestAuthBesideTheEmulator of package e2e.
type emulatorCase struct {
	name string
	// run sends the requests and returns the compared text.
	run func(w *fixture) string
	// want is the answer without AsEmulator, as the answer with it. An empty as means the same answer.
	want, as string
}

// mfaPhone is a second factor's number.
const mfaPhone = "+15555550100"

// show prints the value of an answer's field at a path.
func show(answer any, path ...string) string {
	for _, name := range path {
		o, _ := answer.(object)
		v, ok := o[name]
		if !ok {
			return "absent"
		}
		answer = v
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// user returns an account as administrators look it up.
func (w *fixture) user(uid any) object {
	w.t.Helper()
	found := w.must(w.admin("POST", "v1/projects/"+project+"/accounts:lookup", object{"localId": []any{uid}}))
	list, _ := found["users"].([]any)
	if len(list) == 0 {
		w.t.Fatalf("no account %v", uid)
	}
	return list[0].(object)
}

// message returns the complete text of the answer to a client's call, or OK.
func (w *fixture) message(verb string, body any) string {
	w.t.Helper()
	answer, _ := w.client(verb, body)
	return messageOf(answer)
}

// messageOf returns the text of a refusal, or OK.
func messageOf(answer object) string {
	if e, ok := answer["error"].(object); ok {
		return fmt.Sprint(e["message"])
	}
	return "OK"
}

// disabled creates a disabled tenant.
func (w *fixture) disabled() string { return w.newTenant(object{"disableAuth": true}) }

// methods returns how an address can sign in.
func (w *fixture) methods(email string) string {
	w.t.Helper()
	return show(w.must(w.client("createAuthUri", object{"continueUri": "http://localhost/", "identifier": email})), "signinMethods")
}

// emulatorCases are grouped by method.
var emulatorCases = []emulatorCase{
	{"a client's sign-up with factors", func(w *fixture) string {
		made := w.must(w.client("signUp", object{"email": "m@example.com", "password": "secret1", "mfaInfo": []object{{"phoneInfo": mfaPhone, "mfaEnrollmentId": "chosen"}, {"phoneInfo": mfaPhone}}}))
		list, _ := w.user(made["localId"])["mfaInfo"].([]any)
		return fmt.Sprint(len(list), strings.Contains(fmt.Sprint(list), "chosen"))
	}, "0 false", "1 false"},
	{"a sign-in of a user with such a factor", func(w *fixture) string {
		w.must(w.client("signUp", object{"email": "m@example.com", "password": "secret1", "mfaInfo": []object{{"phoneInfo": mfaPhone}}}))
		in := w.must(w.client("signInWithPassword", object{"email": "m@example.com", "password": "secret1"}))
		return fmt.Sprint(str(in, "mfaPendingCredential") != "")
	}, "false", "true"},
	{"an administrator's factor without id", func(w *fixture) string {
		made := w.signUp("m@example.com", "secret1")
		answer, _ := w.admin("POST", "v1/accounts:update", object{"localId": made["localId"], "mfa": object{"enrollments": []object{{"phoneInfo": mfaPhone}}}})
		return messageOf(answer)
	}, "OK", "INVALID_MFA_ENROLLMENT_ID : mfaEnrollmentId must be defined."},
	{"a code for the number of a user with second factors", func(w *fixture) string {
		made := w.signUp("m@example.com", "secret1")
		w.must(w.admin("POST", "v1/accounts:update", object{"localId": made["localId"], "phoneNumber": "+15555550101",
			"mfa": object{"enrollments": []object{{"phoneInfo": mfaPhone, "mfaEnrollmentId": "one"}}}}))
		return w.message("sendVerificationCode", object{"phoneNumber": "+15555550101"})
	}, "OK", "UNSUPPORTED_FIRST_FACTOR : A phone number cannot be set as a first factor on an SMS based MFA user."},
	{"second factors without ID token", func(w *fixture) string {
		var all []string
		for _, verb := range []string{"start", "finalize", "withdraw"} {
			all = append(all, w.message("v2/accounts/mfaEnrollment:"+verb, object{"idToken": "", "phoneEnrollmentInfo": object{"phoneNumber": mfaPhone}}))
		}
		return strings.Join(all, " ")
	}, "INVALID_ID_TOKEN INVALID_ID_TOKEN INVALID_ID_TOKEN", "MISSING_ID_TOKEN MISSING_ID_TOKEN MISSING_ID_TOKEN"},
	{"an empty address and password", func(w *fixture) string { return w.message("signUp", object{"email": "", "password": ""}) }, "INVALID_EMAIL", ""},
	{"an administrator's sign-up with ID token and id", func(w *fixture) string {
		anonymous := w.must(w.client("signUp", object{}))
		answer, _ := w.admin("POST", "v1/accounts:signUp", object{"idToken": anonymous["idToken"], "localId": anonymous["localId"]})
		return messageOf(answer)
	}, "UNEXPECTED_PARAMETER : User ID", ""},
	{"a deletion by administrator and ID token", func(w *fixture) string {
		anonymous := w.must(w.client("signUp", object{}))
		answer, _ := w.admin("POST", "v1/accounts:delete", object{"idToken": anonymous["idToken"]})
		return messageOf(answer)
	}, "MISSING_LOCAL_ID", ""},
	{"an empty oobCode", func(w *fixture) string {
		anonymous := w.must(w.client("signUp", object{}))
		return show(w.must(w.client("update", object{"idToken": anonymous["idToken"], "oobCode": "", "displayName": "A"})), "displayName")
	}, `"A"`, ""},
	{"a change of address by code", func(w *fixture) string {
		made := w.signUp("old@example.com", "secret1")
		w.must(w.client("sendOobCode", object{"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": made["idToken"], "newEmail": "new@example.com"}))
		changed := w.must(w.client("update", object{"oobCode": w.lastCode()["oobCode"]}))
		return fmt.Sprint(changed["newEmail"], " ", len(w.codes("oobCodes")))
	}, "new@example.com 1", "new@example.com 0"},
	{"a change to an address that was taken meanwhile", func(w *fixture) string {
		made := w.signUp("old@example.com", "secret1")
		w.must(w.client("sendOobCode", object{"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": made["idToken"], "newEmail": "new@example.com"}))
		w.signUp("new@example.com", "secret1")
		return fmt.Sprint(w.message("update", object{"oobCode": w.lastCode()["oobCode"]}), " ", len(w.codes("oobCodes")))
	}, "EMAIL_EXISTS 0", ""},
	{"a change of address without the new one", func(w *fixture) string {
		return w.message("sendOobCode", object{"requestType": "VERIFY_AND_CHANGE_EMAIL", "email": "a@example.com"})
	}, "MISSING_NEW_EMAIL", ""},
	{"a change of address without ID token", func(w *fixture) string {
		return w.message("sendOobCode", object{"requestType": "VERIFY_AND_CHANGE_EMAIL", "email": "a@example.com", "newEmail": "b@example.com"})
	}, "MISSING_ID_TOKEN", ""},
	{"a user's own validSince", func(w *fixture) string {
		anonymous := w.must(w.client("signUp", object{}))
		return fmt.Sprint(str(w.must(w.client("update", object{"idToken": anonymous["idToken"], "validSince": "0"})), "refreshToken") != "")
	}, "false", "true"},
	{"a user's own provider", func(w *fixture) string {
		made := w.signUp("a@example.com", "secret1")
		return w.message("update", object{"idToken": made["idToken"], "linkProviderUserInfo": object{"providerId": "google.com", "rawId": "g1"}})
	}, "UNEXPECTED_PARAMETER", "OK"},
	{"a user's own provider without id", func(w *fixture) string {
		made := w.signUp("a@example.com", "secret1")
		return w.message("update", object{"idToken": made["idToken"], "linkProviderUserInfo": object{"providerId": "google.com"}})
	}, "UNEXPECTED_PARAMETER", "MISSING_RAW_ID"},
	{"methods of an unknown address", func(w *fixture) string { return w.methods("nobody@example.com") }, "[]", ""},
	{"methods of a provider's address", func(w *fixture) string {
		in := w.must(w.idp("google.com", `{"sub":"1","email":"at@provider.example"}`, nil))
		w.must(w.client("sendOobCode", object{"requestType": "EMAIL_SIGNIN", "email": "own@example.com"}))
		w.must(w.client("signInWithEmailLink", object{"email": "own@example.com", "oobCode": w.lastCode()["oobCode"], "idToken": in["idToken"]}))
		return w.methods("at@provider.example") + w.methods("own@example.com")
	}, `["google.com","emailLink"]["google.com","emailLink"]`, ""},
	{"an e-mail link to an unverified account", func(w *fixture) string {
		w.signUp("a@example.com", "secret1")
		w.must(w.client("sendOobCode", object{"requestType": "EMAIL_SIGNIN", "email": "a@example.com"}))
		w.must(w.client("signInWithEmailLink", object{"email": "a@example.com", "oobCode": w.lastCode()["oobCode"]}))
		return w.methods("a@example.com")
	}, `["emailLink"]`, `["password","emailLink"]`},
	{"a provider that verifies an account's address", func(w *fixture) string {
		w.must(w.client("signUp", object{"email": "a@example.com", "password": "secret1", "displayName": "Ann"}))
		in := w.must(w.idp("google.com", `{"sub":"1","email":"a@example.com","email_verified":true,"picture":"http://p/1"}`, nil))
		u := w.user(in["localId"])
		return fmt.Sprint(w.methods("a@example.com"), u["displayName"], u["photoUrl"])
	}, `["google.com"]Annhttp://p/1`, `["google.com"]<nil>http://p/1`},
	{"a provider's names and scopes", func(w *fixture) string {
		in := w.must(w.idp("google.com", `{"sub":"1","name":"Ann","screen_name":"ann"}`, nil))
		return fmt.Sprint(w.user(in["localId"])["screenName"], strings.Contains(str(in, "rawUserInfo"), "userinfo.email"))
	}, "annfalse", ""},
	{"a provider linked again", func(w *fixture) string {
		in := w.must(w.idp("google.com", `{"sub":"1"}`, nil))
		return show(w.must(w.idp("google.com", `{"sub":"1"}`, object{"idToken": in["idToken"]})), "errorMessage")
	}, `"FEDERATED_USER_ID_ALREADY_LINKED"`, ""},
	{"a token whose signature is not canonical", func(w *fixture) string {
		in, code := w.idp("google.com", "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.001", nil)
		return code + show(in, "isNewUser")
	}, "true", ""},
	{"an empty SAML response", func(w *fixture) string {
		answer, _ := w.client("signInWithIdp", object{"requestUri": "http://localhost", "postBody": `providerId=saml.x&id_token={"sub":"1"}&SAMLResponse={}`})
		return messageOf(answer)
	}, "INVALID_IDP_RESPONSE ((Missing assertion in SAMLResponse.))", ""},
	{"a SAML response", func(w *fixture) string {
		in := w.must(w.client("signInWithIdp", object{"requestUri": "http://localhost", "postBody": `providerId=saml.x&id_token={"sub":"1","email":"a@example.com"}` +
			`&SAMLResponse={"assertion":{"subject":{"nameId":"Other@example.com"},"attributeStatements":{"name":"Jane"}}}`}))
		return fmt.Sprint(in["email"], in["emailVerified"], in["rawUserInfo"], show(claimsOf(w.t, str(in, "idToken")), "firebase", "sign_in_attributes"))
	}, `Other@example.comtrue{"name":"Jane"}{"name":"Jane"}`, ""},
	{"settings without mask", func(w *fixture) string {
		path := "v2/projects/" + project + "/config"
		w.must(w.admin("PATCH", path, object{"signIn": object{"allowDuplicateEmails": true}, "blockingFunctions": object{"forwardInboundCredentials": object{"idToken": true}}}))
		answer := w.must(w.admin("PATCH", path, object{}))
		return show(answer, "signIn", "allowDuplicateEmails") + show(answer, "blockingFunctions")
	}, "false{}", ""},
	{"shown settings", func(w *fixture) string {
		signIn, _ := w.must(w.admin("GET", "v2/projects/"+project+"/config", nil))["signIn"].(object)
		return fmt.Sprint(len(signIn))
	}, "2", "1"},
	{"an unknown trigger", func(w *fixture) string {
		_, code := w.admin("PATCH", "v2/projects/"+project+"/config", object{"blockingFunctions": object{"triggers": object{"afterwards": object{"functionUri": "http://localhost"}}}})
		return code
	}, "INVALID_BLOCKING_FUNCTION", ""},
	{"a trigger without address", func(w *fixture) string {
		_, code := w.admin("PATCH", "v2/projects/"+project+"/config", object{"blockingFunctions": object{"triggers": object{"beforeCreate": object{"functionUri": "nowhere"}}}})
		return code
	}, "INVALID_BLOCKING_FUNCTION", ""},
	{"a mask into a text", func(w *fixture) string {
		tenant := w.newTenant(object{"displayName": "display"})
		answer := w.must(w.admin("PATCH", "v2/projects/"+project+"/tenants/"+tenant+"?updateMask=displayName.0", object{"displayName": "unused"}))
		return show(answer, "displayName")
	}, `"display"`, ""},
	{"a tenant's defaults", func(w *fixture) string {
		made := w.must(w.admin("POST", "v2/projects/"+project+"/tenants", object{}))
		return show(made, "disableAuth") + show(made, "mfaConfig")
	}, `false{"enabledProviders":[],"state":"DISABLED"}`, ""},
	{"no tenants", func(w *fixture) string {
		return show(w.must(w.admin("GET", "v2/projects/"+project+"/tenants", nil)), "tenants")
	}, "[]", ""},
	{"a full last page", func(w *fixture) string {
		w.signUp("a@example.com", "secret1")
		return fmt.Sprint(str(w.must(w.admin("GET", "v1/projects/"+project+"/accounts:batchGet?maxResults=1", nil)), "nextPageToken") != "")
	}, "true", ""},
	{"ids twice in an import", func(w *fixture) string {
		answer, _ := w.admin("POST", "v1/projects/"+project+"/accounts:batchCreate", object{"users": []object{{"localId": "a"}, {"localId": "a"}}})
		return messageOf(answer)
	}, "OK", "DUPLICATE_LOCAL_ID : a"},
	{"an import of a known id", func(w *fixture) string {
		anonymous := w.must(w.client("signUp", object{}))
		return show(w.must(w.admin("POST", "v1/projects/"+project+"/accounts:batchCreate", object{"users": []object{{"localId": anonymous["localId"]}}})), "error")
	}, "absent", `[{"index":0,"message":"localId belongs to an existing account - can not overwrite."}]`},
	{"reserved claims in an import", func(w *fixture) string {
		return show(w.must(w.admin("POST", "v1/projects/"+project+"/accounts:batchCreate", object{"users": []object{{"localId": "a", "customAttributes": `{"sub":"b"}`}}})), "error")
	}, `[{"index":0,"message":"Custom claims provided include a reserved claim."}]`, ""},
	{"factors without address in an import", func(w *fixture) string {
		return show(w.must(w.admin("POST", "v1/projects/"+project+"/accounts:batchCreate", object{"users": []object{{"localId": "a", "mfaInfo": []object{{"phoneInfo": mfaPhone}}}}})), "error")
	}, "absent", `[{"index":0,"message":"Second factor account requires email to be presented."}]`},
	{"when an imported factor was enrolled", func(w *fixture) string {
		w.must(w.admin("POST", "v1/projects/"+project+"/accounts:batchCreate", object{"users": []object{{
			"localId": "a", "email": "a@example.com", "emailVerified": true, "mfaInfo": []object{{"phoneInfo": mfaPhone, "enrolledAt": "2026-01-02T03:04:05.000Z"}},
		}}}))
		return show(w.user("a")["mfaInfo"].([]any)[0], "enrolledAt")
	}, `"2026-01-02T03:04:05.000Z"`, ""},
	{"a refresh token of a deleted user", func(w *fixture) string {
		anonymous := w.must(w.client("signUp", object{}))
		w.must(w.client("delete", object{"idToken": anonymous["idToken"]}))
		return w.message("token", object{"grant_type": "refresh_token", "refresh_token": anonymous["refreshToken"]})
	}, "USER_NOT_FOUND", "INVALID_REFRESH_TOKEN"},
	{"a passkey without response", func(w *fixture) string {
		return w.message("v2/accounts/passkeyEnrollment:finalize", object{"idToken": "some"})
	}, "MISSING_AUTHENTICATOR_RESPONSE", ""},
	{"the address after the password's provider is deleted", func(w *fixture) string {
		made := w.must(w.client("signUp", object{"email": "ann@example.com", "password": "secret-word", "returnSecureToken": true}))
		w.must(w.client("update", object{"idToken": made["idToken"], "deleteProvider": []any{"password"}}))
		found := w.user(made["localId"])
		return show(found, "email") + " " + show(found, "emailVerified") + " " + show(found, "passwordHash")
	}, `"ann@example.com" false absent`, `absent absent absent`},
}

// TestEmulatorAnswers compares answers in both modes, under the official emulator's settings.
func TestEmulatorAnswers(t *testing.T) {
	for _, tt := range emulatorCases {
		for _, as := range []bool{false, true} {
			want := tt.want
			if as && tt.as != "" {
				want = tt.as
			}
			t.Run(fmt.Sprintf("%s, as the emulator %v", tt.name, as), func(t *testing.T) {
				if got := tt.run(newFixture(t, setup{emulatorSettings: true, asEmulator: as})); got != want {
					t.Errorf("answers %s; want %s", got, want)
				}
			})
		}
	}
}

// TestDisabledTenantAnswersFirst sends empty requests to a disabled tenant.
func TestDisabledTenantAnswersFirst(t *testing.T) {
	w := newFixture(t, setup{emulatorSettings: true})
	off := w.disabled()
	silent := w.newTenant(object{"mfaConfig": object{"state": "ENABLED", "enabledProviders": []any{"PROVIDER_UNSPECIFIED"}}})
	for _, verb := range []string{
		"signUp", "lookup", "update", "delete", "sendOobCode", "signInWithCustomToken", "signInWithEmailLink", "signInWithIdp", "signInWithPassword", "signInWithPhoneNumber",
		"resetPassword", "createAuthUri", "v2/accounts/mfaEnrollment:start", "v2/accounts/mfaEnrollment:finalize", "v2/accounts/mfaEnrollment:withdraw",
		"v2/accounts/mfaSignIn:start", "v2/accounts/mfaSignIn:finalize",
	} {
		if got := w.message(verb, object{"tenantId": off}); got != "PROJECT_DISABLED" {
			t.Errorf("%s answers %s; want PROJECT_DISABLED", verb, got)
		}
		if got := w.message(verb, object{"tenantId": silent}); strings.HasPrefix(verb, "v2/") && !strings.HasSuffix(verb, "withdraw") && !strings.HasPrefix(got, "OPERATION_NOT_ALLOWED") {
			t.Errorf("%s without second factors answers %s; want OPERATION_NOT_ALLOWED", verb, got)
		}
	}
	for _, path := range []string{"accounts:batchCreate", "accounts:query", "accounts:lookup"} {
		answer, _ := w.admin("POST", "v1/projects/"+project+"/tenants/"+off+"/"+path, object{})
		if got := messageOf(answer); got != "PROJECT_DISABLED" {
			t.Errorf("%s answers %s; want PROJECT_DISABLED", path, got)
		}
	}
	answer, _ := w.admin(http.MethodGet, "v1/projects/"+project+"/tenants/"+off+"/accounts:batchGet", nil)
	if got := messageOf(answer); got != "PROJECT_DISABLED" {
		t.Errorf("accounts:batchGet answers %s; want PROJECT_DISABLED", got)
	}
}

// TestAnnouncedCodes requests codes of every kind and checks their announcements.
func TestAnnouncedCodes(t *testing.T) {
	var shown []string
	w := newFixture(t, setup{announce: func(text string) { shown = append(shown, text) }})
	made := w.signUp("a@example.com", "secret1")
	w.must(w.client("sendOobCode", object{"requestType": "PASSWORD_RESET", "email": "a@example.com"}))
	link := w.lastCode()["oobLink"].(string)
	w.must(w.client("sendOobCode", object{"requestType": "VERIFY_EMAIL", "idToken": made["idToken"]}))
	w.must(w.client("sendOobCode", object{"requestType": "EMAIL_SIGNIN", "email": "b@example.com"}))
	w.must(w.client("sendVerificationCode", object{"phoneNumber": "+15555550100"}))
	code := w.codes("verificationCodes")[0].(object)["code"]
	want := []string{
		"To reset the password for a@example.com, follow this link: " + link + "&newPassword=NEW_PASSWORD_HERE",
		"To verify the email address a@example.com, follow this link: http://",
		"To sign in as b@example.com, follow this link: http://",
		fmt.Sprintf("To verify the phone number +15555550100, use the code %v.", code),
	}
	if len(shown) != len(want) {
		t.Fatalf("shown %q; want %d texts", shown, len(want))
	}
	for i := range want {
		if !strings.HasPrefix(shown[i], want[i]) {
			t.Errorf("shown %q; want %q", shown[i], want[i])
		}
	}
}

// TestBlockingAtSignUp lists the events of sign-ups by password, without credentials and by e-mail link.
func TestBlockingAtSignUp(t *testing.T) {
	var events []string
	w := newFixture(t, setup{emulatorSettings: true, blocking: function(func(event map[string]any) (int, string) {
		events = append(events, fmt.Sprint(event["event_type"], " ", event["sign_in_method"]))
		return 200, fmt.Sprintf(`{"userRecord":{"updateMask":"displayName,emailVerified","displayName":%q,"emailVerified":true}}`, event["event_type"])
	})})
	w.must(w.admin("PATCH", "v2/projects/"+project+"/config", object{"blockingFunctions": object{"triggers": object{
		"beforeCreate": object{"functionUri": "http://f/c"}, "beforeSignIn": object{"functionUri": "http://f/s"},
	}}}))
	if made := w.signUp("a@example.com", "secret1"); made["displayName"] != "beforeSignIn" {
		t.Errorf("the sign-up answers %v; want the name of the function that was called last", made)
	}
	w.must(w.client("signUp", object{}))
	w.must(w.client("sendOobCode", object{"requestType": "EMAIL_SIGNIN", "email": "b@example.com"}))
	w.must(w.client("signInWithEmailLink", object{"email": "b@example.com", "oobCode": w.lastCode()["oobCode"]}))
	sent := w.texted("+15555550100")
	phone := w.must(w.client("signInWithPhoneNumber", object{"sessionInfo": sent["sessionInfo"], "code": sent["code"]}))
	if got := claimsOf(t, str(phone, "idToken"))["email_verified"]; got != true {
		t.Errorf("email_verified of a phone account that a function verified = %v", got)
	}
	want := "beforeCreate password, beforeSignIn password, beforeCreate emailLink, beforeSignIn emailLink, beforeCreate phone, beforeSignIn phone"
	if got := strings.Join(events, ", "); got != want {
		t.Errorf("functions were called for %s; want %s", got, want)
	}
}
