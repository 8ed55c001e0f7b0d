package api_test

import (
	"net/url"
	"strings"
	"testing"
)

// FuzzRefresh requests tokens with refresh tokens that were never issued, as JSON and as a form. All must be refused as
// client errors. Variants of an issued token must never open another session. An execution is a whole request, and the
// issued token, which the fuzzer often repeats, has a new ID token signed: 580 a second on two busy processors.
func FuzzRefresh(f *testing.F) {
	w := newFixture(f, setup{signed: true})
	made := w.signUp("fuzz@example.com", "secret1")
	real := str(made, "refreshToken")
	f.Add(real, "refresh_token", false)
	f.Add(real+"=", "refresh_token", true)
	f.Add(" "+real, "refreshToken", true)
	f.Add(real[:len(real)-1], "refresh_token", false)
	f.Add(`eyJfQXV0aEVtdWxhdG9yUmVmcmVzaFRva2VuIjoiRE8gTk9UIE1PRElGWSIsImxvY2FsSWQiOiJ1MSJ9`, "refresh_token", true)
	f.Add("\x00", "refresh_token", false)
	f.Add("../u/"+strings.Repeat("a", 1000), "", true)
	f.Fuzz(func(t *testing.T, token, grant string, form bool) {
		w := *w
		w.t = t
		var status int
		var answer object
		if form {
			body := url.Values{"grant_type": {grant}, "refresh_token": {token}}.Encode()
			status, answer = w.send("POST", "/securetoken.googleapis.com/v1/token?key=k", body, "Content-Type", "application/x-www-form-urlencoded")
		} else {
			status, answer = w.send("POST", "/securetoken.googleapis.com/v1/token?key=k", object{"grantType": grant, "refreshToken": token})
		}
		good := token == real && (grant == "refresh_token" || grant == "refreshToken")
		switch {
		case good && (status != 200 || answer["user_id"] != made["localId"]):
			t.Errorf("the token that was given: %d %v", status, answer)
		case !good && (status != 400 || answer["error"].(object)["status"] != "INVALID_ARGUMENT"):
			t.Errorf("%q as %q: %d %v, want 400 INVALID_ARGUMENT", token, grant, status, answer)
		}
	})
}
