package api_test

import (
	"fmt"
	"slices"
	"testing"
)

// TestCallsOfBlockingFunctions signs up and in in each way and compares the calls of the functions.
func TestCallsOfBlockingFunctions(t *testing.T) {
	var calls []string
	w := newFixture(t, setup{blocking: function(func(event map[string]any) (int, string) {
		calls = append(calls, fmt.Sprint(event["event_type"], " ", event["sign_in_method"]))
		return 200, "{}"
	})})
	w.must(w.admin("PATCH", "v2/projects/"+project+"/config", object{"blockingFunctions": object{"triggers": object{
		"beforeCreate": object{"functionUri": "http://f/c"}, "beforeSignIn": object{"functionUri": "http://f/s"},
	}}}))
	link := func() {
		w.must(w.client("sendOobCode", object{"requestType": "EMAIL_SIGNIN", "email": "link@example.com", "continueUrl": "http://localhost/", "canHandleCodeInApp": true}))
		w.must(w.client("signInWithEmailLink", object{"email": "link@example.com", "oobCode": w.lastCode()["oobCode"]}))
	}
	for _, tt := range []struct {
		name string
		do   func()
		want []string
	}{
		{"anonymous sign-up", func() { w.must(w.client("signUp", object{})) }, nil},
		{"password sign-up", func() { w.signUp("a@example.com", "secret1") }, []string{"beforeCreate password", "beforeSignIn password"}},
		{"password sign-in", func() { w.signIn("a@example.com", "secret1") }, []string{"beforeSignIn password"}},
		{"a new user's e-mail link", link, []string{"beforeCreate emailLink", "beforeSignIn emailLink"}},
		{"a user's e-mail link", link, []string{"beforeSignIn emailLink"}},
		{"an administrator's account", func() { w.must(w.admin("POST", "v1/projects/"+project+"/accounts", object{"email": "b@example.com"})) }, nil},
	} {
		calls = nil
		tt.do()
		if !slices.Equal(calls, tt.want) {
			t.Errorf("%s calls %q, want %q", tt.name, calls, tt.want)
		}
	}
}

// TestSignUpsThatAFunctionChanges checks beforeSignIn functions that add claims to a sign-up, disable the account, or
// refuse it.
func TestSignUpsThatAFunctionChanges(t *testing.T) {
	answer, status := "", 200
	w := newFixture(t, setup{blocking: function(func(map[string]any) (int, string) { return status, answer })})
	w.must(w.admin("PATCH", "v2/projects/"+project+"/config", object{"blockingFunctions": object{"triggers": object{"beforeSignIn": object{"functionUri": "http://f/s"}}}}))
	answer = `{"userRecord":{"updateMask":"sessionClaims,displayName","sessionClaims":{"level":3},"displayName":"Ann"}}`
	made := w.signUp("a@example.com", "secret1")
	if claims := claimsOf(t, str(made, "idToken")); claims["level"] != 3.0 || claims["name"] != "Ann" {
		t.Errorf("claims = %v, want those of the function", claims)
	}
	answer = `{"userRecord":{"updateMask":"disabled","disabled":true}}`
	if got := w.refusal("signUp", object{"email": "b@example.com", "password": "secret1"}); got != "USER_DISABLED" {
		t.Errorf("a sign-up that the function disables: %q, want USER_DISABLED", got)
	}
	status = 403
	if got := w.refusal("signUp", object{"email": "c@example.com", "password": "secret1"}); got != "BLOCKING_FUNCTION_ERROR_RESPONSE" {
		t.Errorf("a sign-up that the function refuses: %q, want BLOCKING_FUNCTION_ERROR_RESPONSE", got)
	}
	found := w.must(w.admin("POST", "v1/projects/"+project+"/accounts:lookup", object{"email": []string{"c@example.com"}}))
	if found["users"] != nil {
		t.Errorf("a sign-up that the function refused made %v", found["users"])
	}
}

// TestTriggersAreChecked sets invalid blocking functions.
func TestTriggersAreChecked(t *testing.T) {
	w := newFixture(t, setup{})
	for _, tt := range []struct{ event, uri, want string }{
		{"beforeCreate", "http://localhost:5001/f", ""},
		{"beforeSignIn", "https://example.com/f", ""},
		{"beforeDelete", "http://localhost:5001/f", "INVALID_BLOCKING_FUNCTION"},
		{"beforeCreate", "", "INVALID_BLOCKING_FUNCTION"},
		{"beforeCreate", "/f", "INVALID_BLOCKING_FUNCTION"},
		{"beforeCreate", "file:///etc/passwd", "INVALID_BLOCKING_FUNCTION"},
		{"beforeSendSms", "https://example.com/f", "The trigger beforeSendSms is not implemented."},
	} {
		body := object{"blockingFunctions": object{"triggers": object{tt.event: object{"functionUri": tt.uri}}}}
		if _, got := w.admin("PATCH", "v2/projects/"+project+"/config?updateMask=blockingFunctions", body); got != tt.want {
			t.Errorf("%s at %q: %q, want %q", tt.event, tt.uri, got, tt.want)
		}
	}
}

// TestNewAccountsStayAsAFunctionLeftThem signs up by e-mail link and by a provider, both of which verify the address,
// while a beforeCreate function marks the address as not verified.
func TestNewAccountsStayAsAFunctionLeftThem(t *testing.T) {
	var providers []any
	w := newFixture(t, setup{blocking: function(func(event map[string]any) (int, string) {
		record, _ := event["user_record"].(map[string]any)
		providers = append(providers, event["event_type"], record["provider_data"])
		return 200, `{"userRecord":{"updateMask":"emailVerified","emailVerified":false}}`
	})})
	w.must(w.admin("PATCH", "v2/projects/"+project+"/config", object{"blockingFunctions": object{"triggers": object{"beforeCreate": object{"functionUri": "http://f/c"}}}}))
	w.must(w.client("sendOobCode", object{"requestType": "EMAIL_SIGNIN", "email": "link@example.com", "continueUrl": "http://localhost/", "canHandleCodeInApp": true}))
	linked := w.must(w.client("signInWithEmailLink", object{"email": "link@example.com", "oobCode": w.lastCode()["oobCode"]}))
	if claims := claimsOf(t, str(linked, "idToken")); claims["email_verified"] != false {
		t.Errorf("email_verified of an e-mail link is %v; want what the function set", claims["email_verified"])
	}
	assertion := object{"requestUri": "http://localhost", "postBody": `providerId=google.com&id_token={"sub":"1","email":"g@example.com","email_verified":true}`}
	if claims := claimsOf(t, str(w.must(w.client("signInWithIdp", assertion)), "idToken")); claims["email_verified"] != false {
		t.Errorf("email_verified of a provider is %v; want what the function set", claims["email_verified"])
	}
	providers = nil
	w.must(w.admin("PATCH", "v2/projects/"+project+"/config", object{"blockingFunctions": object{"triggers": object{
		"beforeCreate": object{"functionUri": "http://f/c"}, "beforeSignIn": object{"functionUri": "http://f/s"},
	}}}))
	assertion["postBody"] = `providerId=google.com&id_token={"sub":"2","email":"h@example.com","email_verified":true}`
	w.must(w.client("signInWithIdp", assertion))
	google := `[map[email:h@example.com provider_id:google.com uid:2]]`
	if got, want := fmt.Sprint(providers), "[beforeCreate "+google+" beforeSignIn "+google+"]"; got != want {
		t.Errorf("functions receive the providers %s, want %s", got, want)
	}
}
