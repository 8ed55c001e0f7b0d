package api_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/service/blocking"
	"clave/server/internal/base/clock/clocktest"
)

// claimsOf decodes the claims of a token.
func claimsOf(t testing.TB, raw string) map[string]any {
	t.Helper()
	parts := strings.Split(raw, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is no JWT", raw)
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	var claims map[string]any
	if err := json.Unmarshal(text, &claims); err != nil {
		t.Fatal(err)
	}
	return claims
}

// verified creates a user whose address is verified and signs it in.
func (w *fixture) verified(email string) map[string]any {
	w.t.Helper()
	made := w.signUp(email, "secret1")
	w.must(w.client("sendOobCode", object{"requestType": "VERIFY_EMAIL", "idToken": made["idToken"]}))
	w.must(w.client("update", object{"oobCode": w.lastCode()["oobCode"]}))
	return made
}

func TestEmailLink(t *testing.T) {
	w := newFixture(t, setup{})
	w.must(w.client("sendOobCode", object{"requestType": 6, "email": "link@example.com", "continueUrl": "http://localhost:5000/done", "canHandleCodeInApp": true}))
	code := w.lastCode()
	if code["requestType"] != "EMAIL_SIGNIN" || queryOf(t, code["oobLink"].(string), "continueUrl") != "http://localhost:5000/done" {
		t.Errorf("code = %v", code)
	}
	if _, refused := w.client("signInWithEmailLink", object{"email": "other@example.com", "oobCode": code["oobCode"]}); refused != "INVALID_EMAIL" {
		t.Errorf("another address: %q, want INVALID_EMAIL", refused)
	}
	in := w.must(w.client("signInWithEmailLink", object{"email": "Link@example.com", "oobCode": code["oobCode"]}))
	if in["isNewUser"] != true || claimsOf(t, str(in, "idToken"))["email_verified"] != true {
		t.Errorf("sign-in = %v", in)
	}
	if _, refused := w.client("signInWithEmailLink", object{"email": "link@example.com", "oobCode": code["oobCode"]}); refused != "INVALID_OOB_CODE" {
		t.Errorf("the code again: %q, want INVALID_OOB_CODE", refused)
	}
	if len(w.codes("oobCodes")) != 0 {
		t.Error("a used code is still listed")
	}
}

func TestActionRoute(t *testing.T) {
	w := newFixture(t, setup{})
	w.signUp("a@example.com", "secret1")
	w.must(w.client("sendOobCode", object{"requestType": "PASSWORD_RESET", "email": "a@example.com", "continueUrl": "http://localhost/next"}))
	plain := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := plain.Get(w.lastCode()["oobLink"].(string) + "&newPassword=secret2")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusSeeOther || res.Header.Get("Location") != "http://localhost/next" {
		t.Errorf("following the link: %d to %q", res.StatusCode, res.Header.Get("Location"))
	}
	w.must(w.client("signInWithPassword", object{"email": "a@example.com", "password": "secret2"}))
}

func TestVerifyBeforeUpdate(t *testing.T) {
	w := newFixture(t, setup{})
	made := w.signUp("old@example.com", "secret1")
	if _, refused := w.client("update", object{"idToken": made["idToken"], "email": "new@example.com"}); refused != "OPERATION_NOT_ALLOWED" {
		t.Errorf("a change without verification: %q, want OPERATION_NOT_ALLOWED", refused)
	}
	w.must(w.client("sendOobCode", object{"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": made["idToken"], "newEmail": "new@example.com"}))
	w.must(w.client("update", object{"oobCode": w.lastCode()["oobCode"]}))
	w.must(w.client("signInWithPassword", object{"email": "new@example.com", "password": "secret1"}))
	for email, want := range map[string]int{"OLD@example.com": 1, "new@example.com": 0} {
		found := w.must(w.admin("POST", "v1/projects/"+project+"/accounts:lookup", object{"initialEmail": []string{email}}))
		if list, _ := found["users"].([]any); len(list) != want || want == 1 && list[0].(object)["localId"] != made["localId"] {
			t.Errorf("by the initial address %s: %v, want %d", email, list, want)
		}
	}
	recover := w.lastCode()
	if recover["requestType"] != "RECOVER_EMAIL" || recover["email"] != "old@example.com" {
		t.Fatalf("the former address was sent %v, want a code that takes the account back", recover)
	}
	w.must(w.client("update", object{"oobCode": recover["oobCode"]}))
	w.must(w.client("signInWithPassword", object{"email": "old@example.com", "password": "secret1"}))
}

func TestPhone(t *testing.T) {
	w := newFixture(t, setup{})
	send := func() object {
		w.must(w.client("sendVerificationCode", object{"phoneNumber": "+1 (650) 555-0101"}))
		list := w.codes("verificationCodes")
		return list[len(list)-1].(object)
	}
	sent := send()
	if _, refused := w.client("signInWithPhoneNumber", object{"sessionInfo": sent["sessionInfo"], "code": "x"}); refused != "INVALID_CODE" {
		t.Errorf("a wrong code: %q, want INVALID_CODE", refused)
	}
	in := w.must(w.client("signInWithPhoneNumber", object{"sessionInfo": sent["sessionInfo"], "code": sent["code"]}))
	if in["isNewUser"] != true || claimsOf(t, str(in, "idToken"))["phone_number"] != "+16505550101" {
		t.Errorf("sign-in = %v", in)
	}
	if _, refused := w.client("signInWithPhoneNumber", object{"sessionInfo": sent["sessionInfo"], "code": sent["code"]}); refused != "INVALID_SESSION_INFO" {
		t.Errorf("the code again: %q, want INVALID_SESSION_INFO", refused)
	}
	other := w.signUp("b@example.com", "secret1")
	sent = send()
	linked := w.must(w.client("signInWithPhoneNumber", object{"sessionInfo": sent["sessionInfo"], "code": sent["code"], "idToken": other["idToken"]}))
	if str(linked, "temporaryProof") == "" || str(linked, "idToken") != "" {
		t.Fatalf("linking another's number = %v, want a temporary proof", linked)
	}
	again := w.must(w.client("signInWithPhoneNumber", object{"temporaryProof": linked["temporaryProof"], "phoneNumber": "+16505550101"}))
	if again["localId"] != in["localId"] {
		t.Errorf("the proof signs in %v, want %v", again["localId"], in["localId"])
	}
	sent = send()
	for range 5 {
		w.client("signInWithPhoneNumber", object{"sessionInfo": sent["sessionInfo"], "code": "000"})
	}
	if _, refused := w.client("signInWithPhoneNumber", object{"sessionInfo": sent["sessionInfo"], "code": sent["code"]}); refused != "INVALID_SESSION_INFO" {
		t.Errorf("the right code after five wrong ones: %q, want INVALID_SESSION_INFO", refused)
	}
}

func TestSecondFactorSMS(t *testing.T) {
	w := newFixture(t, setup{})
	made := w.verified("mfa@example.com")
	started := w.must(w.client("v2/accounts/mfaEnrollment:start", object{"idToken": made["idToken"], "phoneEnrollmentInfo": object{"phoneNumber": "+16505550102"}}))
	code := w.codes("verificationCodes")[0].(object)["code"]
	session := started["phoneSessionInfo"].(object)["sessionInfo"]
	done := w.must(w.client("v2/accounts/mfaEnrollment:finalize", object{
		"idToken": made["idToken"], "displayName": "my phone", "phoneVerificationInfo": object{"sessionInfo": session, "code": code},
	}))
	if str(done, "idToken") == "" || str(done, "refreshToken") == "" {
		t.Fatalf("finalize = %v", done)
	}
	first := w.must(w.client("signInWithPassword", object{"email": "mfa@example.com", "password": "secret1", "returnSecureToken": true}))
	if str(first, "idToken") != "" || str(first, "mfaPendingCredential") == "" {
		t.Fatalf("the first factor = %v, want a pending credential and no tokens", first)
	}
	factor := first["mfaInfo"].([]any)[0].(object)
	if factor["phoneInfo"] != "+*******0102" || factor["displayName"] != "my phone" {
		t.Errorf("mfaInfo = %v", factor)
	}
	w.must(w.client("v2/accounts/mfaSignIn:start", object{"mfaPendingCredential": first["mfaPendingCredential"], "mfaEnrollmentId": factor["mfaEnrollmentId"], "phoneSignInInfo": object{}}))
	sent := w.codes("verificationCodes")[0].(object)
	in := w.must(w.client("v2/accounts/mfaSignIn:finalize", object{
		"mfaPendingCredential": first["mfaPendingCredential"], "phoneVerificationInfo": object{"sessionInfo": sent["sessionInfo"], "code": sent["code"]},
	}))
	inner := claimsOf(t, str(in, "idToken"))["firebase"].(object)
	if inner["sign_in_second_factor"] != "phone" || inner["second_factor_identifier"] != factor["mfaEnrollmentId"] {
		t.Errorf("claims = %v", inner)
	}
	if _, refused := w.client("v2/accounts/mfaSignIn:start", object{"mfaPendingCredential": first["mfaPendingCredential"], "mfaEnrollmentId": factor["mfaEnrollmentId"]}); refused != "INVALID_MFA_PENDING_CREDENTIAL" {
		t.Errorf("the credential again: %q", refused)
	}
	w.must(w.client("v2/accounts/mfaEnrollment:withdraw", object{"idToken": in["idToken"], "mfaEnrollmentId": factor["mfaEnrollmentId"]}))
	if out := w.must(w.client("signInWithPassword", object{"email": "mfa@example.com", "password": "secret1", "returnSecureToken": true})); str(out, "idToken") == "" {
		t.Error("a second factor is required after it was withdrawn")
	}
}

// authenticator computes codes as an app on a phone does (RFC 6238).
func authenticator(t testing.TB, key string, now time.Time) string {
	t.Helper()
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	var step [8]byte
	binary.BigEndian.PutUint64(step[:], uint64(now.Unix()/30))
	m := hmac.New(sha1.New, raw)
	m.Write(step[:])
	sum := m.Sum(nil)
	at := sum[19] & 15
	return fmt.Sprintf("%06d", (binary.BigEndian.Uint32(sum[at:])&0x7fffffff)%1000000)
}

func TestSecondFactorTOTP(t *testing.T) {
	manual := clocktest.NewManual(time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC))
	w := newFixture(t, setup{clock: manual})
	made := w.verified("totp@example.com")
	started := w.must(w.client("v2/accounts/mfaEnrollment:start", object{"idToken": made["idToken"], "totpEnrollmentInfo": object{}}))
	session := started["totpSessionInfo"].(object)
	key := session["sharedSecretKey"].(string)
	finalize := func(code string) (object, string) {
		return w.client("v2/accounts/mfaEnrollment:finalize", object{
			"idToken": made["idToken"], "totpVerificationInfo": object{"sessionInfo": session["sessionInfo"], "verificationCode": code},
		})
	}
	if _, refused := finalize("000000x"); refused != "INVALID_CODE" {
		t.Errorf("a wrong code: %q, want INVALID_CODE", refused)
	}
	w.must(finalize(authenticator(t, key, manual.Now())))
	signIn := func() (object, object) {
		first := w.must(w.client("signInWithPassword", object{"email": "totp@example.com", "password": "secret1", "returnSecureToken": true}))
		return first, first["mfaInfo"].([]any)[0].(object)
	}
	answer := func(code string) (object, string) {
		first, factor := signIn()
		return w.client("v2/accounts/mfaSignIn:finalize", object{
			"mfaPendingCredential": first["mfaPendingCredential"], "mfaEnrollmentId": factor["mfaEnrollmentId"], "totpVerificationInfo": object{"verificationCode": code},
		})
	}
	if _, refused := answer(authenticator(t, key, manual.Now())); refused != "INVALID_CODE" {
		t.Errorf("the enrolling code again: %q, want INVALID_CODE", refused)
	}
	manual.Advance(time.Minute)
	in := w.must(answer(authenticator(t, key, manual.Now())))
	if claimsOf(t, str(in, "idToken"))["firebase"].(object)["sign_in_second_factor"] != "totp" {
		t.Errorf("sign-in = %v", in)
	}
	manual.Advance(time.Hour)
	if _, refused := answer(authenticator(t, key, manual.Now().Add(-10*time.Minute))); refused != "INVALID_CODE" {
		t.Errorf("a code of ten minutes ago: %q, want INVALID_CODE", refused)
	}
}

// idp calls signInWithIdp with fake claims.
func (w *fixture) idp(provider, claims string, more object) (object, string) {
	w.t.Helper()
	body := object{"requestUri": "http://localhost", "postBody": "providerId=" + provider + "&id_token=" + claims, "returnSecureToken": true, "returnIdpCredential": true}
	for k, v := range more {
		body[k] = v
	}
	return w.client("signInWithIdp", body)
}

func TestIdentityProviders(t *testing.T) {
	w := newFixture(t, setup{})
	in := w.must(w.idp("google.com", `{"sub":"g1","email":"g@example.com","email_verified":true,"name":"Gee"}`, nil))
	if in["isNewUser"] != true || in["displayName"] != "Gee" || claimsOf(t, str(in, "idToken"))["firebase"].(object)["sign_in_provider"] != "google.com" {
		t.Errorf("sign-in = %v", in)
	}
	again := w.must(w.idp("google.com", `{"sub":"g1","email":"g@example.com","email_verified":true}`, nil))
	if again["isNewUser"] == true || again["localId"] != in["localId"] {
		t.Errorf("the second sign-in = %v", again)
	}
	other := w.signUp("h@example.com", "secret1")
	if linked := w.must(w.idp("google.com", `{"sub":"g1"}`, object{"idToken": other["idToken"]})); linked["errorMessage"] != "FEDERATED_USER_ID_ALREADY_LINKED" {
		t.Errorf("linking another's = %v", linked)
	}
	pending := w.must(w.idp("facebook.com", `{"sub":"f1","email":"h@example.com"}`, nil))
	if pending["needConfirmation"] != true || str(pending, "idToken") != "" || pending["localId"] != other["localId"] {
		t.Errorf("an unverified provider for a known address = %v, want needConfirmation", pending)
	}
	took := w.must(w.idp("google.com", `{"sub":"g2","email":"h@example.com","email_verified":true}`, nil))
	if took["localId"] != other["localId"] {
		t.Errorf("a trusted provider for a known address signs in %v, want %v", took["localId"], other["localId"])
	}
	if _, refused := w.client("signInWithPassword", object{"email": "h@example.com", "password": "secret1"}); refused != "INVALID_LOGIN_CREDENTIALS" {
		t.Errorf("the password of the user who did not own the address still works: %q", refused)
	}
	if named := w.must(w.client("lookup", object{"idToken": took["idToken"]}))["users"].([]any)[0].(object); named["displayName"] != nil {
		t.Errorf("a provider without name gave %v", named["displayName"])
	}
	anonymous := w.must(w.client("signUp", object{"returnSecureToken": true}))
	linked := w.must(w.idp("google.com", `{"sub":"g3","email":"i@example.com","email_verified":true,"name":"Aitch","picture":"http://p/1"}`, object{"idToken": anonymous["idToken"]}))
	user := w.must(w.client("lookup", object{"idToken": linked["idToken"]}))["users"].([]any)[0].(object)
	if user["displayName"] != nil || user["photoUrl"] != nil || user["providerUserInfo"].([]any)[0].(object)["displayName"] != "Aitch" {
		t.Errorf("linking made the user %v; name and picture are the provider's alone", user)
	}
	var profile object
	if err := json.Unmarshal([]byte(str(linked, "rawUserInfo")), &profile); err != nil || profile["id"] != "g3" || profile["verified_email"] != true || profile["name"] != "Aitch" {
		t.Errorf("Google's profile = %v, %v", profile, err)
	}
	if linked["oauthAccessToken"] != "FirebaseAuthEmulatorFakeAccessToken_google.com" {
		t.Errorf("access token = %v", linked["oauthAccessToken"])
	}
	if _, refused := w.idp("google.com", "nonsense", nil); refused != "INVALID_IDP_RESPONSE" {
		t.Errorf("nonsense: %q, want INVALID_IDP_RESPONSE", refused)
	}
	real := newFixture(t, setup{production: true})
	if _, refused := real.idp("google.com", `{"sub":"g1"}`, nil); refused != "OPERATION_NOT_ALLOWED" {
		t.Errorf("made-up credentials in production: %q, want OPERATION_NOT_ALLOWED", refused)
	}
}

func TestProductionHasNoConveniences(t *testing.T) {
	w := newFixture(t, setup{production: true})
	if status, _ := w.send("POST", "/identitytoolkit.googleapis.com/v1/projects/"+project+"/accounts:lookup", object{"localId": "x"}, "Authorization", "Bearer owner"); status != http.StatusUnauthorized {
		t.Errorf("Bearer owner answers %d, want 401", status)
	}
	if status, _ := w.send("GET", "/emulator/v1/projects/"+project+"/oobCodes", nil); status != http.StatusNotFound {
		t.Errorf("the control route answers %d, want 404", status)
	}
	if _, refused := w.client("signInWithCustomToken", object{"token": `{"uid":"x"}`}); refused != "INVALID_CUSTOM_TOKEN" {
		t.Errorf("a plain custom token: %q, want INVALID_CUSTOM_TOKEN", refused)
	}
	made := w.signUp("p@example.com", "secret1")
	claims := strings.Split(str(made, "idToken"), ".")[1]
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + claims + "."
	if _, refused := w.client("lookup", object{"idToken": none}); refused != "INVALID_ID_TOKEN" {
		t.Errorf("alg none: %q, want INVALID_ID_TOKEN", refused)
	}
	for _, path := range []string{
		"/www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", "/www.googleapis.com/identitytoolkit/v3/relyingparty/publicKeys",
		"/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", "/securetoken.google.com/" + project + "/.well-known/openid-configuration",
	} {
		res, err := http.Get(w.url + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK || !strings.Contains(res.Header.Get("Cache-Control"), "max-age=21600") {
			t.Errorf("%s: %d, Cache-Control %q", path, res.StatusCode, res.Header.Get("Cache-Control"))
		}
	}
	req, err := http.NewRequest("GET", w.url+"/v1/projects?key=k", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "identitytoolkit.googleapis.com"
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("routing by Host answers %d", res.StatusCode)
	}
}

func TestRateLimits(t *testing.T) {
	manual := clocktest.NewManual(time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC))
	w := newFixture(t, setup{limits: true, clock: manual})
	w.signUp("a@example.com", "secret1")
	signIn := func(email, password string) string {
		_, refused := w.client("signInWithPassword", object{"email": email, "password": password, "returnSecureToken": true})
		return refused
	}
	for i := range 10 {
		if got := signIn("a@example.com", "wrong1"); got != "INVALID_LOGIN_CREDENTIALS" {
			t.Fatalf("attempt %d: %q", i, got)
		}
	}
	if got := signIn("a@example.com", "secret1"); got != "TOO_MANY_ATTEMPTS_TRY_LATER" {
		t.Errorf("after ten wrong passwords: %q, want TOO_MANY_ATTEMPTS_TRY_LATER", got)
	}
	if got := signIn("nobody@example.com", "secret1"); got != "INVALID_LOGIN_CREDENTIALS" {
		t.Errorf("another account is limited too: %q", got)
	}
	manual.Advance(time.Minute)
	if got := signIn("a@example.com", "secret1"); got != "" {
		t.Errorf("a minute later: %q", got)
	}
	for i := range 200 {
		if _, refused := w.client("signUp", object{}); refused != "" {
			if refused != "TOO_MANY_ATTEMPTS_TRY_LATER" || i < 98 {
				t.Errorf("sign-up %d: %q", i, refused)
			}
			return
		}
	}
	t.Error("200 sign-ups from one address were let through")
}

func TestSettings(t *testing.T) {
	w := newFixture(t, setup{})
	patch := func(mask string, body object) {
		w.must(w.admin("PATCH", "v2/projects/"+project+"/config?updateMask="+mask, body))
	}
	patch("client.permissions.disabledUserSignup", object{"client": object{"permissions": object{"disabledUserSignup": true}}})
	if _, refused := w.client("signUp", object{"email": "a@example.com", "password": "secret1"}); refused != "ADMIN_ONLY_OPERATION" {
		t.Errorf("sign-up switched off: %q, want ADMIN_ONLY_OPERATION", refused)
	}
	patch("client", object{})
	patch("passwordPolicyConfig", object{"passwordPolicyConfig": object{
		"passwordPolicyEnforcementState": "ENFORCE", "passwordPolicyVersions": []object{{"customStrengthOptions": object{"minPasswordLength": 8, "containsNumericCharacter": true}}},
	}})
	for password, want := range map[string]string{"longenough": "PASSWORD_DOES_NOT_MEET_REQUIREMENTS", "short1": "PASSWORD_DOES_NOT_MEET_REQUIREMENTS", "longenough1": ""} {
		if _, refused := w.client("signUp", object{"email": password + "@example.com", "password": password}); refused != want {
			t.Errorf("sign-up with %q: %q, want %q", password, refused, want)
		}
	}
	_, policy := w.send("GET", "/identitytoolkit.googleapis.com/v2/passwordPolicy?key=k", nil)
	if policy["customStrengthOptions"].(object)["minPasswordLength"] != 8.0 || policy["schemaVersion"] != 1.0 {
		t.Errorf("passwordPolicy = %v", policy)
	}
}

// function is a blocking function.
type function func(event map[string]any) (int, string)

// Post implements blocking.Caller.
func (f function) Post(_ context.Context, _ string, body []byte) (int, []byte, error) {
	var sent struct{ Data struct{ JWT string } }
	if err := json.Unmarshal(body, &sent); err != nil {
		return 0, nil, err
	}
	text, err := base64.RawURLEncoding.DecodeString(strings.Split(sent.Data.JWT, ".")[1])
	if err != nil {
		return 0, nil, err
	}
	var event map[string]any
	if err := json.Unmarshal(text, &event); err != nil {
		return 0, nil, err
	}
	status, answer := f(event)
	return status, []byte(answer), nil
}

func TestBlockingFunctions(t *testing.T) {
	var call blocking.Caller = function(func(event map[string]any) (int, string) {
		record := event["user_record"].(map[string]any)
		switch {
		case record["email"] == "evil@example.com":
			return 403, "no"
		case event["event_type"] == "beforeCreate":
			return 200, `{"userRecord":{"updateMask":"displayName,customClaims","displayName":"Named","customClaims":{"a":1}}}`
		}
		return 200, `{"userRecord":{"updateMask":"sessionClaims","sessionClaims":{"s":true}}}`
	})
	w := newFixture(t, setup{blocking: call})
	w.must(w.admin("PATCH", "v2/projects/"+project+"/config", object{"blockingFunctions": object{"triggers": object{
		"beforeCreate": object{"functionUri": "http://f/c"}, "beforeSignIn": object{"functionUri": "http://f/s"},
	}}}))
	if _, refused := w.client("signUp", object{"email": "evil@example.com", "password": "secret1"}); refused != "BLOCKING_FUNCTION_ERROR_RESPONSE" {
		t.Errorf("a refused sign-up: %q", refused)
	}
	w.signUp("good@example.com", "secret1")
	in := w.must(w.client("signInWithPassword", object{"email": "good@example.com", "password": "secret1", "returnSecureToken": true}))
	claims := claimsOf(t, str(in, "idToken"))
	if claims["name"] != "Named" || claims["a"] != 1.0 || claims["s"] != true {
		t.Errorf("claims = %v", claims)
	}
	fresh := w.must(w.client("token", object{"grant_type": "refresh_token", "refresh_token": in["refreshToken"]}))
	if claimsOf(t, str(fresh, "id_token"))["s"] != true {
		t.Error("session claims are lost at a refresh")
	}
}

// TestExportEqualsImport exports users from one server and imports them into another, whose export must be the same.
func TestExportEqualsImport(t *testing.T) {
	from, to := newFixture(t, setup{}), newFixture(t, setup{})
	from.signUp("a@example.com", "secret1")
	from.must(from.idp("google.com", `{"sub":"g1","email":"g@example.com","email_verified":true,"name":"Gee"}`, nil))
	from.must(from.admin("POST", "v1/projects/"+project+"/accounts", object{
		"localId": "full", "phoneNumber": "+16505550101", "displayName": "Full", "disabled": true, "customAttributes": `{"a":1}`,
		"mfaInfo": []object{{"phoneInfo": "+16505550102", "displayName": "p"}},
	}))
	config := from.must(from.admin("GET", "v2/projects/"+project+"/config", nil))
	hash := config["signIn"].(object)["hashConfig"].(object)
	exported := from.must(from.admin("GET", "v1/projects/"+project+"/accounts:batchGet?maxResults=-1", nil))
	in := to.must(to.admin("POST", "v1/projects/"+project+"/accounts:batchCreate", object{
		"users": exported["users"], "hashAlgorithm": "SCRYPT", "signerKey": hash["signerKey"], "saltSeparator": hash["saltSeparator"], "rounds": hash["rounds"], "memoryCost": hash["memoryCost"],
	}))
	if in["error"] != nil {
		t.Fatalf("import: %v", in["error"])
	}
	again := to.must(to.admin("GET", "v1/projects/"+project+"/accounts:batchGet?maxResults=-1", nil))
	for _, list := range []any{exported["users"], again["users"]} {
		for _, u := range list.([]any) {
			delete(u.(object), "lastRefreshAt") // not a field of imports
		}
	}
	want, err := json.Marshal(exported["users"])
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(again["users"])
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("export of the import:\n%s\nwant:\n%s", got, want)
	}
	to.must(to.client("signInWithPassword", object{"email": "a@example.com", "password": "secret1"}))
}

// TestCodesAreUsedOnce uses one code from many clients at the same time. Only one of them may succeed.
func TestCodesAreUsedOnce(t *testing.T) {
	w := newFixture(t, setup{})
	w.signUp("a@example.com", "secret1")
	w.must(w.client("sendOobCode", object{"requestType": "PASSWORD_RESET", "email": "a@example.com"}))
	reset := w.lastCode()["oobCode"]
	w.must(w.client("sendVerificationCode", object{"phoneNumber": "+16505550101"}))
	sent := w.codes("verificationCodes")[0].(object)
	races := map[string]func() string{
		"password reset": func() string {
			_, refused := w.client("resetPassword", object{"oobCode": reset, "newPassword": "secret2"})
			return refused
		},
		"text message": func() string {
			_, refused := w.client("signInWithPhoneNumber", object{"sessionInfo": sent["sessionInfo"], "code": sent["code"]})
			return refused
		},
		"sign-up": func() string {
			_, refused := w.client("signUp", object{"email": "b@example.com", "password": "secret1"})
			return refused
		},
	}
	for name, run := range races {
		const racers = 16
		results := make(chan string, racers)
		for range racers {
			go func() { results <- run() }()
		}
		won := 0
		for range racers {
			switch refused := <-results; refused {
			case "":
				won++
			case "INVALID_OOB_CODE", "INVALID_SESSION_INFO", "EMAIL_EXISTS":
			default:
				t.Errorf("%s: %s", name, refused)
			}
		}
		if won != 1 {
			t.Errorf("%s: %d won, want one", name, won)
		}
	}
}

// TestSweep advances the clock past the expiry of codes and sessions.
func TestSweep(t *testing.T) {
	manual := clocktest.NewManual(time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC))
	w := newFixture(t, setup{clock: manual})
	made := w.signUp("a@example.com", "secret1")
	w.must(w.client("sendOobCode", object{"requestType": "PASSWORD_RESET", "email": "a@example.com"}))
	code := w.lastCode()["oobCode"]
	manual.Advance(2 * time.Hour)
	if _, refused := w.client("resetPassword", object{"oobCode": code, "newPassword": "secret2"}); refused != "EXPIRED_OOB_CODE" {
		t.Errorf("a code of two hours ago: %q, want EXPIRED_OOB_CODE", refused)
	}
	manual.Advance(31 * 24 * time.Hour)
	if err := w.service.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(w.codes("oobCodes")); n != 0 {
		t.Errorf("%d old codes are still there", n)
	}
	refresh := func() string {
		_, refused := w.client("token", object{"grant_type": "refresh_token", "refresh_token": made["refreshToken"]})
		return refused
	}
	if got := refresh(); got != "" {
		t.Errorf("a living session was swept: %q", got)
	}
	w.must(w.admin("POST", "v1/projects/"+project+"/accounts:delete", object{"localId": made["localId"]}))
	if got := refresh(); got != "USER_NOT_FOUND" {
		t.Errorf("the session of a deleted user: %q, want USER_NOT_FOUND", got)
	}
	if err := w.service.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := refresh(); got != "INVALID_REFRESH_TOKEN" {
		t.Errorf("after the sweep: %q, want INVALID_REFRESH_TOKEN", got)
	}
}
