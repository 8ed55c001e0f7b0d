package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/sms"
	"clave/server/internal/base/fault"
)

// TestSettingsWithoutEffect sets what Clave does not do. A production server refuses it where it is set, for the
// project and for a tenant; what turns it off is accepted. A server of a developer stores it.
func TestSettingsWithoutEffect(t *testing.T) {
	for _, production := range []bool{true, false} {
		w := newFixture(t, setup{production: production})
		admin := service.Call{Project: project, Admin: true}
		tenant, err := w.service.CreateTenant(t.Context(), admin, &service.TenantRequest{Body: object{"displayName": "school"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name, mask string
			body       object
			refused    bool
		}{
			{"reCAPTCHA enforced", "recaptchaConfig", object{"recaptchaConfig": object{"emailPasswordEnforcementState": "ENFORCE"}}, true},
			{"reCAPTCHA for phones", "recaptchaConfig.phoneEnforcementState", object{"recaptchaConfig": object{"phoneEnforcementState": "AUDIT"}}, true},
			{"the account defender", "", object{"recaptchaConfig": object{"useAccountDefender": true}}, true},
			{"scores of text messages", "recaptchaConfig.useSmsBotScore", object{"recaptchaConfig": object{"useSmsBotScore": true}}, true},
			{"a protection of text messages", "recaptchaConfig", object{"recaptchaConfig": object{"useSmsTollFraudProtection": true}}, true},
			{"no protections of text messages", "recaptchaConfig", object{"recaptchaConfig": object{"useSmsBotScore": false, "useSmsTollFraudProtection": false}}, false},
			{"reCAPTCHA off", "recaptchaConfig", object{"recaptchaConfig": object{"emailPasswordEnforcementState": "OFF", "useAccountDefender": false}}, false},
			{"anonymous accounts that end", "autodeleteAnonymousUsers", object{"autodeleteAnonymousUsers": true}, true},
			{"logging", "monitoring.requestLogging", object{"monitoring": object{"requestLogging": object{"enabled": true}}}, true},
			{"a mail server with its password", "notification.sendEmail.smtp", object{"notification": object{"sendEmail": object{"smtp": object{"password": "hunter2"}}}}, true},
			{"a quota", "quota", object{"quota": object{"signUpQuotaConfig": object{"quota": "10"}}}, true},
			{"reCAPTCHA enforced, by number", "recaptchaConfig", object{"recaptchaConfig": object{"phoneEnforcementState": json.Number("3")}}, true},
			{"reCAPTCHA off, by number", "recaptchaConfig", object{"recaptchaConfig": object{"phoneEnforcementState": json.Number("1")}}, false},
			{"the texts of e-mails", "notification", object{"notification": object{"sendEmail": object{"verifyEmailTemplate": object{"subject": "Hi"}}}}, true},
			{"a language of e-mails", "notification.defaultLocale", object{"notification": object{"defaultLocale": "fr"}}, true},
			{"dynamic links", "mobileLinksConfig", object{"mobileLinksConfig": object{"domain": "FIREBASE_DYNAMIC_LINK_DOMAIN"}}, true},
			{"links of Hosting", "mobileLinksConfig", object{"mobileLinksConfig": object{"domain": "HOSTING_DOMAIN"}}, false},
			{"e-mails of a tenant's own", "inheritance", object{"inheritance": object{"emailSendingConfig": false}}, true},
			{"e-mails as the project sends them", "inheritance.emailSendingConfig", object{"inheritance": object{"emailSendingConfig": true}}, false},
			{"not in the mask", "displayName", object{"displayName": "school2", "autodeleteAnonymousUsers": true}, false},
		} {
			var mask []string
			if c.mask != "" {
				mask = []string{c.mask}
			}
			_, ofProject := w.service.UpdateConfig(t.Context(), admin, &service.ConfigRequest{Mask: mask, Body: c.body})
			_, ofTenant := w.service.UpdateTenant(t.Context(), admin, &service.TenantRequest{ID: tenant.TenantID, Mask: mask, Body: c.body})
			for of, err := range map[string]error{"the project": ofProject, "the tenant": ofTenant} {
				if refused := fault.Is(err, fault.Unimplemented); refused != (c.refused && production) || !refused && err != nil {
					t.Errorf("production %v, %s of %s: %v", production, c.name, of, err)
				}
			}
		}
	}
}

// TestMasksOfSettings changes a project's settings over HTTP with masks and names in the forms that JSON may have. What
// has no effect is refused in each of them, and a mask of all fields changes all.
func TestMasksOfSettings(t *testing.T) {
	w := newFixture(t, setup{production: true})
	owner := w.serviceAccount(project, "backend")
	token := owner.jwt(owner.claims(object{"aud": "https://identitytoolkit.googleapis.com/"}))
	patch := func(mask string, body object) (int, object) {
		t.Helper()
		return w.send(http.MethodPatch, "/identitytoolkit.googleapis.com/v2/projects/"+project+"/config?"+mask, body, "Authorization", "Bearer "+token)
	}
	enforce := object{"recaptchaConfig": object{"emailPasswordEnforcementState": "ENFORCE"}}
	snake := object{"recaptcha_config": object{"email_password_enforcement_state": "ENFORCE"}}
	for _, mask := range []string{"", "updateMask=*", "updateMask=recaptchaConfig", "updateMask=recaptcha_config", "updateMask=recaptchaConfig.emailPasswordEnforcementState", "updateMask=mfa,recaptcha_config.email_password_enforcement_state"} {
		for _, body := range []object{enforce, snake} {
			if status, answer := patch(mask, body); status != http.StatusNotImplemented {
				t.Errorf("%v with %q: %d %v, want 501", body, mask, status, answer)
			}
		}
	}
	if status, answer := patch("updateMask=authorizedDomains,emailPrivacyConfig", object{"authorizedDomains": []any{"a.example"}, "emailPrivacyConfig": object{"enableImprovedEmailPrivacy": false}}); status != http.StatusOK {
		t.Fatalf("%d %v", status, answer)
	}
	status, answer := patch("updateMask=*", object{"authorizedDomains": []any{"b.example"}})
	domains, _ := answer["authorizedDomains"].([]any)
	// Without the setting, addresses are protected.
	if privacy, _ := answer["emailPrivacyConfig"].(object); status != http.StatusOK || len(domains) != 1 || domains[0] != "b.example" || privacy["enableImprovedEmailPrivacy"] != true {
		t.Errorf("a mask of all fields: %d %v", status, answer)
	}
}

// TestRegionsOfMessages requests codes for regions that the settings exclude. No message is sent; test numbers need
// none.
func TestRegionsOfMessages(t *testing.T) {
	sent := 0
	sender := &sms.Webhook{URL: "https://sms.example.com", Caller: hook(func(string, []byte) (int, error) {
		sent++
		return 200, nil
	})}
	w := newFixture(t, setup{production: true, sms: sender})
	sender.Tokens = w.tokens
	policy := func(body object) {
		t.Helper()
		settings := object{"smsRegionConfig": body, "signIn": object{"phoneNumber": object{"enabled": true, "testPhoneNumbers": object{"+16505550101": "123456"}}}}
		if _, err := w.service.UpdateConfig(t.Context(), service.Call{Project: project, Admin: true}, &service.ConfigRequest{Body: settings}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		policy object
		phone  string
		want   string
	}{
		{"allowed", object{"allowlistOnly": object{"allowedRegions": []any{"DO"}}}, "+18095550111", ""},
		{"another region", object{"allowlistOnly": object{"allowedRegions": []any{"DO"}}}, "+79161234567", "OPERATION_NOT_ALLOWED"},
		{"a test number", object{"allowlistOnly": object{"allowedRegions": []any{"DO"}}}, "+16505550101", ""},
		{"disallowed", object{"allowByDefault": object{"disallowedRegions": []any{"RU"}}}, "+79161234567", "OPERATION_NOT_ALLOWED"},
		{"not disallowed", object{"allowByDefault": object{"disallowedRegions": []any{"RU"}}}, "+18095550112", ""},
	} {
		policy(c.policy)
		before := sent
		_, body := w.send(http.MethodPost, "/identitytoolkit.googleapis.com/v1/accounts:sendVerificationCode?key=k", object{"phoneNumber": c.phone})
		if got := codeOf(body); got != c.want || c.want != "" && sent != before {
			t.Errorf("%s: %v after %d messages, want %q", c.name, body, sent-before, c.want)
		}
	}
	if sent != 2 {
		t.Errorf("%d messages were sent, want 2", sent)
	}
}
