package api_test

import "testing"

// TestDefaultSettings sends requests that production's and the official emulator's default settings answer
// differently to servers with each of them; AsEmulator implies the emulator's settings.
func TestDefaultSettings(t *testing.T) {
	type answer struct{ production, emulator string }
	for name, tt := range map[string]struct {
		call func(*fixture) string
		want answer
	}{
		"a wrong password": {func(w *fixture) string {
			return w.refusal("signInWithPassword", object{"email": "a@example.com", "password": "wrong1"})
		}, answer{"INVALID_LOGIN_CREDENTIALS", "INVALID_PASSWORD"}},
		"an unknown address": {func(w *fixture) string {
			return w.refusal("signInWithPassword", object{"email": "b@example.com", "password": "wrong1"})
		}, answer{"INVALID_LOGIN_CREDENTIALS", "EMAIL_NOT_FOUND"}},
		"a reset of an unknown address": {func(w *fixture) string {
			return w.refusal("sendOobCode", object{"requestType": "PASSWORD_RESET", "email": "b@example.com"})
		}, answer{"", "EMAIL_NOT_FOUND"}},
		"a change of address": {func(w *fixture) string {
			in := w.must(w.client("signInWithPassword", object{"email": "a@example.com", "password": "secret1", "returnSecureToken": true}))
			return w.refusal("update", object{"idToken": in["idToken"], "email": "c@example.com"})
		}, answer{"OPERATION_NOT_ALLOWED", ""}},
		"an unknown tenant": {func(w *fixture) string {
			return w.refusal("signUp", object{"tenantId": "unknown-1"})
		}, answer{"TENANT_NOT_FOUND", ""}},
		"no secure token": {func(w *fixture) string {
			in := w.must(w.client("signInWithPassword", object{"email": "a@example.com", "password": "secret1"}))
			if str(in, "refreshToken") == "" {
				return "none"
			}
			return ""
		}, answer{"none", ""}},
	} {
		for _, with := range []struct {
			name string
			setup
			want string
		}{
			{"production settings", setup{}, tt.want.production},
			{"emulator settings", setup{emulatorSettings: true}, tt.want.emulator},
			{"as the emulator", setup{asEmulator: true}, tt.want.emulator},
		} {
			w := newFixture(t, with.setup)
			w.signUp("a@example.com", "secret1")
			if got := tt.call(w); got != with.want {
				t.Errorf("%s, %s: %q, want %q", name, with.name, got, with.want)
			}
		}
	}
}

// TestOnlyAdministratorsMakeAccounts tries each method that creates an account while clients may not sign up.
func TestOnlyAdministratorsMakeAccounts(t *testing.T) {
	w := newFixture(t, setup{noSignUp: true})
	w.must(w.client("sendOobCode", object{"requestType": "EMAIL_SIGNIN", "email": "a@example.com", "continueUrl": "http://localhost/", "canHandleCodeInApp": true}))
	code, sent := w.lastCode()["oobCode"], w.texted("+16505550120")
	for name, refused := range map[string]string{
		"anonymous":  w.refusal("signUp", object{}),
		"password":   w.refusal("signUp", object{"email": "a@example.com", "password": "secret1"}),
		"email link": w.refusal("signInWithEmailLink", object{"email": "a@example.com", "oobCode": code}),
		"phone":      w.refusal("signInWithPhoneNumber", object{"sessionInfo": sent["sessionInfo"], "code": sent["code"]}),
		"provider": func() string {
			_, refused := w.idp("google.com", `{"sub":"g1","email":"a@example.com","email_verified":true}`, nil)
			return refused
		}(),
	} {
		if refused != "ADMIN_ONLY_OPERATION" {
			t.Errorf("%s: %q, want ADMIN_ONLY_OPERATION", name, refused)
		}
	}
	w.must(w.admin("POST", "v1/projects/"+project+"/accounts", object{"email": "a@example.com", "password": "secret1"}))
	w.must(w.client("signInWithPassword", object{"email": "a@example.com", "password": "secret1"}))
	w.must(w.admin("PATCH", "v2/projects/"+project+"/config?updateMask=client", object{"client": object{"permissions": object{"disabledUserSignup": false}}}))
	w.signUp("b@example.com", "secret1")
}

// TestProvidersThatAreOff signs in by the ways that firebase.json turns off, until an administrator turns them on.
func TestProvidersThatAreOff(t *testing.T) {
	w := newFixture(t, setup{noAnonymous: true, noPasswords: true})
	for name, body := range map[string]object{"anonymous": {}, "email": {"email": "a@example.com", "password": "secret1"}} {
		enabled := func() any {
			signIn, _ := w.must(w.admin("GET", "v2/projects/"+project+"/config", nil))["signIn"].(map[string]any)
			of, _ := signIn[name].(map[string]any)
			return of["enabled"]
		}
		if got := w.refusal("signUp", body); got == "" || enabled() != false {
			t.Errorf("%s: %q, enabled %v; want a refusal, and that the settings say so", name, got, enabled())
		}
		w.must(w.admin("PATCH", "v2/projects/"+project+"/config?updateMask=signIn."+name+".enabled", object{"signIn": object{name: object{"enabled": true}}}))
		if got := w.refusal("signUp", body); got != "" || enabled() != true {
			t.Errorf("%s after an administrator turned it on: %q, enabled %v", name, got, enabled())
		}
	}
}
