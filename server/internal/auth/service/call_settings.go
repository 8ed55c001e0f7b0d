package service

import (
	"context"

	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/factor"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/auth/service/settings"
)

// callSettings is a call with the settings that hold for it. The steps of a method share it.
type callSettings struct {
	Call
	// project holds the project's settings, with the tenant's where it has its own.
	project *settings.Config
	// tenant holds the tenant's settings. It is nil without a tenant.
	tenant *settings.Tenant
	// options are those of the Service.
	options *Options
}

// config returns a project's settings.
func (s *Service) config(c Call) (*settings.Config, error) {
	return settings.Load(s.accounts, c.root())
}

// settings returns a call with the settings that hold for it.
func (s *Service) settings(ctx context.Context, c Call) (*callSettings, error) {
	project, err := s.config(c)
	if err != nil {
		return nil, err
	}
	cs := &callSettings{Call: c, project: project, options: &s.o}
	if c.Tenant == "" {
		return cs, nil
	}
	if cs.tenant, err = s.tenant(ctx, c, c.Tenant); err != nil {
		return nil, err
	}
	if cs.tenant.DisableAuth {
		return nil, apierror.New("PROJECT_DISABLED")
	}
	return cs, cs.tenant.Overrule(project)
}

// userSettings returns a call for the user of an ID token with the settings that hold for it. The token determines the
// tenant of a call that names none: SDKs send the tenant only where there is no token. Nil and invalid tokens determine
// nothing; userOf refuses invalid ones.
func (s *Service) userSettings(ctx context.Context, c Call, idToken *string) (*callSettings, error) {
	if c.Tenant == "" && optional.String(idToken) != "" {
		if id, err := s.tokens.IDOnly(*idToken, c.Project); err == nil {
			c.Tenant = id.Tenant
		}
	}
	return s.settings(ctx, c)
}

// privacy reports whether addresses are protected from enumeration.
func (c *callSettings) privacy() bool { return emailPrivacy(c.project, c.options) }

// emailPrivacy reports whether a project's addresses are protected from enumeration.
func emailPrivacy(project *settings.Config, o *Options) bool {
	return optional.Bool(project.EmailPrivacyConfig.EnableImprovedEmailPrivacy, !o.EmulatorSettings)
}

// signUpOff reports whether clients must not create accounts.
func (c *callSettings) signUpOff() bool {
	return c.tenant.Forbids("disabledUserSignup") || optional.Bool(c.project.Client.Permissions.DisabledUserSignup, c.options.NoSignUp)
}

// deletionOff reports whether users must not delete their own accounts.
func (c *callSettings) deletionOff() bool {
	return c.tenant.Forbids("disabledUserDeletion") || optional.Bool(c.project.Client.Permissions.DisabledUserDeletion, false)
}

// anonymousOn reports whether anonymous accounts may be created.
func (c *callSettings) anonymousOn() bool {
	if c.tenant != nil && !c.tenant.EnableAnonymousUser {
		return false
	}
	on := !c.options.NoAnonymous
	if c.project.SignIn.Anonymous == nil {
		return on
	}
	return optional.Bool(c.project.SignIn.Anonymous.Enabled, on)
}

// passwordOn reports whether e-mail and password may be used.
func (c *callSettings) passwordOn() bool {
	if c.tenant != nil {
		return c.tenant.AllowPasswordSignup
	}
	on := !c.options.NoPasswords
	if c.project.SignIn.Email == nil {
		return on
	}
	return optional.Bool(c.project.SignIn.Email.Enabled, on)
}

// newPassword returns an error if a new password does not meet the password policy.
func (c *callSettings) newPassword(password string) error {
	return c.project.PasswordPolicyConfig.CheckNew(password)
}

// uniqueEmail reports whether an address belongs to one account at most.
func (c *callSettings) uniqueEmail() bool { return !c.project.SignIn.AllowDuplicateEmails }

// factorRules returns the rules of second factors that follow from the settings of the project or, if there is one, of
// the tenant.
func (c *callSettings) factorRules() factor.Rules {
	if c.tenant != nil {
		return factor.RulesOf(c.tenant.MFAConfig, false)
	}
	return factor.RulesOf(&c.project.MFA, c.options.Emulator)
}
