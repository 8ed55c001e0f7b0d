package api_test

import "testing"

// TestUsersMayNotAdministerThemselves requests changes of a user's own account that only administrators may make.
func TestUsersMayNotAdministerThemselves(t *testing.T) {
	w := newFixture(t, setup{production: true, emulatorSettings: true})
	in := w.signUp("ana@example.com", "secreta1")
	token := in["idToken"]
	for _, tt := range []struct {
		verb string
		body object
		want string
	}{
		{"update", object{"idToken": token, "customAttributes": `{"admin":true}`}, "INSUFFICIENT_PERMISSION"},
		{"update", object{"idToken": token, "mfa": object{}}, "INSUFFICIENT_PERMISSION"},
		{"update", object{"idToken": token, "disableUser": false}, "OPERATION_NOT_ALLOWED"},
		{"sendOobCode", object{"requestType": "PASSWORD_RESET", "email": "ana@example.com", "returnOobLink": true}, "INSUFFICIENT_PERMISSION"},
		{"lookup", object{"idToken": token, "targetProjectId": "other"}, "INSUFFICIENT_PERMISSION"},
	} {
		if got := w.refusal(tt.verb, tt.body); got != tt.want {
			t.Errorf("%s %v: %q, want %q", tt.verb, tt.body, got, tt.want)
		}
	}
	// These fields are ignored.
	w.must(w.client("update", object{"idToken": token, "emailVerified": true, "phoneNumber": "+16505550101", "createdAt": "1", "displayName": "Ana"}))
	user := w.must(w.client("lookup", object{"idToken": token}))["users"].([]any)[0].(object)
	if user["emailVerified"] == true || user["phoneNumber"] != nil || user["createdAt"] == "1" || user["displayName"] != "Ana" {
		t.Errorf("the account after a user's update: %v, want only the name changed", user)
	}
}
