// Package settings has the settings of projects and tenants: their form, their checks, changes of some of their fields,
// and how they are stored.
//
// A project's settings are stored as they were given, so that fields without an effect are returned too. Config has the
// fields with an effect. The settings of a tenant are stored in the form of Tenant, in the scope of its project.
package settings

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/blocking"
	"clave/server/internal/auth/service/factor"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/base/fault"
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
	MFA                  factor.Settings      `json:"mfa"`
	PasswordPolicyConfig field.PasswordPolicy `json:"passwordPolicyConfig"`
	AuthorizedDomains    []string             `json:"authorizedDomains"`
	SMSRegionConfig      Regions              `json:"smsRegionConfig"`
}

// configItem is the kind of item that stores settings.
const configItem = "config"

// Raw returns a project's settings as they were given, or an empty map if none are stored. Its error is the store's.
func Raw(accounts *account.Store, root account.Scope) (map[string]any, error) {
	raw := make(map[string]any)
	_, err := accounts.Load(root, configItem, "", &raw)
	return raw, err
}

// Load returns a project's settings, or the defaults if none are stored. Its error is the store's.
func Load(accounts *account.Store, root account.Scope) (*Config, error) {
	cfg := &Config{}
	if _, err := accounts.Load(root, configItem, "", cfg); err != nil {
		return nil, err
	}
	return cfg, nil
}

// wrongType returns the API's error for a field whose value has the wrong type.
func wrongType(err error) error {
	if field := (*json.UnmarshalTypeError)(nil); errors.As(err, &field) {
		return fault.Wrap(err, fault.InvalidArgument, "Invalid value at '%s' (%s)", field.Field, field.Value)
	}
	return err
}

// Save changes and checks a project's settings and stores them. edit changes the settings as they were given.
func Save(ctx context.Context, accounts *account.Store, root account.Scope, edit func(raw map[string]any) error) (map[string]any, error) {
	var raw map[string]any
	err := accounts.Change(ctx, root, []string{"\x00" + configItem}, func(ch *account.Change) error {
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
		if err := cmp.Or(cleanTestNumbers(raw), checkRegions(raw, "config"), cfg.MFA.Check(), cfg.PasswordPolicyConfig.Check(), cfg.BlockingFunctions.Check()); err != nil {
			return err
		}
		return ch.Save(configItem, "", raw)
	})
	return raw, err
}
