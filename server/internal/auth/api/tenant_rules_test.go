package api_test

import (
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"clave/server/internal/auth/service"
)

// newTenant creates a tenant and returns its id.
func (w *fixture) newTenant(settings object) string {
	w.t.Helper()
	settings["allowPasswordSignup"], settings["enableAnonymousUser"] = true, true
	return str(w.must(w.admin("POST", "v2/projects/"+project+"/tenants", settings)), "tenantId")
}

// TestTenantsRules sets a tenant's policies for passwords and addresses, which the project does not have.
func TestTenantsRules(t *testing.T) {
	w := newFixture(t, setup{})
	strict := w.newTenant(object{
		"passwordPolicyConfig": object{"passwordPolicyEnforcementState": "ENFORCE", "passwordPolicyVersions": []object{{"customStrengthOptions": object{"minPasswordLength": 9}}}},
		"emailPrivacyConfig":   object{"enableImprovedEmailPrivacy": false},
	})
	plain := w.newTenant(object{})
	for _, tt := range []struct {
		verb, tenant string
		body         object
		want         string
	}{
		{"signUp", strict, object{"email": "a@example.com", "password": "secret1"}, "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"},
		{"signUp", strict, object{"email": "a@example.com", "password": "secret123"}, ""},
		{"signUp", plain, object{"email": "a@example.com", "password": "secret1"}, ""},
		{"signInWithPassword", strict, object{"email": "nobody@example.com", "password": "secret123"}, "EMAIL_NOT_FOUND"},
		{"signInWithPassword", plain, object{"email": "nobody@example.com", "password": "secret123"}, "INVALID_LOGIN_CREDENTIALS"},
	} {
		tt.body["tenantId"] = tt.tenant
		if got := w.refusal(tt.verb, tt.body); got != tt.want {
			t.Errorf("%s %v: %q, want %q", tt.verb, tt.body, got, tt.want)
		}
	}
	for tenant, want := range map[string]float64{strict: 9, plain: 6} {
		_, policy := w.send("GET", "/identitytoolkit.googleapis.com/v2/passwordPolicy?key=k&tenantId="+tenant, nil)
		if got := policy["customStrengthOptions"].(object)["minPasswordLength"]; got != want {
			t.Errorf("the shortest password is %v, want %v", got, want)
		}
	}
}

// TestATokensTenantHasItsSettings changes the account of a tenant's user by requests that name the user by an ID token
// and no tenant, as the SDKs do. The tenant's settings hold for them, which are the opposite of the project's, and its
// accounts.
func TestATokensTenantHasItsSettings(t *testing.T) {
	w := newFixture(t, setup{})
	tenant := w.newTenant(object{
		"passwordPolicyConfig": object{"passwordPolicyEnforcementState": "ENFORCE", "passwordPolicyVersions": []object{{"customStrengthOptions": object{"minPasswordLength": 9}}}},
		"emailPrivacyConfig":   object{"enableImprovedEmailPrivacy": false},
	})
	signUp := func(email string) any {
		return w.must(w.client("signUp", object{"tenantId": tenant, "email": email, "password": "secret123"}))["idToken"]
	}
	signUp("b@example.com")
	google := func(sub string) object {
		body := url.Values{"providerId": {"google.com"}, "id_token": {`{"sub":"` + sub + `"}`}}.Encode()
		return object{"requestUri": "http://localhost", "postBody": body}
	}
	w.must(w.client("signInWithIdp", google("of the project")))
	inTenant := google("of the tenant")
	inTenant["tenantId"] = tenant
	w.must(w.client("signInWithIdp", inTenant))
	for i, tt := range []struct {
		verb string
		body object
		want string
	}{
		{"update", object{"password": "secret1"}, "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"},
		{"update", object{"password": "secret789"}, ""},
		{"update", object{"email": "c@example.com"}, ""},
		{"sendOobCode", object{"requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "b@example.com"}, "EMAIL_EXISTS"},
		{"signInWithEmailLink", object{"email": "a@example.com", "oobCode": "x"}, "OPERATION_NOT_ALLOWED"},
		{"signInWithPhoneNumber", object{"sessionInfo": "x", "code": "1"}, "UNSUPPORTED_TENANT_OPERATION"},
		{"signInWithIdp", google("of the tenant"), "FEDERATED_USER_ID_ALREADY_LINKED"},
		{"signInWithIdp", google("of the project"), ""},
	} {
		tt.body["idToken"] = signUp("a" + strconv.Itoa(i) + "@example.com")
		if got := w.refusal(tt.verb, tt.body); got != tt.want {
			t.Errorf("%s %v: %q, want %q", tt.verb, tt.body, got, tt.want)
		}
	}
}

// TestClosedTenants disables a tenant. The tokens of its users must no longer be accepted.
func TestClosedTenants(t *testing.T) {
	w := newFixture(t, setup{})
	tenant := w.newTenant(object{})
	in := w.must(w.client("signUp", object{"tenantId": tenant}))
	w.must(w.admin("PATCH", "v2/projects/"+project+"/tenants/"+tenant+"?updateMask=disableAuth", object{"disableAuth": true}))
	for _, tt := range []struct {
		verb string
		body object
	}{
		{"token", object{"grant_type": "refresh_token", "refresh_token": in["refreshToken"]}},
		{"lookup", object{"idToken": in["idToken"]}},
		{"update", object{"idToken": in["idToken"], "displayName": "x"}},
		{"signUp", object{"tenantId": tenant}},
		{"sendOobCode", object{"requestType": "VERIFY_EMAIL", "idToken": in["idToken"]}},
		{"delete", object{"idToken": in["idToken"]}},
	} {
		if got := w.refusal(tt.verb, tt.body); got != "PROJECT_DISABLED" {
			t.Errorf("%s: %q, want PROJECT_DISABLED", tt.verb, got)
		}
	}
	if _, got := w.admin("POST", "v1/projects/"+project+":createSessionCookie", object{"idToken": in["idToken"]}); got != "PROJECT_DISABLED" {
		t.Errorf("a cookie: %q, want PROJECT_DISABLED", got)
	}
}

// TestOldPasswordsMustBeUpgraded signs in with a password that does not meet a policy set later.
func TestOldPasswordsMustBeUpgraded(t *testing.T) {
	w := newFixture(t, setup{})
	w.signUp("a@example.com", "secret1")
	policy := func(force bool) {
		body := object{"passwordPolicyConfig": object{
			"passwordPolicyEnforcementState": "ENFORCE", "forceUpgradeOnSignin": force,
			"passwordPolicyVersions": []any{object{"customStrengthOptions": object{"containsUppercaseCharacter": true}}},
		}}
		if _, err := w.service.UpdateConfig(t.Context(), service.Call{Project: project}, &service.ConfigRequest{Mask: []string{"passwordPolicyConfig"}, Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	for force, want := range map[bool]string{false: "", true: "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"} {
		policy(force)
		if got := w.refusal("signInWithPassword", object{"email": "a@example.com", "password": "secret1"}); got != want {
			t.Errorf("forced %v: %q, want %q", force, got, want)
		}
		if got := w.refusal("signInWithPassword", object{"email": "a@example.com", "password": "wrong"}); got != "INVALID_LOGIN_CREDENTIALS" {
			t.Errorf("forced %v, a wrong password: %q", force, got)
		}
	}
}

// TestTenantsKeepTheirSettings sets every setting of a tenant that the Admin SDKs support, and reads them.
func TestTenantsKeepTheirSettings(t *testing.T) {
	w := newFixture(t, setup{})
	tenant := w.newTenant(object{})
	path := "v2/projects/" + project + "/tenants/" + tenant
	want := object{
		"displayName": "acme-co", "autodeleteAnonymousUsers": true,
		"smsRegionConfig":  object{"allowlistOnly": object{"allowedRegions": []any{"DO"}}},
		"recaptchaConfig":  object{"emailPasswordEnforcementState": "OFF", "managedRules": []any{object{"endScore": 0.1, "action": "BLOCK"}}},
		"monitoring":       object{"requestLogging": object{"enabled": true}},
		"inheritance":      object{"emailSendingConfig": true},
		"client":           object{"permissions": object{"disabledUserDeletion": true}},
		"testPhoneNumbers": object{"+18095550101": "123456"},
	}
	w.must(w.admin("PATCH", path+"?updateMask="+strings.Join(slices.Sorted(maps.Keys(want)), ","), want))
	got := w.must(w.admin("GET", path, nil))
	for name, v := range want {
		if !reflect.DeepEqual(got[name], v) {
			t.Errorf("%s = %v, want %v", name, got[name], v)
		}
	}
	for _, bad := range []object{
		{"mfaConfig": object{"state": "SOMETIMES"}}, {"mfaConfig": object{"enabledProviders": []any{"PIGEON"}}}, {"mfaConfig": object{"providerConfigs": []any{object{"state": "ON"}}}},
		{"passwordPolicyConfig": object{"passwordPolicyEnforcementState": "ENFORCED"}}, {"passwordPolicyConfig": object{"passwordPolicyVersions": "x"}}, {"emailPrivacyConfig": object{"enableImprovedEmailPrivacy": "x"}},
	} {
		if _, refused := w.admin("PATCH", path, bad); refused == "" {
			t.Errorf("%v is taken", bad)
		}
	}
	for _, bad := range []object{{"mfa": object{"state": "ON"}}, {"passwordPolicyConfig": object{"passwordPolicyEnforcementState": "ON"}}} {
		if _, refused := w.admin("PATCH", "v2/projects/"+project+"/config", bad); refused == "" {
			t.Errorf("%v is taken", bad)
		}
	}
	if _, refused := w.client("signUp", object{"tenantId": tenant}); refused != "" {
		t.Errorf("after refused settings: %s", refused)
	}
}

// TestTenantsTestNumbers signs in with a second factor whose number is one of the tenant's test numbers.
func TestTenantsTestNumbers(t *testing.T) {
	const phone, code = "+18095550101", "123456"
	w := newFixture(t, setup{})
	tenant := w.newTenant(object{"testPhoneNumbers": object{phone: code}, "mfaConfig": object{"state": "ENABLED", "enabledProviders": []string{"PHONE_SMS"}}})
	made := w.must(w.client("signUp", object{"email": "t@example.com", "password": "secret1", "tenantId": tenant}))
	w.must(w.admin("POST", "v1/projects/"+project+"/tenants/"+tenant+"/accounts:update", object{
		"localId": made["localId"], "mfa": object{"enrollments": []any{object{"mfaEnrollmentId": "f", "phoneInfo": phone}}},
	}))
	half := w.must(w.client("signInWithPassword", object{"email": "t@example.com", "password": "secret1", "tenantId": tenant}))
	started := w.must(w.client("v2/accounts/mfaSignIn:start", object{
		"mfaPendingCredential": half["mfaPendingCredential"], "mfaEnrollmentId": "f", "phoneSignInInfo": object{}, "tenantId": tenant,
	}))
	w.must(w.client("v2/accounts/mfaSignIn:finalize", object{
		"mfaPendingCredential": half["mfaPendingCredential"], "tenantId": tenant,
		"phoneVerificationInfo": object{"sessionInfo": started["phoneResponseInfo"].(object)["sessionInfo"], "code": code},
	}))
}

// TestUsersOfTenantsMayNotDeleteTheirAccounts deletes an account in a tenant that allows only administrators to do so.
func TestUsersOfTenantsMayNotDeleteTheirAccounts(t *testing.T) {
	w := newFixture(t, setup{})
	for off, want := range map[bool]string{true: "ADMIN_ONLY_OPERATION", false: ""} {
		tenant := w.newTenant(object{"client": object{"permissions": object{"disabledUserDeletion": off}}})
		in := w.must(w.client("signUp", object{"tenantId": tenant}))
		if got := w.refusal("delete", object{"idToken": in["idToken"]}); got != want {
			t.Errorf("kept %v: %q, want %q", off, got, want)
		}
	}
}
