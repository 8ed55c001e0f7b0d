package factor_test

import (
	"encoding/json"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/factor"
	"clave/server/internal/base/fault"
)

// settings decodes settings.
func settings(t *testing.T, text string) *factor.Settings {
	t.Helper()
	if text == "" {
		return nil
	}
	s := &factor.Settings{}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRules(t *testing.T) {
	const app = `"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":5}}]`
	for _, c := range []struct {
		name, settings string
		friendly       bool
		// sms and app are whether a phone and an app may be enrolled.
		sms, app, required bool
		window             int
	}{
		{"no settings", "", false, false, false, true, 1},
		{"no settings in development", "{}", true, true, true, true, 1},
		{"off", `{"state":"DISABLED"}`, false, false, false, false, 1},
		{"off in development", `{"state":"DISABLED"}`, true, false, false, false, 1},
		{"on without a kind", `{"state":"ENABLED"}`, false, false, false, true, 1},
		{"phones", `{"state":"ENABLED","enabledProviders":["PHONE_SMS"]}`, false, true, false, true, 1},
		{"apps", `{"state":"DISABLED",` + app + `}`, false, false, true, true, 5},
		{"mandatory", `{"state":"MANDATORY","enabledProviders":["PHONE_SMS"],` + app + `}`, false, true, true, true, 5},
	} {
		r := factor.RulesOf(settings(t, c.settings), c.friendly)
		sms, app := r.MayEnroll(false) == nil, r.MayEnroll(true) == nil
		if sms != c.sms || app != c.app || r.Window != c.window {
			t.Errorf("%s: phones %t, apps %t, window %d; want %t, %t, %d", c.name, sms, app, r.Window, c.sms, c.app, c.window)
		}
		enrolled := &account.User{Factors: []account.Factor{{ID: "f"}}}
		if got := r.Requires(enrolled); got != c.required || r.Requires(&account.User{}) {
			t.Errorf("%s: a user with a factor must present it: %t, one without: %t; want %t, false", c.name, got, r.Requires(&account.User{}), c.required)
		}
	}
}

func TestCheck(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "{}": true, `{"state":"ENABLED","enabledProviders":["PHONE_SMS"]}`: true, `{"state":"SOMETIMES"}`: false, `{"enabledProviders":["PIGEON"]}`: false,
		`{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":10}}]}`: true,
		`{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":11}}]}`: false,
	} {
		if err := settings(t, text).Check(); (err == nil) != want || err != nil && !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("Check(%s) = %v, want valid: %t", text, err, want)
		}
	}
}
