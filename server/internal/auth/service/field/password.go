package field

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"clave/server/internal/auth/service/apierror"
)

// MaxPassword is the maximum length of a password, in UTF-16 units, and minPassword the minimum without a policy.
const (
	MaxPassword = 4096
	minPassword = 6
)

// PasswordRules holds the requirements of a password policy.
type PasswordRules struct {
	MinPasswordLength                int   `json:"minPasswordLength,omitempty"`
	MaxPasswordLength                int   `json:"maxPasswordLength,omitempty"`
	ContainsLowercaseCharacter       *bool `json:"containsLowercaseCharacter,omitempty"`
	ContainsUppercaseCharacter       *bool `json:"containsUppercaseCharacter,omitempty"`
	ContainsNumericCharacter         *bool `json:"containsNumericCharacter,omitempty"`
	ContainsNonAlphanumericCharacter *bool `json:"containsNonAlphanumericCharacter,omitempty"`
}

// PasswordPolicy is a password policy and whether it is enforced.
type PasswordPolicy struct {
	EnforcementState     string `json:"passwordPolicyEnforcementState"`
	ForceUpgradeOnSignin bool   `json:"forceUpgradeOnSignin"`
	Versions             []struct {
		Options PasswordRules `json:"customStrengthOptions"`
	} `json:"passwordPolicyVersions"`
}

// SpecialCharacters are the characters that count as non-alphanumeric.
const SpecialCharacters = "^$*.[]{}()?\"!@#%&/\\,><':;|_~"

// Check refuses an unknown enforcement state.
func (p *PasswordPolicy) Check() error {
	return apierror.Choice("password_policy_config.password_policy_enforcement_state", p.EnforcementState, "PASSWORD_POLICY_ENFORCEMENT_STATE_UNSPECIFIED", "OFF", "ENFORCE")
}

// Enforced returns the policy that new passwords must meet, or nil when none is enforced.
func (p *PasswordPolicy) Enforced() *PasswordRules {
	if p.EnforcementState != "ENFORCE" || len(p.Versions) == 0 {
		return nil
	}
	return &p.Versions[0].Options
}

// missing lists the requirements that a password does not meet, in Firebase's words.
func (p *PasswordRules) missing(password string) []string {
	has := func(alphabet string) bool { return strings.ContainsAny(password, alphabet) }
	on := func(setting *bool) bool { return setting != nil && *setting }
	var out []string
	require := func(required, met bool, text string) {
		if required && !met {
			out = append(out, text)
		}
	}
	require(true, units(password) >= max(p.MinPasswordLength, minPassword), "Password must contain at least "+strconv.Itoa(max(p.MinPasswordLength, minPassword))+" characters")
	require(p.MaxPasswordLength > 0, units(password) <= p.MaxPasswordLength, "Password must contain at most "+strconv.Itoa(p.MaxPasswordLength)+" characters")
	require(on(p.ContainsLowercaseCharacter), has("abcdefghijklmnopqrstuvwxyz"), "Password must contain a lower case character")
	require(on(p.ContainsUppercaseCharacter), has("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), "Password must contain an upper case character")
	require(on(p.ContainsNumericCharacter), has("0123456789"), "Password must contain a numeric character")
	require(on(p.ContainsNonAlphanumericCharacter), has(SpecialCharacters), "Password must contain a non-alphanumeric character")
	return out
}

// Check returns an error if a password does not meet the policy.
func (p *PasswordRules) Check(password string) error {
	if out := p.missing(password); len(out) > 0 {
		return apierror.New("PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [%s]", strings.Join(out, ", "))
	}
	return nil
}

// CheckNew returns an error if a new password is too long, too short or does not meet the enforced policy.
func (p *PasswordPolicy) CheckNew(password string) error {
	if units(password) > MaxPassword {
		return apierror.New("PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password must contain at most %d characters]", MaxPassword)
	}
	if policy := p.Enforced(); policy != nil {
		return policy.Check(password)
	}
	if units(password) < minPassword {
		return apierror.New("WEAK_PASSWORD : Password should be at least %d characters", minPassword)
	}
	return nil
}

// Shown returns the requirements as clients read them, with the limits that hold without a policy.
func (p *PasswordPolicy) Shown() PasswordRules {
	policy := p.Enforced()
	if policy == nil {
		return PasswordRules{MinPasswordLength: minPassword, MaxPasswordLength: MaxPassword}
	}
	shown := *policy
	shown.MinPasswordLength = max(policy.MinPasswordLength, minPassword)
	if policy.MaxPasswordLength == 0 {
		shown.MaxPasswordLength = MaxPassword
	}
	return shown
}

// units returns the length of a string in UTF-16 units, as the API counts.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}
