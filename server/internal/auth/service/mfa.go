package service

import (
	"context"

	"clave/server/internal/auth/service/authapp"
	"clave/server/internal/auth/service/userinfo"
)

// Pending is the part of a response that requires a second factor.
type Pending struct {
	MFAPendingCredential string            `json:"mfaPendingCredential,omitempty"`
	MFAInfo              []userinfo.Factor `json:"mfaInfo,omitempty"`
}

// PhoneInfo is the part of a request or a response that concerns a phone.
type PhoneInfo struct {
	PhoneNumber string `json:"phoneNumber,omitempty"`
	SessionInfo string `json:"sessionInfo,omitempty"`
	Code        string `json:"code,omitempty"`
}

// TOTPInfo is the part of a request or a response that concerns time-based codes.
type TOTPInfo struct {
	SessionInfo      string `json:"sessionInfo,omitempty"`
	VerificationCode string `json:"verificationCode,omitempty"`
}

// MFARequest starts or finishes the enrolling of a second factor or a sign-in with one, or removes one.
type MFARequest struct {
	IDToken               *string    `json:"idToken"`
	TenantID              *string    `json:"tenantId"`
	DisplayName           *string    `json:"displayName"`
	MFAEnrollmentID       *string    `json:"mfaEnrollmentId"`
	MFAPendingCredential  *string    `json:"mfaPendingCredential"`
	PhoneEnrollmentInfo   *PhoneInfo `json:"phoneEnrollmentInfo"`
	PhoneVerificationInfo *PhoneInfo `json:"phoneVerificationInfo"`
	PhoneSignInInfo       *PhoneInfo `json:"phoneSignInInfo"`
	TOTPEnrollmentInfo    *TOTPInfo  `json:"totpEnrollmentInfo"`
	TOTPVerificationInfo  *TOTPInfo  `json:"totpVerificationInfo"`
}

// MFAResponse is the response to an MFARequest of any kind.
type MFAResponse struct {
	PhoneSessionInfo  *PhoneInfo          `json:"phoneSessionInfo,omitempty"`
	PhoneResponseInfo *PhoneInfo          `json:"phoneResponseInfo,omitempty"`
	TOTPSessionInfo   *authapp.Enrollment `json:"totpSessionInfo,omitempty"`
	PhoneAuthInfo     *PhoneInfo          `json:"phoneAuthInfo,omitempty"`
	TOTPAuthInfo      *struct{}           `json:"totpAuthInfo,omitempty"`
	TokenPair
}

// factorsOn returns an error unless the call's project or tenant has second factors of a kind. This check precedes the
// check of a request without credentials, as in the API: PROJECT_DISABLED and OPERATION_NOT_ALLOWED have precedence
// over errors about missing fields.
func (s *Service) factorsOn(ctx context.Context, c Call, app bool) error {
	cs, err := s.settings(ctx, c)
	if err != nil {
		return err
	}
	return cs.factorRules().MayEnroll(app)
}
