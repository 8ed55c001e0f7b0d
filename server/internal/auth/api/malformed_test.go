package api_test

import (
	"strings"
	"testing"
)

// TestRequestsThatLackSomething sends invalid requests and expects the official emulator's error names. The recorded
// cases contain those in which production answers differently.
func TestRequestsThatLackSomething(t *testing.T) {
	w := newFixture(t, setup{})
	in := w.signUp("a@example.com", "secret1")
	token := in["idToken"]
	w.must(w.client("v2/accounts/passkeyEnrollment:finalize", object{"idToken": token, "authenticatorRegistrationResponse": object{"id": "taken"}}))
	for _, tt := range []struct {
		verb string
		body object
		want string
	}{
		{"update", object{"displayName": "x"}, "INVALID_REQ_TYPE"},
		{"update", object{"localId": in["localId"]}, "INVALID_REQ_TYPE"},
		{"update", object{"idToken": token, "provider": []string{"x"}}, "provider and upgradeToFederatedLogin are not implemented."},
		{"update", object{"idToken": token, "upgradeToFederatedLogin": true}, "provider and upgradeToFederatedLogin are not implemented."},
		{"signUp", object{"email": "A@Example.com", "password": "1"}, "EMAIL_EXISTS"},
		{"signUp", object{"email": "b@example.com", "password": "12345"}, "WEAK_PASSWORD"},
		{"sendOobCode", object{"requestType": "RECOVER_EMAIL", "email": "a@example.com"}, "RECOVER_EMAIL is not implemented."},
		{"sendOobCode", object{"requestType": "EMAIL_SIGNIN", "email": "a@example.com", "continueUrl": ""}, ""},
		{"sendOobCode", object{"requestType": "EMAIL_SIGNIN", "email": "a@example.com", "continueUrl": "nowhere"}, "INVALID_CONTINUE_URI"},
		{"signInWithIdp", object{"requestUri": "garbage", "postBody": "providerId=google.com&id_token={}"}, "INVALID_REQUEST_URI"},
		{"v2/accounts/mfaSignIn:start", object{"mfaPendingCredential": "x"}, "MISSING_MFA_ENROLLMENT_ID"},
		{"v2/accounts/mfaSignIn:start", object{"mfaEnrollmentId": "x"}, "MISSING_MFA_PENDING_CREDENTIAL"},
		{"v2/accounts/passkeyEnrollment:start", object{}, "MISSING_ID_TOKEN"},
		{"v2/accounts/passkeyEnrollment:finalize", object{"idToken": ""}, "MISSING_ID_TOKEN"},
		{"v2/accounts/passkeyEnrollment:finalize", object{"idToken": token}, "MISSING_AUTHENTICATOR_RESPONSE"},
		{"v2/accounts/passkeyEnrollment:finalize", object{"idToken": token, "authenticatorRegistrationResponse": object{}}, "INVALID_CREDENTIAL_ID"},
		{"v2/accounts/passkeyEnrollment:finalize", object{"idToken": token, "authenticatorRegistrationResponse": object{"id": "taken"}}, "CREDENTIAL_ALREADY_IN_USE"},
		{"v2/accounts/passkeySignIn:finalize", object{}, "MISSING_AUTHENTICATOR_RESPONSE"},
		{"v2/accounts/passkeySignIn:finalize", object{"authenticatorAuthenticationResponse": object{"id": "nobody's"}}, "PASSKEY_CREDENTIAL_NOT_FOUND"},
		{"v2/accounts/passkeySignIn:finalize", object{"authenticatorAuthenticationResponse": object{"id": "taken"}}, ""},
	} {
		if got := w.refusal(tt.verb, tt.body); got != tt.want {
			t.Errorf("%s %v: %q, want %q", tt.verb, tt.body, got, tt.want)
		}
	}
	for _, tt := range []struct {
		method, path string
		body         object
		want         string
	}{
		{"PATCH", "v2/projects/" + project + "/config", object{"mfa": object{"state": 7}}, "Invalid value at 'mfa.state' (number)"},
		{"POST", "v2/projects/" + project + "/tenants", object{"allowPasswordSignup": "maybe"}, "Invalid value at 'allowPasswordSignup' (string)"},
	} {
		if _, got := w.admin(tt.method, tt.path, tt.body); got != tt.want {
			t.Errorf("%s %s %v: %q, want %q", tt.method, tt.path, tt.body, got, tt.want)
		}
	}
}

// TestInvalidCredentials sends Authorization headers other than those of administrators.
func TestInvalidCredentials(t *testing.T) {
	w := newFixture(t, setup{})
	in := w.signUp("a@example.com", "secret1")
	for _, header := range []string{"Bearer nonsense", "Bearer " + str(in, "idToken")} {
		status, body := w.send("POST", "/identitytoolkit.googleapis.com/v1/projects/"+project+"/accounts:lookup", object{"localId": "x"}, "Authorization", header)
		if status != 401 || !strings.HasPrefix(codeOf(body), "Request had invalid authentication credentials.") {
			t.Errorf("%.20s: %d %v", header, status, body)
		}
		refresh := object{"grant_type": "refresh_token", "refresh_token": in["refreshToken"]}
		if status, body := w.send("POST", "/securetoken.googleapis.com/v1/token?key=k", refresh, "Authorization", header); status != 200 {
			t.Errorf("a refresh beside %.20s: %d %v", header, status, body)
		}
		if status, _ := w.send("POST", "/securetoken.googleapis.com/v1/token", refresh, "Authorization", "Bearer owner"); status != 403 {
			t.Errorf("a refresh without an API key: %d, want 403", status)
		}
	}
}
