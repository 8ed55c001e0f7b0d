package identity

import (
	"context"
	"strings"
)

// PolicyOptions holds the requirements of a password policy.
type PolicyOptions struct {
	MinPasswordLength                int   `json:"minPasswordLength,omitempty"`
	MaxPasswordLength                int   `json:"maxPasswordLength,omitempty"`
	ContainsLowercaseCharacter       *bool `json:"containsLowercaseCharacter,omitempty"`
	ContainsUppercaseCharacter       *bool `json:"containsUppercaseCharacter,omitempty"`
	ContainsNumericCharacter         *bool `json:"containsNumericCharacter,omitempty"`
	ContainsNonAlphanumericCharacter *bool `json:"containsNonAlphanumericCharacter,omitempty"`
}

// PolicyConfig is a password policy and whether it is enforced.
type PolicyConfig struct {
	EnforcementState     string `json:"passwordPolicyEnforcementState"`
	ForceUpgradeOnSignin bool   `json:"forceUpgradeOnSignin"`
	Versions             []struct {
		Options PolicyOptions `json:"customStrengthOptions"`
	} `json:"passwordPolicyVersions"`
}

// special are the characters that count as non-alphanumeric.
const special = "^$*.[]{}()?\"!@#%&/\\,><':;|_~"

// check refuses an unknown enforcement state.
func (p *PolicyConfig) check() error {
	return among("password_policy_config.password_policy_enforcement_state", p.EnforcementState, "PASSWORD_POLICY_ENFORCEMENT_STATE_UNSPECIFIED", "OFF", "ENFORCE")
}

// enforcedPolicy returns the policy that new passwords must meet, or nil when none is enforced.
func (cfg *Config) enforcedPolicy() *PolicyOptions {
	p := &cfg.PasswordPolicyConfig
	if p.EnforcementState != "ENFORCE" || len(p.Versions) == 0 {
		return nil
	}
	return &p.Versions[0].Options
}

// missing lists the requirements that a password does not meet, in Firebase's words.
func (p *PolicyOptions) missing(password string) []string {
	has := func(alphabet string) bool { return strings.ContainsAny(password, alphabet) }
	var out []string
	require := func(required, met bool, text string) {
		if required && !met {
			out = append(out, text)
		}
	}
	require(true, units(password) >= max(p.MinPasswordLength, 6), "Password must contain at least "+itoa(max(p.MinPasswordLength, 6))+" characters")
	require(p.MaxPasswordLength > 0, units(password) <= p.MaxPasswordLength, "Password must contain at most "+itoa(p.MaxPasswordLength)+" characters")
	require(boolOr(p.ContainsLowercaseCharacter, false), has("abcdefghijklmnopqrstuvwxyz"), "Password must contain a lower case character")
	require(boolOr(p.ContainsUppercaseCharacter, false), has("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), "Password must contain an upper case character")
	require(boolOr(p.ContainsNumericCharacter, false), has("0123456789"), "Password must contain a numeric character")
	require(boolOr(p.ContainsNonAlphanumericCharacter, false), has(special), "Password must contain a non-alphanumeric character")
	return out
}

// check returns an error if a password does not meet the policy.
func (p *PolicyOptions) check(password string) error {
	if out := p.missing(password); len(out) > 0 {
		return apiError("PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [%s]", strings.Join(out, ", "))
	}
	return nil
}

// PolicyRequest reads the password policy.
type PolicyRequest struct{}

// PolicyResponse is a password policy as clients read it.
type PolicyResponse struct {
	CustomStrengthOptions            PolicyOptions `json:"customStrengthOptions"`
	SchemaVersion                    int           `json:"schemaVersion"`
	AllowedNonAlphanumericCharacters []string      `json:"allowedNonAlphanumericCharacters"`
	EnforcementState                 string        `json:"enforcementState"`
	ForceUpgradeOnSignin             bool          `json:"forceUpgradeOnSignin"`
}

// PasswordPolicy returns the password policy to clients.
func (s *Service) PasswordPolicy(ctx context.Context, c Call, _ *PolicyRequest) (*PolicyResponse, error) {
	cfg, _, err := s.settings(ctx, &c)
	if err != nil {
		return nil, err
	}
	r := &PolicyResponse{
		CustomStrengthOptions: PolicyOptions{MinPasswordLength: 6, MaxPasswordLength: maxPassword}, SchemaVersion: 1, EnforcementState: "ENFORCE",
		AllowedNonAlphanumericCharacters: strings.Split(special, ""), ForceUpgradeOnSignin: cfg.PasswordPolicyConfig.ForceUpgradeOnSignin,
	}
	if policy := cfg.enforcedPolicy(); policy != nil {
		r.CustomStrengthOptions = *policy
		r.CustomStrengthOptions.MinPasswordLength = max(policy.MinPasswordLength, 6)
		if policy.MaxPasswordLength == 0 {
			r.CustomStrengthOptions.MaxPasswordLength = maxPassword
		}
	}
	return r, nil
}
