package settings_test

import (
	"encoding/json"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/settings"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/pebble/pebbletest"
)

// object decodes a JSON object.
func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestApplyMask(t *testing.T) {
	const old = `{"signIn":{"email":{"enabled":true},"anonymous":{"enabled":true}},"n":1}`
	for name, c := range map[string]struct {
		from string
		mask []string
		want string
	}{
		"no mask merges objects":            {`{"signIn":{"email":{"passwordRequired":true}}}`, nil, `{"n":1,"signIn":{"anonymous":{"enabled":true},"email":{"enabled":true,"passwordRequired":true}}}`},
		"a path sets one field":             {`{"signIn":{"email":{"enabled":false}},"n":2}`, []string{"signIn.email.enabled"}, `{"n":1,"signIn":{"anonymous":{"enabled":true},"email":{"enabled":false}}}`},
		"a path without value removes":      {`{}`, []string{"signIn.anonymous"}, `{"n":1,"signIn":{"email":{"enabled":true}}}`},
		"a path makes the objects above":    {`{"a":{"b":{"c":1}}}`, []string{"a.b.c"}, `{"a":{"b":{"c":1}},"n":1,"signIn":{"anonymous":{"enabled":true},"email":{"enabled":true}}}`},
		"a path into a number has no field": {`{"n":{"a":1}}`, []string{"n.a"}, old},
	} {
		to := object(t, old)
		settings.ApplyMask(to, object(t, c.from), c.mask)
		got, err := json.Marshal(to)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(object(t, c.want))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestATenantOverrulesItsProject(t *testing.T) {
	cfg := &settings.Config{}
	if err := json.Unmarshal([]byte(`{"signIn":{"phoneNumber":{"testPhoneNumbers":{"+1":"1"}}},"emailPrivacyConfig":{"enableImprovedEmailPrivacy":true}}`), cfg); err != nil {
		t.Fatal(err)
	}
	tenant := &settings.Tenant{}
	if err := tenant.Decode(object(t, `{"testPhoneNumbers":{"+2":"2"}}`)); err != nil {
		t.Fatal(err)
	}
	if err := tenant.Overrule(cfg); err != nil {
		t.Fatal(err)
	}
	if cfg.SignIn.PhoneNumber.TestPhoneNumbers["+2"] != "2" || len(cfg.SignIn.PhoneNumber.TestPhoneNumbers) != 1 {
		t.Errorf("the test numbers are %v", cfg.SignIn.PhoneNumber.TestPhoneNumbers)
	}
	if p := cfg.EmailPrivacyConfig.EnableImprovedEmailPrivacy; p == nil || !*p {
		t.Error("a setting that the tenant does not have has changed")
	}
}

func TestSaveRefusesInvalidSettings(t *testing.T) {
	accounts, root := account.New(pebbletest.Open(t)), account.Scope{Project: "demo"}
	save := func(text string) error {
		_, err := settings.Save(t.Context(), accounts, root, func(raw map[string]any) error {
			settings.Merge(raw, object(t, text))
			return nil
		})
		return err
	}
	if err := save(`{"signIn":{"allowDuplicateEmails":true},"unknown":{"kept":1}}`); err != nil {
		t.Fatal(err)
	}
	for _, invalid := range []string{`{"signIn":"on"}`, `{"mfa":{"state":"PERHAPS"}}`, `{"blockingFunctions":{"triggers":{"beforeLunch":{"functionUri":"http://f/"}}}}`} {
		if err := save(invalid); err == nil || !fault.Is(err, fault.InvalidArgument) && !fault.Is(err, fault.FailedPrecondition) {
			t.Errorf("%s: %v", invalid, err)
		}
	}
	cfg, err := settings.Load(accounts, root)
	if err != nil || !cfg.SignIn.AllowDuplicateEmails {
		t.Errorf("Load = %+v, %v", cfg, err)
	}
	if raw, err := settings.Raw(accounts, root); err != nil || raw["unknown"] == nil {
		t.Errorf("a field without an effect is not stored: %v, %v", raw, err)
	}
}
