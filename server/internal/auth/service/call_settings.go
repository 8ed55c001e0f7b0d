package service

import (
	"context"

	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/settings"
)

// privacy reports whether addresses are protected from enumeration.
func (s *Service) privacy(cfg *settings.Config) bool {
	if p := cfg.EmailPrivacyConfig.EnableImprovedEmailPrivacy; p != nil {
		return *p
	}
	return !s.o.EmulatorSettings
}

// config returns a project's settings.
func (s *Service) config(c Call) (*settings.Config, error) {
	return settings.Load(s.accounts, c.root())
}

// settings returns the settings that hold for the call: the project's, with the tenant's where it has its own.
func (s *Service) settings(ctx context.Context, c *Call) (*settings.Config, *settings.Tenant, error) {
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
	return cfg, tenant, tenant.Overrule(cfg)
}
