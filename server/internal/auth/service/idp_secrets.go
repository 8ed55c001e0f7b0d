package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/base/fault"
)

// checkSecrets refuses a configuration with a secret that can't be sealed. A server of a developer seals none.
func (s *Service) checkSecrets(r *IdpConfigRequest) error {
	if !s.o.Emulator {
		idp.WithoutSigningKey(r.Body)
	}
	if err := idp.CheckSecrets(r.Body); err != nil {
		return err
	}
	if s.o.Secrets == nil && !s.o.Emulator && (idp.HasPlain(r.Body) || idp.SignsRequests(r.Body)) {
		return errUnsealed()
	}
	return nil
}

// errUnsealed is the error for a secret that can't be sealed.
func errUnsealed() error {
	return apierror.New("OPERATION_NOT_ALLOWED : The server stores no secrets of providers: it has no key to seal them. Start it with --secret-key-file (server/doc/providers.md).")
}

// keepSigning gives a configuration of a SAML provider the key with which its requests are signed, if they are. before
// is that of the configuration that is changed. A server of a developer sends none.
func (s *Service) keepSigning(r *IdpConfigRequest, config map[string]any, before idp.Signing, fresh func() (idp.NewKey, error)) error {
	if r.Kind != idp.SAML || s.o.Emulator {
		return nil
	}
	return idp.KeepSigning(config, before, func() (idp.NewKey, error) {
		if s.o.Secrets == nil {
			return idp.NewKey{}, errUnsealed()
		}
		return fresh()
	})
}

// prepareSigning makes the key that a change of a configuration is going to need, which takes long, before the accounts
// are locked for the change.
func (s *Service) prepareSigning(c Call, r *IdpConfigRequest, fresh func() (idp.NewKey, error)) error {
	if r.Kind != idp.SAML || s.o.Emulator || !idp.SignsRequests(r.Body) {
		return nil
	}
	var stored map[string]any
	if _, err := s.accounts.Load(c.scope(), r.Kind, r.ID, &stored); err != nil || idp.HasSigningKey(stored) {
		return err
	}
	_, err := fresh()
	return err
}

// place returns where a configuration is stored.
func (r *IdpConfigRequest) place(c Call) idp.Place {
	return idp.Place{Scope: c.scope(), Kind: r.Kind, ID: r.ID}
}

// seal seals the secrets of a configuration before it is stored.
func (s *Service) seal(c Call, r *IdpConfigRequest, config map[string]any) {
	if s.o.Secrets != nil {
		idp.Seal(config, r.place(c), s.o.Secrets, false)
	}
}

// eachIdpConfig calls do with the configurations of providers of all projects and tenants, as they are stored.
func (s *Service) eachIdpConfig(ctx context.Context, do func(at idp.Place, stored map[string]any) error) error {
	scopes, err := s.accounts.Scopes(ctx)
	if err != nil {
		return err
	}
	for _, scope := range scopes {
		for _, kind := range idp.Kinds {
			err := s.accounts.Items(ctx, scope, kind, func(id string, decode func(any) error) error {
				stored := make(map[string]any)
				if err := decode(&stored); err != nil {
					return err
				}
				return do(idp.Place{Scope: scope, Kind: kind, ID: id}, stored)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// SealSecrets seals the stored secrets of providers that are in plain text or were sealed with another key than the
// first. It returns FailedPrecondition, which names them, if some cannot be opened: then no user could sign in with
// these providers.
func (s *Service) SealSecrets(ctx context.Context) error {
	var stale []idp.Place
	var locked []string
	err := s.eachIdpConfig(ctx, func(at idp.Place, stored map[string]any) error {
		for _, reason := range idp.Locked(stored, at, s.o.Secrets) {
			in := "project " + at.Scope.Project
			if at.Scope.Tenant != "" {
				in += ", tenant " + at.Scope.Tenant
			}
			locked = append(locked, in+", "+reason)
		}
		switch {
		case s.o.Secrets != nil && idp.Seal(stored, at, s.o.Secrets, true):
			stale = append(stale, at)
		case s.o.Secrets == nil && idp.HasPlain(stored):
			s.o.Log.Warn("the secret of an identity provider is stored in plain text; start the server with --secret-key-file", "project", at.Scope.Project, "provider", at.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(locked) > 0 {
		return fault.E(fault.FailedPrecondition, "secrets of identity providers cannot be opened (%s): %s. Start with the key file that has their keys, or remove these providers with clave providers remove and add them again",
			s.o.Secrets.Names(), strings.Join(shortened(locked), "; "))
	}
	for _, at := range stale {
		if err := s.sealStored(ctx, at); err != nil {
			return fmt.Errorf("seal the secret of %s: %w", at.ID, err)
		}
	}
	if len(stale) > 0 {
		s.o.Log.Info("secrets of identity providers are sealed", "providers", len(stale))
	}
	return nil
}

// shortened returns at most ten lines, the last of which counts the others.
func shortened(lines []string) []string {
	const most = 10
	if len(lines) <= most {
		return lines
	}
	return append(slices.Clone(lines[:most-1]), fmt.Sprintf("and %d more", len(lines)-most+1))
}

// sealStored seals the secrets of a stored configuration.
func (s *Service) sealStored(ctx context.Context, at idp.Place) error {
	return s.accounts.Change(ctx, at.Scope, []string{"\x00" + at.Kind}, func(ch *account.Change) error {
		stored := make(map[string]any)
		found, err := ch.Load(at.Kind, at.ID, &stored)
		if err != nil || !found {
			return err
		}
		idp.Seal(stored, at, s.o.Secrets, true)
		return ch.Save(at.Kind, at.ID, stored)
	})
}

// dropIdpConfigs removes the configurations of the providers of a scope, with their secrets.
func (s *Service) dropIdpConfigs(ctx context.Context, scope account.Scope) error {
	return s.accounts.Change(ctx, scope, []string{"\x00" + idp.OIDC, "\x00" + idp.SAML, "\x00" + idp.Default}, func(ch *account.Change) error {
		for _, kind := range idp.Kinds {
			err := s.accounts.Items(ctx, scope, kind, func(id string, _ func(any) error) error {
				ch.Remove(kind, id)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// ExportedIdpConfig is the configuration of a provider in an export. It has no secrets.
type ExportedIdpConfig struct {
	Tenant string         `json:"tenantId,omitempty"`
	Kind   string         `json:"kind"`
	ID     string         `json:"id"`
	Config map[string]any `json:"config"`
	// Secrets names the secrets that the configuration had.
	Secrets []string `json:"secrets,omitempty"`
}

// ExportIdpConfigs returns the configurations of the providers of a project and its tenants, without secrets.
func (s *Service) ExportIdpConfigs(ctx context.Context, c Call) ([]ExportedIdpConfig, error) {
	all := []ExportedIdpConfig{}
	return all, s.eachIdpConfig(ctx, func(at idp.Place, stored map[string]any) error {
		if at.Scope.Project != c.Project {
			return nil
		}
		secrets := idp.WithoutSecrets(stored, false)
		delete(stored, "name") // It contains the project's id.
		all = append(all, ExportedIdpConfig{Tenant: at.Scope.Tenant, Kind: at.Kind, ID: at.ID, Config: stored, Secrets: secrets})
		return nil
	})
}

// ImportIdpConfig stores an exported configuration. A secret that is stored already stays if the client is the same. It
// returns the names of secrets that are missing: without them no user can sign in.
func (s *Service) ImportIdpConfig(ctx context.Context, c Call, in *ExportedIdpConfig) (missing []string, err error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	c.Tenant = in.Tenant
	r := &IdpConfigRequest{Kind: in.Kind, ID: in.ID, Body: in.Config}
	return missing, s.accounts.Change(ctx, c.scope(), []string{"\x00" + in.Kind}, func(ch *account.Change) error {
		old := make(map[string]any)
		if _, err := ch.Load(in.Kind, in.ID, &old); err != nil {
			return err
		}
		missing = idp.KeepSecrets(r.Body, old, in.Secrets)
		r.Body["name"] = r.name(c)
		if err := idp.CheckConfig(r.Kind, r.ID, r.Body); err != nil {
			return err
		}
		return ch.Save(r.Kind, r.ID, r.Body)
	})
}

// Check refuses what is not an exported configuration.
func (in *ExportedIdpConfig) Check() error {
	switch {
	case !slices.Contains(idp.Kinds, in.Kind) || !idp.ValidID(in.Kind, in.ID):
		return fmt.Errorf("there is no provider %q of the kind %q", in.ID, in.Kind)
	case in.Config == nil:
		return fmt.Errorf("the provider %s has no configuration", in.ID)
	case len(idp.WithoutSecrets(in.Config, false)) > 0:
		return errors.New("the provider " + in.ID + " has a secret in the export, which no export has")
	}
	return nil
}
