package identity

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"clave/server/account"
	"clave/server/fault"
	"clave/server/identity/apierror"
	"clave/server/identity/blocking"
	"clave/server/identity/factor"
	"clave/server/identity/passpolicy"
)

// Config holds a project's settings: the part of the API's Config that has an effect.
type Config struct {
	SignIn struct {
		AllowDuplicateEmails bool `json:"allowDuplicateEmails"`
		Email                *struct {
			Enabled          *bool `json:"enabled"`
			PasswordRequired *bool `json:"passwordRequired"`
		} `json:"email"`
		PhoneNumber struct {
			Enabled          *bool             `json:"enabled"`
			TestPhoneNumbers map[string]string `json:"testPhoneNumbers"`
		} `json:"phoneNumber"`
		Anonymous *struct {
			Enabled *bool `json:"enabled"`
		} `json:"anonymous"`
	} `json:"signIn"`
	EmailPrivacyConfig struct {
		EnableImprovedEmailPrivacy *bool `json:"enableImprovedEmailPrivacy"`
	} `json:"emailPrivacyConfig"`
	BlockingFunctions blocking.Settings `json:"blockingFunctions"`
	Client            struct {
		Permissions struct {
			DisabledUserSignup   *bool `json:"disabledUserSignup"`
			DisabledUserDeletion *bool `json:"disabledUserDeletion"`
		} `json:"permissions"`
	} `json:"client"`
	MFA                  factor.Settings     `json:"mfa"`
	PasswordPolicyConfig passpolicy.Settings `json:"passwordPolicyConfig"`
	AuthorizedDomains    []string            `json:"authorizedDomains"`
}

// privacy reports whether addresses are protected from enumeration.
func (s *Service) privacy(cfg *Config) bool {
	if p := cfg.EmailPrivacyConfig.EnableImprovedEmailPrivacy; p != nil {
		return *p
	}
	return !s.o.EmulatorSettings
}

// boolOr returns a setting, or def when it is not set.
func boolOr(setting *bool, def bool) bool {
	if setting == nil {
		return def
	}
	return *setting
}

// configItem is the kind of item that stores settings.
const configItem = "config"

// rawConfig returns a project's settings as they were given.
func (s *Service) rawConfig(root account.Scope) (map[string]any, error) {
	raw := make(map[string]any)
	_, err := s.accounts.Load(root, configItem, "", &raw)
	return raw, err
}

// config returns a project's settings.
func (s *Service) config(c Call) (*Config, error) {
	cfg := &Config{}
	if _, err := s.accounts.Load(c.root(), configItem, "", cfg); err != nil {
		return nil, err
	}
	return cfg, nil
}

// settings returns the settings that hold for the call: the project's, with the tenant's where it has its own.
func (s *Service) settings(ctx context.Context, c *Call) (*Config, *Tenant, error) {
	cfg, err := s.config(*c)
	if err != nil || c.Tenant == "" {
		return cfg, nil, err
	}
	tenant, err := s.tenant(ctx, *c, c.Tenant)
	if err != nil {
		return nil, nil, err
	}
	if tenant.DisableAuth {
		return nil, nil, apierror.New("PROJECT_DISABLED")
	}
	return cfg, tenant, tenant.overrule(cfg)
}

// overrule replaces the project's settings with the tenant's own ones.
func (t *Tenant) overrule(cfg *Config) error {
	if t.TestPhoneNumbers != nil {
		cfg.SignIn.PhoneNumber.TestPhoneNumbers = t.TestPhoneNumbers
	}
	if t.PasswordPolicyConfig != nil {
		cfg.PasswordPolicyConfig = passpolicy.Settings{}
		if err := decodeOver(t.PasswordPolicyConfig, &cfg.PasswordPolicyConfig); err != nil {
			return err
		}
	}
	if t.EmailPrivacyConfig != nil {
		return decodeOver(t.EmailPrivacyConfig, &cfg.EmailPrivacyConfig)
	}
	return nil
}

// checkTenant returns an error if the call's tenant is disabled or was deleted. In the official emulator every tenant exists.
func (s *Service) checkTenant(c Call) error {
	if c.Tenant == "" || c.Transfer {
		return nil
	}
	var t Tenant
	found, err := s.accounts.Load(c.root(), tenantItem, c.Tenant, &t)
	if err != nil {
		return err
	}
	if !found && !s.o.Emulator {
		return apierror.New("TENANT_NOT_FOUND")
	}
	if t.DisableAuth {
		return apierror.New("PROJECT_DISABLED")
	}
	return nil
}

// wrongType returns the API's error for a field whose value has the wrong type.
func wrongType(err error) error {
	if field := (*json.UnmarshalTypeError)(nil); errors.As(err, &field) {
		return fault.Wrap(err, fault.InvalidArgument, "Invalid value at '%s' (%s)", field.Field, field.Value)
	}
	return err
}

// saveConfig validates and stores settings.
func (s *Service) saveConfig(ctx context.Context, root account.Scope, edit func(raw map[string]any) error) (map[string]any, error) {
	var raw map[string]any
	err := s.accounts.Change(ctx, root, []string{"\x00" + configItem}, func(ch *account.Change) error {
		raw = make(map[string]any)
		if _, err := ch.Load(configItem, "", &raw); err != nil {
			return err
		}
		if err := edit(raw); err != nil {
			return err
		}
		text, err := json.Marshal(raw)
		if err != nil {
			return err
		}
		var cfg Config
		if err := wrongType(json.Unmarshal(text, &cfg)); err != nil {
			return err
		}
		if err := cmp.Or(cfg.MFA.Check(), cfg.PasswordPolicyConfig.Check(), cfg.BlockingFunctions.Check()); err != nil {
			return err
		}
		return ch.Save(configItem, "", raw)
	})
	return raw, err
}
