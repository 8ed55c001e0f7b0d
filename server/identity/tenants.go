package identity

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"

	"clave/server/account"
	"clave/server/identity/apierror"
	"clave/server/identity/factor"
	"clave/server/randid"
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
	EmailPrivacyConfig    map[string]any    `json:"emailPrivacyConfig,omitempty"`
	// The following fields are stored and returned, but have no effect.
	AutodeleteAnonymousUsers bool           `json:"autodeleteAnonymousUsers,omitempty"`
	SMSRegionConfig          map[string]any `json:"smsRegionConfig,omitempty"`
	RecaptchaConfig          map[string]any `json:"recaptchaConfig,omitempty"`
	Monitoring               map[string]any `json:"monitoring,omitempty"`
	Inheritance              map[string]any `json:"inheritance,omitempty"`
}

// forbids reports whether the tenant's setting of this name disables an action of clients.
func (t *Tenant) forbids(name string) bool {
	if t == nil {
		return false
	}
	permissions, _ := t.Client["permissions"].(map[string]any)
	off, _ := permissions[name].(bool)
	return off
}

// check refuses invalid settings.
func (t *Tenant) check() error {
	cfg := &Config{}
	return cmp.Or(t.MFAConfig.Check(), t.overrule(cfg), cfg.PasswordPolicyConfig.Check())
}

// tenantItem is the kind of item that stores tenants.
const tenantItem = "tenant"

// tenantForm matches the form of a tenant's id.
var tenantForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// tenant returns a tenant's settings. The official emulator creates unknown tenants, with everything enabled.
func (s *Service) tenant(ctx context.Context, c Call, id string) (*Tenant, error) {
	t := &Tenant{}
	found, err := s.accounts.Load(c.root(), tenantItem, id, t)
	if err != nil || found {
		return t, err
	}
	if !s.o.EmulatorSettings || !tenantForm.MatchString(id) {
		return nil, apierror.New("TENANT_NOT_FOUND")
	}
	*t = Tenant{
		Name: "projects/" + c.Project + "/tenants/" + id, TenantID: id, AllowPasswordSignup: true, EnableEmailLinkSignin: true, EnableAnonymousUser: true,
		MFAConfig: &factor.Settings{State: "ENABLED", EnabledProviders: []string{"PHONE_SMS"}},
	}
	return t, s.accounts.Change(ctx, c.root(), nil, func(ch *account.Change) error { return ch.Save(tenantItem, id, t) })
}

// knownTenant returns an error when the call's tenant does not exist.
func (s *Service) knownTenant(ctx context.Context, c Call) error {
	if c.Tenant == "" {
		return nil
	}
	_, err := s.tenant(ctx, c, c.Tenant)
	return err
}

// usableTenant returns an error if the call's tenant does not exist or is disabled. Even administrators can't manage
// the accounts of such a tenant.
func (s *Service) usableTenant(ctx context.Context, c Call) error {
	if err := s.knownTenant(ctx, c); err != nil || c.Transfer {
		return err
	}
	return s.checkTenant(c)
}

// TenantRequest names a tenant or holds its settings.
type TenantRequest struct {
	// ID is the tenant's id from the path.
	ID string `json:"-"`
	// Mask lists the fields to change.
	Mask []string `json:"-"`
	// Body is the request's body.
	Body map[string]any `json:"-"`
	// PageSize and PageToken choose a page of the list.
	PageSize  int    `json:"-"`
	PageToken string `json:"-"`
}

// TenantList is a page of tenants.
type TenantList struct {
	Tenants       []*Tenant `json:"tenants"`
	NextPageToken string    `json:"nextPageToken,omitempty"`
}

// CreateTenant creates a tenant with a new id.
func (s *Service) CreateTenant(ctx context.Context, c Call, r *TenantRequest) (*Tenant, error) {
	t := &Tenant{}
	if err := decodeOver(r.Body, t); err != nil {
		return nil, err
	}
	t.ensureFactors()
	if err := t.check(); err != nil {
		return nil, err
	}
	prefix := t.DisplayName
	if len(prefix) < 4 || len(prefix) > 20 || !tenantForm.MatchString(prefix) {
		prefix = "tenant"
	}
	t.TenantID = prefix + "-" + randid.From(5, "abcdefghijklmnopqrstuvwxyz0123456789")
	t.Name = "projects/" + c.Project + "/tenants/" + t.TenantID
	return t, s.accounts.Change(ctx, c.root(), nil, func(ch *account.Change) error { return ch.Save(tenantItem, t.TenantID, t) })
}

// ensureFactors sets the defaults of the settings of second factors: off.
func (t *Tenant) ensureFactors() {
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

// decodeOver decodes JSON values over a struct.
func decodeOver(body map[string]any, into any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return wrongType(json.Unmarshal(encoded, into))
}

// GetTenant returns a tenant.
func (s *Service) GetTenant(ctx context.Context, c Call, r *TenantRequest) (*Tenant, error) {
	return s.tenant(ctx, c, r.ID)
}

// UpdateTenant changes the fields of the mask. Without a mask it replaces all settings by the given ones and the
// defaults.
func (s *Service) UpdateTenant(ctx context.Context, c Call, r *TenantRequest) (*Tenant, error) {
	if _, err := s.tenant(ctx, c, r.ID); err != nil {
		return nil, err
	}
	t := &Tenant{}
	err := s.accounts.Change(ctx, c.root(), []string{"\x00" + tenantItem + r.ID}, func(ch *account.Change) error {
		raw := make(map[string]any)
		if _, err := ch.Load(tenantItem, r.ID, &raw); err != nil {
			return err
		}
		if len(r.Mask) == 0 {
			raw = r.Body
		} else {
			applyMask(raw, r.Body, r.Mask)
		}
		if err := decodeOver(raw, t); err != nil {
			return err
		}
		t.ensureFactors()
		if err := t.check(); err != nil {
			return err
		}
		t.TenantID, t.Name = r.ID, "projects/"+c.Project+"/tenants/"+r.ID
		return ch.Save(tenantItem, r.ID, t)
	})
	// Open streams of the tenant's users must end at once, not only when their tokens expire.
	if err == nil && t.DisableAuth {
		s.accounts.Revoked(account.Revocation{Scope: account.Scope{Project: c.Project, Tenant: r.ID}})
	}
	return t, err
}

// DeleteTenant removes a tenant and its accounts.
func (s *Service) DeleteTenant(ctx context.Context, c Call, r *TenantRequest) (*struct{}, error) {
	var t Tenant
	found, err := s.accounts.Load(c.root(), tenantItem, r.ID, &t)
	if err != nil || !found {
		return nil, cmp.Or(err, apierror.New("TENANT_NOT_FOUND"))
	}
	err = s.accounts.Change(ctx, c.root(), []string{"\x00" + tenantItem + r.ID}, func(ch *account.Change) error {
		ch.Remove(tenantItem, r.ID)
		return nil
	})
	if err != nil {
		return nil, err
	}
	// The accounts are removed last: no session of a removed tenant is valid, even if the program ends before they are
	// removed.
	return &struct{}{}, s.accounts.Clear(ctx, account.Scope{Project: c.Project, Tenant: r.ID})
}

// ListTenants returns a page of the tenants, in the order of their ids.
func (s *Service) ListTenants(ctx context.Context, c Call, r *TenantRequest) (*TenantList, error) {
	if r.PageSize <= 0 || r.PageSize > maxBatch {
		r.PageSize = pageSize
	}
	res := &TenantList{Tenants: []*Tenant{}}
	return res, s.accounts.Items(ctx, c.root(), tenantItem, func(id string, decode func(any) error) error {
		if id <= r.PageToken && r.PageToken != "" || res.NextPageToken != "" {
			return nil
		}
		t := &Tenant{}
		if res.Tenants = append(res.Tenants, t); len(res.Tenants) == r.PageSize {
			res.NextPageToken = id // set for the last page too: clients continue until a page has no tenants
		}
		return decode(t)
	})
}
