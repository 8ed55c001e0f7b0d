package passpolicy_test

import (
	"strings"
	"testing"

	"clave/server/internal/auth/service/passpolicy"
	"clave/server/internal/base/fault"
)

func TestCheckListsMissingRequirements(t *testing.T) {
	on := true
	p := passpolicy.Options{MinPasswordLength: 8, MaxPasswordLength: 10, ContainsUppercaseCharacter: &on, ContainsNumericCharacter: &on, ContainsNonAlphanumericCharacter: &on}
	for password, want := range map[string]int{"Secret1!": 0, "secret": 4, "Secret1!Secret1!": 1, "SECRET12": 1} {
		err := p.Check(password)
		if want == 0 && err != nil || want > 0 && strings.Count(fault.FromError(err).Message, "Password must contain") != want {
			t.Errorf("Check(%q) = %v, want %d requirements", password, err, want)
		}
	}
}

func TestCheckNew(t *testing.T) {
	enforced := passpolicy.Settings{EnforcementState: "ENFORCE"}
	enforced.Versions = append(enforced.Versions, struct {
		Options passpolicy.Options `json:"customStrengthOptions"`
	}{passpolicy.Options{MinPasswordLength: 8}})
	for _, c := range []struct {
		name     string
		settings passpolicy.Settings
		password string
		want     string
	}{
		{"no policy", passpolicy.Settings{}, "secret", ""},
		{"too short", passpolicy.Settings{}, "secre", "WEAK_PASSWORD"},
		{"characters outside the BMP count twice", passpolicy.Settings{}, "🔑🔑🔑", ""},
		{"too long", passpolicy.Settings{}, strings.Repeat("a", passpolicy.MaxLength+1), "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"},
		{"policy", enforced, "secret12", ""},
		{"against the policy", enforced, "secret1", "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"},
	} {
		err := c.settings.CheckNew(c.password)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(fault.FromError(err).Message, c.want)) {
			t.Errorf("%s: CheckNew = %v, want %q", c.name, err, c.want)
		}
	}
	if err := (&passpolicy.Settings{EnforcementState: "SOMETIMES"}).Check(); !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("an unknown state: %v, want InvalidArgument", err)
	}
}
