package api_test

import (
	"fmt"
	"reflect"
	"testing"
)

// TestLimitsOfQueries queries accounts with the limits and orders that production accepts.
func TestLimitsOfQueries(t *testing.T) {
	w := newFixture(t, setup{})
	accounts := "v1/projects/" + project + "/accounts"
	for uid, name := range map[string]string{"q1": "Carol", "q2": "alice", "q3": "Bob", "q4": "", "q5": "Bob"} {
		w.must(w.admin("POST", accounts, object{"localId": uid, "displayName": name}))
	}
	for _, tt := range []struct {
		request object
		count   string
		users   []string
	}{
		{object{}, "5", []string{"q1", "q2", "q3", "q4", "q5"}},
		{object{"limit": 0}, "0", nil},
		{object{"limit": "2", "offset": "1"}, "2", []string{"q2", "q3"}},
		{object{"limit": 501}, "5", []string{"q1", "q2", "q3", "q4", "q5"}},
		{object{"order": "DESC"}, "5", []string{"q5", "q4", "q3", "q2", "q1"}},
		{object{"sortBy": "USER_ID", "order": "DESC"}, "5", []string{"q5", "q4", "q3", "q2", "q1"}},
		{object{"sortBy": "NAME"}, "5", []string{"q4", "q3", "q5", "q1", "q2"}},
		{object{"sortBy": "NAME", "order": "DESC"}, "5", []string{"q2", "q1", "q3", "q5", "q4"}},
		{object{"sortBy": "LAST_LOGIN_AT", "order": "DESC"}, "5", []string{"q1", "q2", "q3", "q4", "q5"}},
	} {
		answer := w.must(w.admin("POST", accounts+":query", tt.request))
		var got []string
		list, _ := answer["userInfo"].([]any)
		for _, one := range list {
			got = append(got, str(one.(map[string]any), "localId"))
		}
		if !reflect.DeepEqual(got, tt.users) || answer["recordsCount"] != tt.count {
			t.Errorf("%v: %v %v, want %s %v", tt.request, answer["recordsCount"], got, tt.count, tt.users)
		}
	}
	for _, request := range []object{{"limit": -1}, {"offset": -1}} {
		if _, got := w.admin("POST", accounts+":query", request); got != "INVALID_LIMIT_OR_OFFSET" {
			t.Errorf("%v: %q, want INVALID_LIMIT_OR_OFFSET", request, got)
		}
	}
}

// TestSettingsAreShownAsInProduction changes settings of which production shows another form: fields that are false are
// left out, of two policies only one is set, and test phone numbers are in E.164 form.
func TestSettingsAreShownAsInProduction(t *testing.T) {
	const root = "v2/projects/" + project + "/"
	for _, as := range []bool{false, true} {
		w := newFixture(t, setup{asEmulator: as})
		tenant := w.must(w.admin("POST", root+"tenants", object{"displayName": "shop"}))
		at := "tenants/" + str(tenant, "tenantId")
		w.must(w.admin("POST", root+"oauthIdpConfigs?oauthIdpConfigId=oidc.a", object{"clientId": "c", "issuer": "https://i.example.com", "responseType": object{"idToken": true, "code": false}}))
		shownPrivacy := "map[]"
		if as {
			shownPrivacy = "map[enableImprovedEmailPrivacy:false]"
		}
		for _, tt := range []struct {
			path, mask string
			body       object
			field      string
			want       string
		}{
			{"config", "emailPrivacyConfig", object{"emailPrivacyConfig": object{"enableImprovedEmailPrivacy": true}}, "emailPrivacyConfig", "map[enableImprovedEmailPrivacy:true]"},
			{"config", "emailPrivacyConfig.enableImprovedEmailPrivacy", object{"emailPrivacyConfig": object{"enableImprovedEmailPrivacy": false}}, "emailPrivacyConfig", shownPrivacy},
			{"config", "smsRegionConfig", object{"smsRegionConfig": object{"allowByDefault": object{"disallowedRegions": []string{"AC"}}}}, "smsRegionConfig", "map[allowByDefault:map[disallowedRegions:[AC]]]"},
			{"config", "smsRegionConfig.allowlistOnly.allowedRegions", object{"smsRegionConfig": object{"allowlistOnly": object{"allowedRegions": []string{"DO"}}}}, "smsRegionConfig", "map[allowlistOnly:map[allowedRegions:[DO]]]"},
			{"config", "signIn.phoneNumber.testPhoneNumbers", object{"signIn": object{"phoneNumber": object{"testPhoneNumbers": object{"+1 650-555-ABCD": "123456"}}}}, "signIn.phoneNumber", "map[testPhoneNumbers:map[+16505552223:123456]]"},
			{at, "emailPrivacyConfig", object{"emailPrivacyConfig": object{"enableImprovedEmailPrivacy": false}}, "emailPrivacyConfig", shownPrivacy},
			{at, "smsRegionConfig", object{"smsRegionConfig": object{"allowlistOnly": object{}}}, "smsRegionConfig", "map[allowlistOnly:map[]]"},
			{at, "smsRegionConfig.allowByDefault", object{"smsRegionConfig": object{"allowByDefault": object{}}}, "smsRegionConfig", "map[allowByDefault:map[]]"},
			{at, "testPhoneNumbers", object{"testPhoneNumbers": object{"+1 650 555 0101": "123456"}}, "testPhoneNumbers", "map[+16505550101:123456]"},
			{"oauthIdpConfigs/oidc.a", "displayName", object{"displayName": "A"}, "responseType", "map[idToken:true]"},
			{"oauthIdpConfigs/oidc.a", "responseType.code,responseType.idToken,clientSecret", object{"clientSecret": "s", "responseType": object{"code": true, "idToken": false}}, "responseType", "map[code:true]"},
		} {
			changed := w.must(w.admin("PATCH", root+tt.path+"?updateMask="+tt.mask, tt.body))
			for way, answer := range map[string]object{"PATCH": changed, "GET": w.must(w.admin("GET", root+tt.path, nil))} {
				if got := fmt.Sprint(fieldAt(answer, tt.field)); got != tt.want {
					t.Errorf("as the emulator %v, %s %s of %v: %s is %s, want %s", as, way, tt.path, tt.body, tt.field, got, tt.want)
				}
			}
		}
		for _, path := range []string{"config", at} {
			both := object{"smsRegionConfig": object{"allowByDefault": object{}, "allowlistOnly": object{}}}
			if _, got := w.admin("PATCH", root+path+"?updateMask=smsRegionConfig", both); got == "" {
				t.Errorf("%s: both policies of regions were accepted", path)
			}
		}
		for path, body := range map[string]object{"config": {"signIn": object{"phoneNumber": object{"testPhoneNumbers": object{"16505550101": "1"}}}}, at: {"testPhoneNumbers": object{"x": "1"}}} {
			if _, got := w.admin("PATCH", root+path+"?updateMask=signIn,testPhoneNumbers", body); got != "INVALID_PHONE_NUMBER" {
				t.Errorf("%s with a test number that is invalid: %q, want INVALID_PHONE_NUMBER", path, got)
			}
		}
	}
}

// fieldAt returns the field of an answer at a path of one or two names.
func fieldAt(answer object, path string) any {
	if rest, ok := answer[path]; ok {
		return rest
	}
	for name, value := range answer {
		if below, ok := value.(map[string]any); ok && len(path) > len(name)+1 && path[:len(name)+1] == name+"." {
			return below[path[len(name)+1:]]
		}
	}
	return nil
}

// TestLettersInPhoneNumbers signs in by the same number in digits and in letters.
func TestLettersInPhoneNumbers(t *testing.T) {
	w := newFixture(t, setup{})
	made := w.must(w.admin("POST", "v1/projects/"+project+"/accounts", object{"phoneNumber": "+1 809 555 CASA"}))
	found := w.must(w.admin("POST", "v1/projects/"+project+"/accounts:lookup", object{"phoneNumber": []string{"+18095552272"}}))
	if users, _ := found["users"].([]any); len(users) != 1 || str(users[0].(map[string]any), "localId") != str(made, "localId") {
		t.Errorf("an account with a number in letters: %v", found)
	}
}

// TestChangesToTakenAddresses requests, as a client and as an administrator, a link that changes an address to one that
// has an account. With protection from e-mail enumeration the answer is that for a free address, without a link.
func TestChangesToTakenAddresses(t *testing.T) {
	for _, tt := range []struct {
		privacy, as, free bool
		want              string
		link              bool
	}{
		{true, false, true, "", true}, {true, false, false, "", false}, {false, false, false, "EMAIL_EXISTS", false}, {true, true, false, "EMAIL_EXISTS", false},
	} {
		w := newFixture(t, setup{asEmulator: tt.as})
		w.must(w.admin("PATCH", "v2/projects/"+project+"/config?updateMask=emailPrivacyConfig", object{"emailPrivacyConfig": object{"enableImprovedEmailPrivacy": tt.privacy}}))
		in := w.signUp("a@example.com", "secret1")
		w.signUp("taken@example.com", "secret1")
		to := "taken@example.com"
		if tt.free {
			to = "free@example.com"
		}
		answer, got := w.admin("POST", "v1/projects/"+project+"/accounts:sendOobCode", object{"requestType": "VERIFY_AND_CHANGE_EMAIL", "email": "a@example.com", "newEmail": to, "returnOobLink": true})
		if got != tt.want || (str(answer, "oobLink") != "") != tt.link || got == "" && str(answer, "email") != "a@example.com" {
			t.Errorf("%+v, an administrator: %q %v", tt, got, answer)
		}
		if answer, got := w.client("sendOobCode", object{"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": in["idToken"], "newEmail": to}); got != tt.want {
			t.Errorf("%+v, a client: %q %v", tt, got, answer)
		}
	}
}

// TestRevokingTokensOfProviders revokes a token of Apple, whose secrets no project has.
func TestRevokingTokensOfProviders(t *testing.T) {
	for as, want := range map[bool]string{false: "OPERATION_NOT_ALLOWED", true: "identitytoolkit.accounts.revokeToken is not implemented in the Auth Emulator."} {
		w := newFixture(t, setup{asEmulator: as})
		in := w.signUp("a@example.com", "secret1")
		if _, got := w.client("v2/accounts:revokeToken", object{"providerId": "apple.com", "tokenType": "ACCESS_TOKEN", "token": "t", "idToken": in["idToken"]}); got != want {
			t.Errorf("as the emulator %v: %q, want %q", as, got, want)
		}
	}
}
