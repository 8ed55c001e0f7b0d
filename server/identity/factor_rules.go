package identity

import (
	"slices"

	"clave/server/account"
	"clave/server/fault"
	"clave/server/identity/apierror"
)

// MFASettings holds the settings of second factors of a project or a tenant.
type MFASettings struct {
	State            string              `json:"state,omitempty"`
	EnabledProviders []string            `json:"enabledProviders,omitzero"`
	ProviderConfigs  []MFAProviderConfig `json:"providerConfigs,omitempty"`
}

// MFAProviderConfig switches a kind of second factor on or off; authenticator apps are the only kind.
type MFAProviderConfig struct {
	State      string `json:"state,omitempty"`
	TOTPConfig *struct {
		AdjacentIntervals *int `json:"adjacentIntervals,omitempty"`
	} `json:"totpProviderConfig,omitempty"`
}

// maxIntervals is the maximum tolerance for the clock of an app, in periods.
const maxIntervals = 10

// check refuses settings that the API does not allow.
func (m *MFASettings) check() error {
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

// enabled reports whether a state is one of those that switch something on.
func enabled(state string) bool { return state == "ENABLED" || state == "MANDATORY" }

// factorRules describes which second factors are available.
type factorRules struct {
	// sms and totp report whether phones and authenticator apps may be enrolled.
	sms, totp bool
	// required reports whether sign-ins of users with a factor require it.
	required bool
	// window is the tolerance for the clock of an app in either direction, in periods.
	window int
}

// factorRules returns the rules that follow from the settings. Factors are off unless the settings enable them. Under
// `clave start` a project without such settings has all of them, as in the official emulator. A user with a factor has
// to present it unless all factors are off.
func (s *Service) factorRules(cfg *Config, tenant *Tenant) factorRules {
	m, friendly := &cfg.MFA, s.o.Emulator
	if tenant != nil {
		if m, friendly = tenant.MFAConfig, false; m == nil {
			m = &MFASettings{}
		}
	}
	silent := m.State == "" || m.State == "STATE_UNSPECIFIED"
	r := factorRules{window: totpWindow, totp: friendly && (silent || enabled(m.State))}
	r.sms = (enabled(m.State) || silent && friendly) && (slices.Contains(m.EnabledProviders, "PHONE_SMS") || m.EnabledProviders == nil && friendly)
	for _, p := range m.ProviderConfigs {
		if p.TOTPConfig == nil {
			continue
		}
		r.totp = enabled(p.State)
		if n := p.TOTPConfig.AdjacentIntervals; n != nil {
			r.window = *n
		}
	}
	r.required = m.State != "DISABLED" || r.totp
	return r
}

// requires reports whether a user must present a second factor.
func (r factorRules) requires(u *account.User) bool { return r.required && len(u.Factors) > 0 }

// mayEnroll returns an error if the kind of factor is off.
func (r factorRules) mayEnroll(app bool) error {
	switch {
	case app && !r.totp:
		return apiError("OPERATION_NOT_ALLOWED : TOTP based MFA not enabled.")
	case !app && !r.sms:
		return apiError("OPERATION_NOT_ALLOWED : SMS based MFA not enabled.")
	}
	return nil
}
