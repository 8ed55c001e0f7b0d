package service

import (
	"context"
	"strings"

	"clave/server/internal/auth/service/field"
)

// PolicyRequest reads the password policy.
type PolicyRequest struct{}

// PolicyResponse is a password policy as clients read it.
type PolicyResponse struct {
	CustomStrengthOptions            field.PasswordRules `json:"customStrengthOptions"`
	SchemaVersion                    int                 `json:"schemaVersion"`
	AllowedNonAlphanumericCharacters []string            `json:"allowedNonAlphanumericCharacters"`
	EnforcementState                 string              `json:"enforcementState"`
	ForceUpgradeOnSignin             bool                `json:"forceUpgradeOnSignin"`
}

// PasswordPolicy returns the password policy to clients.
func (s *Service) PasswordPolicy(ctx context.Context, c Call, _ *PolicyRequest) (*PolicyResponse, error) {
	cs, err := s.settings(ctx, c)
	if err != nil {
		return nil, err
	}
	policy := &cs.project.PasswordPolicyConfig
	return &PolicyResponse{
		CustomStrengthOptions: policy.Shown(), SchemaVersion: 1, EnforcementState: "ENFORCE",
		AllowedNonAlphanumericCharacters: strings.Split(field.SpecialCharacters, ""), ForceUpgradeOnSignin: policy.ForceUpgradeOnSignin,
	}, nil
}
