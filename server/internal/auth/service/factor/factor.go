// Package factor decides by settings which second factors are available, and who must present one.
package factor

import (
	"slices"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/base/fault"
)

// Settings holds the settings of second factors of a project or a tenant.
type Settings struct {
	State            string           `json:"state,omitempty"`
	EnabledProviders []string         `json:"enabledProviders,omitzero"`
	ProviderConfigs  []ProviderConfig `json:"providerConfigs,omitempty"`
}

// ProviderConfig switches a kind of second factor on or off; authenticator apps are the only kind.
type ProviderConfig struct {
	State      string `json:"state,omitempty"`
	TOTPConfig *struct {
		AdjacentIntervals *int `json:"adjacentIntervals,omitempty"`
	} `json:"totpProviderConfig,omitempty"`
}

// maxIntervals is the maximum tolerance for the clock of an app, in periods.
const maxIntervals = 10

// Check refuses settings that the API does not allow.
func (m *Settings) Check() error {
	if m == nil {
		return nil
	}
	if err := apierror.Choice("mfa.state", m.State, "STATE_UNSPECIFIED", "DISABLED", "ENABLED", "MANDATORY"); err != nil {
		return err
	}
	for _, name := range m.EnabledProviders {
		if err := apierror.Choice("mfa.enabled_providers", name, "PROVIDER_UNSPECIFIED", "PHONE_SMS"); err != nil {
			return err
		}
	}
	for _, p := range m.ProviderConfigs {
		if err := apierror.Choice("mfa.provider_configs.state", p.State, "MFA_STATE_UNSPECIFIED", "DISABLED", "ENABLED", "MANDATORY"); err != nil {
			return err
		}
		if p.TOTPConfig == nil || p.TOTPConfig.AdjacentIntervals == nil {
			continue
		}
		if n := *p.TOTPConfig.AdjacentIntervals; n < 0 || n > maxIntervals {
			return fault.E(fault.InvalidArgument, "INVALID_CONFIG : adjacentIntervals must be between 0 and %d.", maxIntervals)
		}
	}
	return nil
}

// defaultWindow is the default tolerance for a clock in either direction, in periods: three codes are valid at a time,
// each once. Firebase's own default is 5.
const defaultWindow = 1

// enabled reports whether a state is one of those that switch something on.
func enabled(state string) bool { return state == "ENABLED" || state == "MANDATORY" }

// Rules describes which second factors are available.
type Rules struct {
	// sms and totp report whether phones and authenticator apps may be enrolled.
	sms, totp bool
	// Required reports whether sign-ins of users with a factor require it.
	Required bool
	// Window is the tolerance for the clock of an app in either direction, in periods.
	Window int
}

// RulesOf returns the rules that follow from settings. Factors are off unless the settings enable them. friendly is set
// for a project under `clave start`: without such settings it has all of them, as in the official emulator. A user with
// a factor has to present it unless all factors are off. Nil settings are empty ones.
func RulesOf(m *Settings, friendly bool) Rules {
	if m == nil {
		m = &Settings{}
	}
	silent := m.State == "" || m.State == "STATE_UNSPECIFIED"
	r := Rules{Window: defaultWindow, totp: friendly && (silent || enabled(m.State))}
	r.sms = (enabled(m.State) || silent && friendly) && (slices.Contains(m.EnabledProviders, "PHONE_SMS") || m.EnabledProviders == nil && friendly)
	for _, p := range m.ProviderConfigs {
		if p.TOTPConfig == nil {
			continue
		}
		r.totp = enabled(p.State)
		if n := p.TOTPConfig.AdjacentIntervals; n != nil {
			r.Window = *n
		}
	}
	r.Required = m.State != "DISABLED" || r.totp
	return r
}

// Requires reports whether a user must present a second factor.
func (r Rules) Requires(u *account.User) bool { return r.Required && len(u.Factors) > 0 }

// MayEnroll returns an error if the kind of factor is off.
func (r Rules) MayEnroll(app bool) error {
	switch {
	case app && !r.totp:
		return apierror.New("OPERATION_NOT_ALLOWED : TOTP based MFA not enabled.")
	case !app && !r.sms:
		return apierror.New("OPERATION_NOT_ALLOWED : SMS based MFA not enabled.")
	}
	return nil
}
