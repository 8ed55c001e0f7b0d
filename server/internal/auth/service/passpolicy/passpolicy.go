// Package passpolicy checks new passwords against a project's password policy.
package passpolicy

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"clave/server/internal/auth/service/apierror"
)

// MaxLength is the maximum length of a password, in UTF-16 units, and minLength the minimum without a policy.
const (
	MaxLength = 4096
	minLength = 6
)

// Options holds the requirements of a password policy.
type Options struct {
	MinPasswordLength                int   `json:"minPasswordLength,omitempty"`
	MaxPasswordLength                int   `json:"maxPasswordLength,omitempty"`
	ContainsLowercaseCharacter       *bool `json:"containsLowercaseCharacter,omitempty"`
	ContainsUppercaseCharacter       *bool `json:"containsUppercaseCharacter,omitempty"`
	ContainsNumericCharacter         *bool `json:"containsNumericCharacter,omitempty"`
	ContainsNonAlphanumericCharacter *bool `json:"containsNonAlphanumericCharacter,omitempty"`
}

// Settings is a password policy and whether it is enforced.
type Settings struct {
	EnforcementState     string `json:"passwordPolicyEnforcementState"`
	ForceUpgradeOnSignin bool   `json:"forceUpgradeOnSignin"`
	Versions             []struct {
		Options Options `json:"customStrengthOptions"`
	} `json:"passwordPolicyVersions"`
}

// Special are the characters that count as non-alphanumeric.
const Special = "^$*.[]{}()?\"!@#%&/\\,><':;|_~"

// Check refuses an unknown enforcement state.
func (p *Settings) Check() error {
	return apierror.Choice("password_policy_config.password_policy_enforcement_state", p.EnforcementState, "PASSWORD_POLICY_ENFORCEMENT_STATE_UNSPECIFIED", "OFF", "ENFORCE")
}

// Enforced returns the policy that new passwords must meet, or nil when none is enforced.
func (p *Settings) Enforced() *Options {
	if p.EnforcementState != "ENFORCE" || len(p.Versions) == 0 {
		return nil
	}
	return &p.Versions[0].Options
}

// missing lists the requirements that a password does not meet, in Firebase's words.
func (p *Options) missing(password string) []string {
	has := func(alphabet string) bool { return strings.ContainsAny(password, alphabet) }
	on := func(setting *bool) bool { return setting != nil && *setting }
	var out []string
	require := func(required, met bool, text string) {
		if required && !met {
			out = append(out, text)
		}
	}
	require(true, Units(password) >= max(p.MinPasswordLength, minLength), "Password must contain at least "+strconv.Itoa(max(p.MinPasswordLength, minLength))+" characters")
	require(p.MaxPasswordLength > 0, Units(password) <= p.MaxPasswordLength, "Password must contain at most "+strconv.Itoa(p.MaxPasswordLength)+" characters")
	require(on(p.ContainsLowercaseCharacter), has("abcdefghijklmnopqrstuvwxyz"), "Password must contain a lower case character")
	require(on(p.ContainsUppercaseCharacter), has("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), "Password must contain an upper case character")
	require(on(p.ContainsNumericCharacter), has("0123456789"), "Password must contain a numeric character")
	require(on(p.ContainsNonAlphanumericCharacter), has(Special), "Password must contain a non-alphanumeric character")
	return out
}

// Check returns an error if a password does not meet the policy.
func (p *Options) Check(password string) error {
	if out := p.missing(password); len(out) > 0 {
		return apierror.New("PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [%s]", strings.Join(out, ", "))
	}
	return nil
}

// CheckNew returns an error if a new password is too long, too short or does not meet the enforced policy.
func (p *Settings) CheckNew(password string) error {
	if Units(password) > MaxLength {
		return apierror.New("PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password must contain at most %d characters]", MaxLength)
	}
	if policy := p.Enforced(); policy != nil {
		return policy.Check(password)
	}
	if Units(password) < minLength {
		return apierror.New("WEAK_PASSWORD : Password should be at least %d characters", minLength)
	}
	return nil
}

// Shown returns the requirements as clients read them, with the limits that hold without a policy.
func (p *Settings) Shown() Options {
	policy := p.Enforced()
	if policy == nil {
		return Options{MinPasswordLength: minLength, MaxPasswordLength: MaxLength}
	}
	shown := *policy
	shown.MinPasswordLength = max(policy.MinPasswordLength, minLength)
	if policy.MaxPasswordLength == 0 {
		shown.MaxPasswordLength = MaxLength
	}
	return shown
}

// Units returns the length of a string in UTF-16 units, as the API counts.
func Units(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}
