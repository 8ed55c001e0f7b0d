package api_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestIDsOfAccounts creates accounts with ids at the limits, in each way in which an id can be chosen.
func TestIDsOfAccounts(t *testing.T) {
	w := newFixture(t, setup{})
	accounts := "v1/projects/" + project + "/accounts"
	imported := func(uid string) string {
		answer, code := w.admin("POST", accounts+":batchCreate", object{"users": []object{{"localId": uid}}})
		if list, _ := answer["error"].([]any); len(list) > 0 {
			return str(list[0].(map[string]any), "message")
		}
		return code
	}
	created := func(uid string) string {
		_, code := w.admin("POST", accounts, object{"localId": uid})
		return code
	}
	custom := func(uid string) string {
		text, err := json.Marshal(object{"uid": uid}) // without a signature, as clave start accepts it
		if err != nil {
			t.Fatal(err)
		}
		_, code := w.client("signInWithCustomToken", object{"token": string(text), "returnSecureToken": true})
		return code
	}
	for _, tt := range []struct {
		name, uid                 string
		created, imported, custom string
	}{
		{"128 characters", strings.Repeat("a", 128), "", "", ""},
		{"129 characters", strings.Repeat("b", 129), "", "", "INVALID_IDENTIFIER"},
		{"1025 characters", strings.Repeat("c", 1025), "INVALID_LOCAL_ID", "localId is invalid", "INVALID_IDENTIFIER"},
		{"a slash", "a/b", "", "", ""},
		{"NUL", "a\x00b", "INVALID_LOCAL_ID", "localId is invalid", "INVALID_IDENTIFIER"},
		{"NUL first", "\x00config", "INVALID_LOCAL_ID", "localId is invalid", "INVALID_IDENTIFIER"},
	} {
		for way, got := range map[string][2]string{"created": {created(tt.uid), tt.created}, "imported": {imported(tt.uid), tt.imported}, "custom token": {custom(tt.uid), tt.custom}} {
			if got[0] != got[1] {
				t.Errorf("an id of %s, %s: %q, want %q", tt.name, way, got[0], got[1])
			}
		}
	}
	long := strings.Repeat("d", 129)
	w.must(w.admin("POST", accounts, object{"localId": long, "email": "long@example.com", "password": "secret1"}))
	signedIn := w.signIn("long@example.com", "secret1")
	found := w.must(w.client("lookup", object{"idToken": signedIn["idToken"]}))
	if users, _ := found["users"].([]any); len(users) != 1 || str(users[0].(map[string]any), "localId") != long {
		t.Errorf("the user of an ID token with a long id: %v", found)
	}
}
