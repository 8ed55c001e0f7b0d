package service

import (
	"context"
	"strings"

	"clave/server/internal/auth/service/passpolicy"
)

// PolicyRequest reads the password policy.
type PolicyRequest struct{}

// PolicyResponse is a password policy as clients read it.
type PolicyResponse struct {
	CustomStrengthOptions            passpolicy.Options `json:"customStrengthOptions"`
	SchemaVersion                    int                `json:"schemaVersion"`
	AllowedNonAlphanumericCharacters []string           `json:"allowedNonAlphanumericCharacters"`
	EnforcementState                 string             `json:"enforcementState"`
	ForceUpgradeOnSignin             bool               `json:"forceUpgradeOnSignin"`
}

// PasswordPolicy returns the password policy to clients.
func (s *Service) PasswordPolicy(ctx context.Context, c Call, _ *PolicyRequest) (*PolicyResponse, error) {
	cfg, _, err := s.settings(ctx, &c)
	if err != nil {
		return nil, err
	}
	return &PolicyResponse{
		CustomStrengthOptions: cfg.PasswordPolicyConfig.Shown(), SchemaVersion: 1, EnforcementState: "ENFORCE",
		AllowedNonAlphanumericCharacters: strings.Split(passpolicy.Special, ""), ForceUpgradeOnSignin: cfg.PasswordPolicyConfig.ForceUpgradeOnSignin,
	}, nil
}
