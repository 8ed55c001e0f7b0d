package settings

import (
	"cmp"
	"encoding/json"

	"clave/server/internal/auth/service/factor"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/base/pattern"
)

// Tenant holds the settings of a tenant.
type Tenant struct {
	Name                  string            `json:"name,omitempty"`
	TenantID              string            `json:"tenantId,omitempty"`
	DisplayName           string            `json:"displayName,omitempty"`
	AllowPasswordSignup   bool              `json:"allowPasswordSignup"`
	EnableEmailLinkSignin bool              `json:"enableEmailLinkSignin"`
	EnableAnonymousUser   bool              `json:"enableAnonymousUser"`
	DisableAuth           bool              `json:"disableAuth"`
	MFAConfig             *factor.Settings  `json:"mfaConfig,omitempty"`
	Client                map[string]any    `json:"client,omitempty"`
	TestPhoneNumbers      map[string]string `json:"testPhoneNumbers,omitempty"`
	PasswordPolicyConfig  map[string]any    `json:"passwordPolicyConfig,omitempty"`
	EmailPrivacyConfig    map[string]any    `json:"emailPrivacyConfig,omitzero"`
	SMSRegionConfig       map[string]any    `json:"smsRegionConfig,omitempty"`
	// The following fields are stored and returned, but have no effect: CheckBuilt refuses what would turn them on.
	AutodeleteAnonymousUsers bool           `json:"autodeleteAnonymousUsers,omitempty"`
	RecaptchaConfig          map[string]any `json:"recaptchaConfig,omitempty"`
	Monitoring               map[string]any `json:"monitoring,omitempty"`
	Inheritance              map[string]any `json:"inheritance,omitempty"`
}

// Forbids reports whether the tenant's setting of this name disables an action of clients.
func (t *Tenant) Forbids(name string) bool {
	if t == nil {
		return false
	}
	permissions, _ := t.Client["permissions"].(map[string]any)
	off, _ := permissions[name].(bool)
	return off
}

// Check refuses invalid settings. It writes the test phone numbers in the form in which numbers are compared.
func (t *Tenant) Check() error {
	if t.TestPhoneNumbers != nil {
		clean, err := cleanNumbers(t.TestPhoneNumbers)
		if err != nil {
			return err
		}
		t.TestPhoneNumbers = clean
	}
	cfg := &Config{}
	regions := checkRegions(map[string]any{regionField: t.SMSRegionConfig}, "tenant")
	return cmp.Or(regions, t.MFAConfig.Check(), t.Overrule(cfg), cfg.PasswordPolicyConfig.Check())
}

// Shown returns the settings as the API shows them.
func (t *Tenant) Shown() *Tenant {
	shown := *t
	shown.EmailPrivacyConfig = WithoutFalse(t.EmailPrivacyConfig)
	return &shown
}

// Overrule replaces the project's settings with the tenant's own ones.
func (t *Tenant) Overrule(cfg *Config) error {
	if t.TestPhoneNumbers != nil {
		cfg.SignIn.PhoneNumber.TestPhoneNumbers = t.TestPhoneNumbers
	}
	if t.PasswordPolicyConfig != nil {
		cfg.PasswordPolicyConfig = field.PasswordPolicy{}
		if err := decode(t.PasswordPolicyConfig, &cfg.PasswordPolicyConfig); err != nil {
			return err
		}
	}
	if t.SMSRegionConfig != nil {
		cfg.SMSRegionConfig = Regions{}
		if err := decode(t.SMSRegionConfig, &cfg.SMSRegionConfig); err != nil {
			return err
		}
	}
	if t.EmailPrivacyConfig != nil {
		return decode(t.EmailPrivacyConfig, &cfg.EmailPrivacyConfig)
	}
	return nil
}

// TenantItem is the kind of item that stores tenants.
const TenantItem = "tenant"

// tenantID matches the form of a tenant's id.
var tenantID = pattern.New(`^[A-Za-z0-9_-]{1,64}$`)

// ValidTenantID reports whether an id may be a tenant's.
func ValidTenantID(id string) bool { return tenantID.MatchString(id) }

// EnsureFactors sets the defaults of the settings of second factors: off.
func (t *Tenant) EnsureFactors() {
	if t.MFAConfig == nil {
		t.MFAConfig = &factor.Settings{}
	}
	if t.MFAConfig.State == "" {
		t.MFAConfig.State = "DISABLED"
	}
	if t.MFAConfig.EnabledProviders == nil {
		t.MFAConfig.EnabledProviders = []string{}
	}
}

// Decode sets settings from JSON values.
func (t *Tenant) Decode(body map[string]any) error { return decode(body, t) }

// decode decodes JSON values over a struct.
func decode(body map[string]any, into any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return wrongType(json.Unmarshal(encoded, into))
}
