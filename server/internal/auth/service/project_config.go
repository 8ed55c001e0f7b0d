package service

import (
	"context"
	"encoding/base64"
	"maps"

	"clave/server/internal/auth/service/settings"
)

// ConfigRequest reads or changes a project's settings.
type ConfigRequest struct {
	// Mask lists the fields to change.
	Mask []string
	// Body holds their values.
	Body map[string]any
}

// GetConfig returns a project's settings, with the parameters of its password hashes.
func (s *Service) GetConfig(ctx context.Context, c Call, _ *ConfigRequest) (map[string]any, error) {
	raw, err := settings.Raw(s.accounts, c.root())
	if err != nil {
		return nil, err
	}
	settings.DropDefender(raw["recaptchaConfig"])
	return s.shownConfig(ctx, c, raw)
}

// UpdateConfig changes the settings of the mask. Without a mask all settings are replaced by those given.
func (s *Service) UpdateConfig(ctx context.Context, c Call, r *ConfigRequest) (map[string]any, error) {
	if err := s.checkBuilt(r.Body, r.Mask); err != nil {
		return nil, err
	}
	raw, err := settings.Save(ctx, s.accounts, c.root(), func(raw map[string]any) error {
		if len(r.Mask) > 0 {
			settings.DropDefender(raw["recaptchaConfig"])
			settings.OneRegionPolicy(raw, r.Body)
			settings.ApplyMask(raw, r.Body, r.Mask)
			return nil
		}
		clear(raw)
		maps.Copy(raw, r.Body)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.shownConfig(ctx, c, raw)
}

// checkBuilt refuses settings that would have no effect. Servers of developers store them, as the official emulator
// does.
func (s *Service) checkBuilt(body map[string]any, mask []string) error {
	if s.o.Emulator {
		return nil
	}
	return settings.CheckBuilt(body, mask)
}

// shownConfig adds the fields that are not stored with the settings.
func (s *Service) shownConfig(ctx context.Context, c Call, raw map[string]any) (map[string]any, error) {
	params, err := s.hasher.Params(ctx, c.Project)
	if err != nil {
		return nil, err
	}
	shown := maps.Clone(raw)
	shown["name"] = "projects/" + c.Project + "/config"
	signIn, _ := raw["signIn"].(map[string]any)
	signIn = maps.Clone(signIn)
	if signIn == nil {
		signIn = make(map[string]any)
	}
	if _, ok := signIn["allowDuplicateEmails"]; !ok {
		signIn["allowDuplicateEmails"] = false
	}
	for name, off := range map[string]bool{"anonymous": s.o.NoAnonymous, "email": s.o.NoPasswords} {
		of, _ := signIn[name].(map[string]any)
		if _, set := of["enabled"]; off && !set {
			of = maps.Clone(of)
			if of == nil {
				of = make(map[string]any)
			}
			of["enabled"] = false
			signIn[name] = of
		}
	}
	// `firebase auth:export` and imports elsewhere need the parameters of the project's password hashes.
	if !s.o.AsEmulator {
		signIn["hashConfig"] = map[string]any{
			"algorithm": "SCRYPT", "signerKey": base64.StdEncoding.EncodeToString(params.SignerKey),
			"saltSeparator": base64.StdEncoding.EncodeToString(params.Separator), "rounds": params.Rounds, "memoryCost": params.MemCost,
		}
	}
	shown["signIn"] = signIn
	if _, ok := raw["blockingFunctions"]; !ok {
		shown["blockingFunctions"] = map[string]any{}
	}
	privacy, ok := raw["emailPrivacyConfig"].(map[string]any)
	if !ok {
		privacy = map[string]any{"enableImprovedEmailPrivacy": !s.o.EmulatorSettings}
	}
	if !s.o.AsEmulator {
		privacy = settings.WithoutFalse(privacy)
	}
	shown["emailPrivacyConfig"] = privacy
	return shown, nil
}

// EmulatorConfig returns the settings that the emulator's control route shows. If body is not nil, it changes them
// first.
func (s *Service) EmulatorConfig(ctx context.Context, c Call, body map[string]any) (map[string]any, error) {
	if body != nil {
		known := make(map[string]any)
		for _, name := range []string{"signIn", "emailPrivacyConfig", "client", "passwordPolicyConfig", "mfa", "authorizedDomains"} {
			if v, ok := body[name]; ok {
				known[name] = v
			}
		}
		if _, err := settings.Save(ctx, s.accounts, c.root(), func(raw map[string]any) error {
			settings.Merge(raw, known)
			return nil
		}); err != nil {
			return nil, err
		}
	}
	cfg, err := s.config(c)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"signIn":             map[string]any{"allowDuplicateEmails": cfg.SignIn.AllowDuplicateEmails},
		"emailPrivacyConfig": map[string]any{"enableImprovedEmailPrivacy": emailPrivacy(cfg, &s.o)},
	}, nil
}

// PublicRequest reads the public settings of a project.
type PublicRequest struct{}

// PublicConfig has the public settings of a project.
type PublicConfig struct {
	ProjectID         string   `json:"projectId"`
	AuthorizedDomains []string `json:"authorizedDomains"`
}

// GetProject returns the public settings of a project.
func (s *Service) GetProject(_ context.Context, c Call, _ *PublicRequest) (*PublicConfig, error) {
	cfg, err := s.config(c)
	if err != nil {
		return nil, err
	}
	return &PublicConfig{ProjectID: projectNumber, AuthorizedDomains: s.links.Domains(cfg.AuthorizedDomains)}, nil
}

// RecaptchaParams holds the parameters of reCAPTCHA. Clients fetch them, though reCAPTCHA is not used.
type RecaptchaParams struct {
	Kind             string `json:"kind"`
	RecaptchaStoken  string `json:"recaptchaStoken"`
	RecaptchaSiteKey string `json:"recaptchaSiteKey"`
}

// GetRecaptchaParams returns the same parameters as the official emulator. reCAPTCHA is not used.
func (s *Service) GetRecaptchaParams(context.Context, Call, *PublicRequest) (*RecaptchaParams, error) {
	return &RecaptchaParams{
		Kind: "identitytoolkit#GetRecaptchaParamResponse", RecaptchaStoken: "This-is-a-fake-token__Dont-send-this-to-the-Recaptcha-service",
		RecaptchaSiteKey: "Fake-key__Do-not-send-this-to-Recaptcha_",
	}, nil
}
