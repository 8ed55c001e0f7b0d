package api_test

import (
	"testing"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/base/clock/clocktest"
)

// TestWhichSecondFactorsMayBeEnrolled starts to enroll a phone and an authenticator app under all kinds of settings.
func TestWhichSecondFactorsMayBeEnrolled(t *testing.T) {
	const off = "OPERATION_NOT_ALLOWED"
	app := func(state string) []any {
		return []any{object{"state": state, "totpProviderConfig": object{"adjacentIntervals": 1}}}
	}
	for _, tt := range []struct {
		name       string
		production bool
		mfa        object
		sms, totp  string
	}{
		{"start without settings", false, nil, "", ""},
		{"start, state alone", false, object{"state": "ENABLED"}, "", ""},
		{"start, off", false, object{"state": "DISABLED"}, off, off},
		{"start, no providers", false, object{"state": "ENABLED", "enabledProviders": []string{}}, off, ""},
		{"start, apps off", false, object{"providerConfigs": app("DISABLED")}, "", off},
		{"start, apps on, text messages off", false, object{"state": "DISABLED", "providerConfigs": app("ENABLED")}, off, ""},
		{"serve without settings", true, nil, off, off},
		{"serve, state alone", true, object{"state": "ENABLED"}, off, off},
		{"serve, text messages", true, object{"state": "ENABLED", "enabledProviders": []string{"PHONE_SMS"}}, "", off},
		{"serve, mandatory", true, object{"state": "MANDATORY", "enabledProviders": []string{"PHONE_SMS"}}, "", off},
		{"serve, named but off", true, object{"state": "DISABLED", "enabledProviders": []string{"PHONE_SMS"}}, off, off},
		{"serve, apps", true, object{"providerConfigs": app("ENABLED")}, off, ""},
		{"serve, apps off", true, object{"state": "ENABLED", "providerConfigs": app("DISABLED")}, off, off},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newFixture(t, setup{production: tt.production, sms: &texter{}})
			user := w.confirmed("f@example.com")
			if tt.mfa != nil {
				if _, err := w.service.UpdateConfig(t.Context(), service.Call{Project: project}, &service.ConfigRequest{Mask: []string{"mfa"}, Body: object{"mfa": tt.mfa}}); err != nil {
					t.Fatal(err)
				}
			}
			for _, start := range []struct {
				name, want string
				info       object
			}{
				{"a text message", tt.sms, object{"phoneEnrollmentInfo": object{"phoneNumber": "+16505550117"}}},
				{"an app", tt.totp, object{"totpEnrollmentInfo": object{}}},
			} {
				start.info["idToken"] = user["idToken"]
				if got := w.refusal("v2/accounts/mfaEnrollment:start", start.info); got != start.want {
					t.Errorf("%s: %q, want %q", start.name, got, start.want)
				}
			}
		})
	}
}

// TestTenantsHaveTheirOwnSecondFactors enrolls in a tenant, whatever the project's settings.
func TestTenantsHaveTheirOwnSecondFactors(t *testing.T) {
	w := newFixture(t, setup{})
	for name, tt := range map[string]struct {
		settings object
		want     string
	}{
		"no settings": {object{}, "OPERATION_NOT_ALLOWED"},
		"on":          {object{"mfaConfig": object{"state": "ENABLED", "enabledProviders": []string{"PHONE_SMS"}}}, ""},
		"off":         {object{"mfaConfig": object{"state": "DISABLED", "enabledProviders": []string{"PHONE_SMS"}}}, "OPERATION_NOT_ALLOWED"},
	} {
		tt.settings["allowPasswordSignup"] = true
		tenant := w.must(w.admin("POST", "v2/projects/"+project+"/tenants", tt.settings))["tenantId"]
		made := w.must(w.client("signUp", object{"email": "t@example.com", "password": "secret1", "tenantId": tenant}))
		w.must(w.admin("POST", "v1/projects/"+project+"/tenants/"+tenant.(string)+"/accounts:update", object{"localId": made["localId"], "emailVerified": true}))
		got := w.refusal("v2/accounts/mfaEnrollment:start", object{"idToken": made["idToken"], "tenantId": tenant, "phoneEnrollmentInfo": object{"phoneNumber": "+16505550118"}})
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestDisabledFactorsAreNotRequired signs in a user with an app after the project has disabled second factors.
func TestDisabledFactorsAreNotRequired(t *testing.T) {
	w := newFixture(t, setup{})
	w.withApp("off@example.com")
	for name, tt := range map[string]struct {
		mfa      object
		required bool
	}{
		"no settings": {object{}, true},
		"off":         {object{"state": "DISABLED"}, false},
		"apps only":   {object{"state": "DISABLED", "providerConfigs": []any{object{"state": "ENABLED", "totpProviderConfig": object{}}}}, true},
	} {
		w.must(w.admin("PATCH", "v2/projects/"+project+"/config?updateMask=mfa", object{"mfa": tt.mfa}))
		in := w.must(w.client("signInWithPassword", object{"email": "off@example.com", "password": "secret1", "returnSecureToken": true}))
		if required := str(in, "mfaPendingCredential") != ""; required != tt.required {
			t.Errorf("%s: a second factor is required: %v, want %v", name, required, tt.required)
		}
	}
}

// TestClocksOfAppsMayBeOff enrolls apps whose clocks are wrong by as much as the project allows and by more.
func TestClocksOfAppsMayBeOff(t *testing.T) {
	manual := clocktest.NewManual(time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC))
	w := newFixture(t, setup{clock: manual})
	user := w.verified("clock@example.com")
	for _, tt := range []struct {
		intervals any
		off       time.Duration
		want      string
	}{
		{nil, 30 * time.Second, ""},
		{nil, -30 * time.Second, ""},
		{nil, 60 * time.Second, "INVALID_CODE"},
		{5, 150 * time.Second, ""},
		{0, 30 * time.Second, "INVALID_CODE"},
		{0, 0, ""},
		{10, -300 * time.Second, ""},
	} {
		w.must(w.admin("PATCH", "v2/projects/"+project+"/config?updateMask=mfa", object{"mfa": object{"providerConfigs": []any{
			object{"state": "ENABLED", "totpProviderConfig": object{"adjacentIntervals": tt.intervals}},
		}}}))
		started := w.must(w.client("v2/accounts/mfaEnrollment:start", object{"idToken": user["idToken"], "totpEnrollmentInfo": object{}}))
		session := started["totpSessionInfo"].(object)
		code := authenticator(t, str(session, "sharedSecretKey"), manual.Now().Add(tt.off))
		got := w.refusal("v2/accounts/mfaEnrollment:finalize", object{
			"idToken": user["idToken"], "totpVerificationInfo": object{"sessionInfo": session["sessionInfo"], "verificationCode": code},
		})
		if got != tt.want {
			t.Errorf("%v intervals, a clock off by %v: %q, want %q", tt.intervals, tt.off, got, tt.want)
		}
	}
	if _, refused := w.admin("PATCH", "v2/projects/"+project+"/config?updateMask=mfa", object{"mfa": object{"providerConfigs": []any{
		object{"state": "ENABLED", "totpProviderConfig": object{"adjacentIntervals": 11}},
	}}}); refused == "" {
		t.Error("eleven intervals are taken; the API allows ten")
	}
}

// TestPhoneSignInCanBeSwitchedOff requests a sign-in code if text messages are disabled or cannot be sent.
func TestPhoneSignInCanBeSwitchedOff(t *testing.T) {
	sms := &texter{}
	for name, tt := range map[string]struct {
		setup setup
		phone any
		want  string
	}{
		"start":                    {setup{}, nil, ""},
		"start, off":               {setup{}, object{"enabled": false}, "OPERATION_NOT_ALLOWED"},
		"serve without a sender":   {setup{production: true}, nil, "OPERATION_NOT_ALLOWED"},
		"serve with a sender":      {setup{production: true, sms: sms}, nil, ""},
		"serve, off":               {setup{production: true, sms: sms}, object{"enabled": false}, "OPERATION_NOT_ALLOWED"},
		"serve, a number of tests": {setup{production: true}, object{"enabled": true, "testPhoneNumbers": object{"+16505550119": "123456"}}, ""},
	} {
		w := newFixture(t, tt.setup)
		if tt.phone != nil {
			body := object{"signIn": object{"phoneNumber": tt.phone}}
			if _, err := w.service.UpdateConfig(t.Context(), service.Call{Project: project}, &service.ConfigRequest{Mask: []string{"signIn.phoneNumber"}, Body: body}); err != nil {
				t.Fatal(err)
			}
		}
		if got := w.refusal("sendVerificationCode", object{"phoneNumber": "+16505550119"}); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	if n := sms.sent.Load(); n != 1 {
		t.Errorf("%d text messages were sent, want one", n)
	}
}
