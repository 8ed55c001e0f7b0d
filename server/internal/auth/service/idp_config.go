package service

import (
	"cmp"
	"context"
	"strings"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/auth/service/settings"
	"clave/server/internal/base/fault"
)

// IdpConfigRequest names or holds the configuration of an identity provider.
type IdpConfigRequest struct {
	// Kind is oauthIdpConfigs, inboundSamlConfigs or defaultSupportedIdpConfigs.
	Kind, ID  string
	Mask      []string
	Body      map[string]any
	PageSize  int
	PageToken string
}

// name returns the full name of a configuration.
func (r *IdpConfigRequest) name(c Call) string {
	name := "projects/" + c.Project
	if c.Tenant != "" {
		name += "/tenants/" + c.Tenant
	}
	return name + "/" + r.Kind + "/" + r.ID
}

// noConfig returns the error for a configuration that does not exist.
func noConfig() error { return fault.E(fault.NotFound, "CONFIGURATION_NOT_FOUND") }

// CreateIdpConfig stores a new configuration.
func (s *Service) CreateIdpConfig(ctx context.Context, c Call, r *IdpConfigRequest) (map[string]any, error) {
	if r.ID == "" {
		r.ID, _ = r.Body["name"].(string)
		r.ID = r.ID[strings.LastIndexByte(r.ID, '/')+1:]
	}
	if r.ID == "" {
		return nil, apierror.New("MISSING_CONFIG_ID")
	}
	if !idp.ValidID(r.Kind, r.ID) {
		return nil, apierror.New("INVALID_CONFIG_ID")
	}
	delete(r.Body, "tenantId")
	r.Body["name"] = r.name(c)
	if r.Body["responseType"] == nil && r.Kind == idp.OIDC {
		r.Body["responseType"] = map[string]any{"idToken": true} // As in production. The Admin SDKs' own tests depend on it.
	}
	if err := cmp.Or(s.knownTenant(ctx, c), s.checkSecrets(r), idp.CheckConfig(r.Kind, r.ID, r.Body), idp.CheckCertificates(r.Body)); err != nil {
		return nil, err
	}
	idp.CleanConfig(r.Body)
	if err := s.keepSigning(r, r.Body, idp.Signing{}, idp.NewSigner(s.now(c.Project))); err != nil {
		return nil, err
	}
	s.seal(c, r, r.Body)
	err := s.accounts.Change(ctx, c.scope(), []string{"\x00" + r.Kind}, func(ch *account.Change) error {
		var old map[string]any
		found, err := ch.Load(r.Kind, r.ID, &old)
		if err != nil || found {
			return cmp.Or(err, apierror.New("CONFIGURATION_EXISTS"))
		}
		return ch.Save(r.Kind, r.ID, r.Body)
	})
	return s.shownIdpConfig(r.Body), err
}

// shownIdpConfig returns a stored configuration as the API shows it: without secrets. As on the official emulator, the
// server of a developer shows those that it has in plain text.
func (s *Service) shownIdpConfig(stored map[string]any) map[string]any {
	idp.WithoutSecrets(stored, s.o.Emulator)
	return stored
}

// GetIdpConfig returns a configuration.
func (s *Service) GetIdpConfig(_ context.Context, c Call, r *IdpConfigRequest) (map[string]any, error) {
	var stored map[string]any
	found, err := s.accounts.Load(c.scope(), r.Kind, r.ID, &stored)
	if err != nil || !found {
		return nil, cmp.Or(err, noConfig())
	}
	return s.shownIdpConfig(stored), nil
}

// UpdateIdpConfig changes a configuration.
func (s *Service) UpdateIdpConfig(ctx context.Context, c Call, r *IdpConfigRequest) (map[string]any, error) {
	// Not the stored certificates: a provider whose stored one is not valid can be disabled.
	if err := cmp.Or(s.checkSecrets(r), idp.CheckCertificates(r.Body)); err != nil {
		return nil, err
	}
	stored, signer := make(map[string]any), idp.NewSigner(s.now(c.Project))
	if err := s.prepareSigning(c, r, signer); err != nil {
		return nil, err
	}
	err := s.accounts.Change(ctx, c.scope(), []string{"\x00" + r.Kind}, func(ch *account.Change) error {
		found, err := ch.Load(r.Kind, r.ID, &stored)
		if err != nil || !found {
			return cmp.Or(err, noConfig())
		}
		before := idp.SigningOf(stored)
		settings.ApplyMask(stored, r.Body, r.Mask)
		if err := idp.CheckConfig(r.Kind, r.ID, stored); err != nil {
			return err
		}
		if err := s.keepSigning(r, stored, before, signer); err != nil {
			return err
		}
		idp.CleanConfig(stored)
		stored["name"] = r.name(c)
		s.seal(c, r, stored)
		return ch.Save(r.Kind, r.ID, stored)
	})
	return s.shownIdpConfig(stored), err
}

// DeleteIdpConfig removes a configuration.
func (s *Service) DeleteIdpConfig(ctx context.Context, c Call, r *IdpConfigRequest) (*struct{}, error) {
	return &struct{}{}, s.accounts.Change(ctx, c.scope(), []string{"\x00" + r.Kind}, func(ch *account.Change) error {
		var stored map[string]any
		found, err := ch.Load(r.Kind, r.ID, &stored)
		if err != nil || !found {
			return cmp.Or(err, noConfig())
		}
		ch.Remove(r.Kind, r.ID)
		return nil
	})
}

// ListIdpConfigs returns a page of configurations, in the order of their ids.
func (s *Service) ListIdpConfigs(ctx context.Context, c Call, r *IdpConfigRequest) (map[string]any, error) {
	if r.PageSize <= 0 || r.PageSize > maxBatch {
		r.PageSize = pageSize
	}
	var list []map[string]any
	res, last := make(map[string]any), ""
	err := s.accounts.Items(ctx, c.scope(), r.Kind, func(id string, decode func(any) error) error {
		if id <= r.PageToken && r.PageToken != "" || res["nextPageToken"] != nil {
			return nil
		}
		if len(list) == r.PageSize {
			res["nextPageToken"] = last
			return nil
		}
		last = id
		stored := make(map[string]any)
		err := decode(&stored)
		list = append(list, s.shownIdpConfig(stored))
		return err
	})
	if len(list) > 0 {
		res[r.Kind] = list
	}
	return res, err
}
