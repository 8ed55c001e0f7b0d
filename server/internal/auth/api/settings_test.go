package api_test

import (
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
			{"reCAPTCHA off", "recaptchaConfig", object{"recaptchaConfig": object{"emailPasswordEnforcementState": "OFF", "useAccountDefender": false}}, false},
			{"anonymous accounts that end", "autodeleteAnonymousUsers", object{"autodeleteAnonymousUsers": true}, true},
			{"logging", "monitoring.requestLogging", object{"monitoring": object{"requestLogging": object{"enabled": true}}}, true},
			{"a mail server with its password", "notification.sendEmail.smtp", object{"notification": object{"sendEmail": object{"smtp": object{"password": "hunter2"}}}}, true},
			{"a quota", "quota", object{"quota": object{"signUpQuotaConfig": object{"quota": "10"}}}, true},
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
