package service

import (
	"cmp"
	"context"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/factor"
	"clave/server/internal/auth/service/settings"
	"clave/server/internal/base/randid"
)

// checkTenant returns an error if the call's tenant is disabled or was deleted. In the official emulator every tenant
// exists.
func (s *Service) checkTenant(c Call) error {
	if c.Tenant == "" || c.Transfer {
		return nil
	}
	var t settings.Tenant
	found, err := s.accounts.Load(c.root(), settings.TenantItem, c.Tenant, &t)
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

// tenant returns a tenant's settings. The official emulator creates unknown tenants, with everything enabled.
func (s *Service) tenant(ctx context.Context, c Call, id string) (*settings.Tenant, error) {
	t := &settings.Tenant{}
	found, err := s.accounts.Load(c.root(), settings.TenantItem, id, t)
	if err != nil || found {
		return t, err
	}
	if !s.o.EmulatorSettings || !settings.ValidTenantID(id) {
		return nil, apierror.New("TENANT_NOT_FOUND")
	}
	*t = settings.Tenant{
		Name: "projects/" + c.Project + "/tenants/" + id, TenantID: id, AllowPasswordSignup: true, EnableEmailLinkSignin: true, EnableAnonymousUser: true,
		MFAConfig: &factor.Settings{State: "ENABLED", EnabledProviders: []string{"PHONE_SMS"}},
	}
	return t, s.accounts.Change(ctx, c.root(), nil, func(ch *account.Change) error { return ch.Save(settings.TenantItem, id, t) })
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
	// Stored requests the settings as they are stored, for exports.
	Stored bool `json:"-"`
	// PageSize and PageToken choose a page of the list.
	PageSize  int    `json:"-"`
	PageToken string `json:"-"`
}

// shownTenant returns a tenant's settings as the API shows them.
func (s *Service) shownTenant(r *TenantRequest, t *settings.Tenant) *settings.Tenant {
	if r.Stored || s.o.AsEmulator {
		return t
	}
	return t.Shown()
}

// TenantList is a page of tenants.
type TenantList struct {
	Tenants       []*settings.Tenant `json:"tenants"`
	NextPageToken string             `json:"nextPageToken,omitempty"`
}

// CreateTenant creates a tenant with a new id.
func (s *Service) CreateTenant(ctx context.Context, c Call, r *TenantRequest) (*settings.Tenant, error) {
	if err := s.checkBuilt(r.Body, nil); err != nil {
		return nil, err
	}
	t := &settings.Tenant{}
	if err := t.Decode(r.Body); err != nil {
		return nil, err
	}
	t.EnsureFactors()
	if err := t.Check(); err != nil {
		return nil, err
	}
	prefix := t.DisplayName
	if len(prefix) < 4 || len(prefix) > 20 || !settings.ValidTenantID(prefix) {
		prefix = "tenant"
	}
	t.TenantID = prefix + "-" + randid.From(5, "abcdefghijklmnopqrstuvwxyz0123456789")
	t.Name = "projects/" + c.Project + "/tenants/" + t.TenantID
	return s.shownTenant(r, t), s.accounts.Change(ctx, c.root(), nil, func(ch *account.Change) error { return ch.Save(settings.TenantItem, t.TenantID, t) })
}

// GetTenant returns a tenant.
func (s *Service) GetTenant(ctx context.Context, c Call, r *TenantRequest) (*settings.Tenant, error) {
	t, err := s.tenant(ctx, c, r.ID)
	if err != nil {
		return nil, err
	}
	settings.DropDefender(t.RecaptchaConfig)
	return s.shownTenant(r, t), nil
}

// UpdateTenant changes the fields of the mask. Without a mask it replaces all settings by the given ones and the
// defaults.
func (s *Service) UpdateTenant(ctx context.Context, c Call, r *TenantRequest) (*settings.Tenant, error) {
	if _, err := s.tenant(ctx, c, r.ID); err != nil {
		return nil, err
	}
	if err := s.checkBuilt(r.Body, r.Mask); err != nil {
		return nil, err
	}
	t := &settings.Tenant{}
	err := s.accounts.Change(ctx, c.root(), []string{"\x00" + settings.TenantItem + r.ID}, func(ch *account.Change) error {
		raw := make(map[string]any)
		if _, err := ch.Load(settings.TenantItem, r.ID, &raw); err != nil {
			return err
		}
		if len(r.Mask) == 0 {
			raw = r.Body
		} else {
			settings.DropDefender(raw["recaptchaConfig"])
			settings.OneRegionPolicy(raw, r.Body)
			settings.ApplyMask(raw, r.Body, r.Mask)
		}
		if err := t.Decode(raw); err != nil {
			return err
		}
		t.EnsureFactors()
		if err := t.Check(); err != nil {
			return err
		}
		t.TenantID, t.Name = r.ID, "projects/"+c.Project+"/tenants/"+r.ID
		return ch.Save(settings.TenantItem, r.ID, t)
	})
	// Open streams of the tenant's users must end at once, not only when their tokens expire.
	if err == nil && t.DisableAuth {
		s.accounts.Revoked(account.Revocation{Scope: account.Scope{Project: c.Project, Tenant: r.ID}})
	}
	if err != nil {
		return nil, err
	}
	return s.shownTenant(r, t), nil
}

// DeleteTenant removes a tenant and its accounts.
func (s *Service) DeleteTenant(ctx context.Context, c Call, r *TenantRequest) (*struct{}, error) {
	var t settings.Tenant
	found, err := s.accounts.Load(c.root(), settings.TenantItem, r.ID, &t)
	if err != nil || !found {
		return nil, cmp.Or(err, apierror.New("TENANT_NOT_FOUND"))
	}
	err = s.accounts.Change(ctx, c.root(), []string{"\x00" + settings.TenantItem + r.ID}, func(ch *account.Change) error {
		ch.Remove(settings.TenantItem, r.ID)
		return nil
	})
	if err == nil {
		err = s.dropIdpConfigs(ctx, account.Scope{Project: c.Project, Tenant: r.ID})
	}
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
	res := &TenantList{Tenants: []*settings.Tenant{}}
	return res, s.accounts.Items(ctx, c.root(), settings.TenantItem, func(id string, decode func(any) error) error {
		if id <= r.PageToken && r.PageToken != "" || res.NextPageToken != "" {
			return nil
		}
		t := &settings.Tenant{}
		if err := decode(t); err != nil {
			return err
		}
		settings.DropDefender(t.RecaptchaConfig)
		if res.Tenants = append(res.Tenants, s.shownTenant(r, t)); len(res.Tenants) == r.PageSize {
			res.NextPageToken = id // set for the last page too: clients continue until a page has no tenants
		}
		return nil
	})
}
