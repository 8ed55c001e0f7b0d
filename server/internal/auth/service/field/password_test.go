package field_test

import (
	"strings"
	"testing"

	"clave/server/internal/auth/service/field"
	"clave/server/internal/base/fault"
)

func TestCheckListsMissingRequirements(t *testing.T) {
	on := true
	p := field.PasswordRules{MinPasswordLength: 8, MaxPasswordLength: 10, ContainsUppercaseCharacter: &on, ContainsNumericCharacter: &on, ContainsNonAlphanumericCharacter: &on}
	for password, want := range map[string]int{"Secret1!": 0, "secret": 4, "Secret1!Secret1!": 1, "SECRET12": 1} {
		err := p.Check(password)
		if want == 0 && err != nil || want > 0 && strings.Count(fault.FromError(err).Message, "Password must contain") != want {
			t.Errorf("Check(%q) = %v, want %d requirements", password, err, want)
		}
	}
}

func TestCheckNew(t *testing.T) {
	enforced := field.PasswordPolicy{EnforcementState: "ENFORCE"}
	enforced.Versions = append(enforced.Versions, struct {
		Options field.PasswordRules `json:"customStrengthOptions"`
	}{field.PasswordRules{MinPasswordLength: 8}})
	for _, c := range []struct {
		name     string
		settings field.PasswordPolicy
		password string
		want     string
	}{
		{"no policy", field.PasswordPolicy{}, "secret", ""},
		{"too short", field.PasswordPolicy{}, "secre", "WEAK_PASSWORD"},
		{"characters outside the BMP count twice", field.PasswordPolicy{}, "🔑🔑🔑", ""},
		{"too long", field.PasswordPolicy{}, strings.Repeat("a", field.MaxPassword+1), "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"},
		{"policy", enforced, "secret12", ""},
		{"against the policy", enforced, "secret1", "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"},
	} {
		err := c.settings.CheckNew(c.password)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(fault.FromError(err).Message, c.want)) {
			t.Errorf("%s: CheckNew = %v, want %q", c.name, err, c.want)
		}
	}
	if err := (&field.PasswordPolicy{EnforcementState: "SOMETIMES"}).Check(); !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("an unknown state: %v, want InvalidArgument", err)
	}
}
