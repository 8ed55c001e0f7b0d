package service

import (
	"cmp"
	"context"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/auth/service/passkey"
	"clave/server/internal/auth/service/session"
)

// PasskeyRequest starts or finishes the enrollment of a passkey or a sign-in with one.
type PasskeyRequest struct {
	IDToken                     *string             `json:"idToken"`
	TenantID                    *string             `json:"tenantId"`
	Name                        *string             `json:"name"`
	DisplayName                 *string             `json:"displayName"`
	AuthenticatorRegistration   *passkey.Credential `json:"authenticatorRegistrationResponse"`
	AuthenticatorAuthentication *passkey.Credential `json:"authenticatorAuthenticationResponse"`
}

// PasskeyResponse is the response to a PasskeyRequest of any kind.
type PasskeyResponse struct {
	CredentialCreationOptions map[string]any `json:"credentialCreationOptions,omitempty"`
	CredentialRequestOptions  map[string]any `json:"credentialRequestOptions,omitempty"`
	LocalID                   string         `json:"localId,omitempty"`
	TokenPair
}

// passkeysOn returns an error unless passkeys can be used. Passkeys are not verified, as in the official emulator, so
// only `clave start` supports them.
func (s *Service) passkeysOn() error {
	if !s.o.Emulator {
		return apierror.New("OPERATION_NOT_ALLOWED : Passkeys are not enabled.")
	}
	return nil
}

// passkeyUser returns the user of an enrollment request.
func (s *Service) passkeyUser(c *Call, r *PasskeyRequest) (*account.User, error) {
	if err := s.passkeysOn(); err != nil {
		return nil, err
	}
	if optional.String(r.IDToken) == "" {
		return nil, apierror.New("MISSING_ID_TOKEN")
	}
	u, _, err := s.userOf(c, *r.IDToken)
	return u, err
}

// StartPasskeyEnrollment returns the parameters with which a browser creates a passkey.
func (s *Service) StartPasskeyEnrollment(_ context.Context, c Call, r *PasskeyRequest) (*PasskeyResponse, error) {
	u, err := s.passkeyUser(&c, r)
	if err != nil {
		return nil, err
	}
	return &PasskeyResponse{CredentialCreationOptions: passkey.CreationOptions(u)}, nil
}

// FinalizePasskeyEnrollment registers a passkey and signs in with it.
func (s *Service) FinalizePasskeyEnrollment(ctx context.Context, c Call, r *PasskeyRequest) (*PasskeyResponse, error) {
	if r.AuthenticatorRegistration == nil && optional.String(r.IDToken) != "" {
		return nil, cmp.Or(s.passkeysOn(), apierror.New("MISSING_AUTHENTICATOR_RESPONSE"))
	}
	u, err := s.passkeyUser(&c, r)
	if err != nil {
		return nil, err
	}
	id, err := r.AuthenticatorRegistration.Named()
	if err != nil {
		return nil, err
	}
	name := cmp.Or(optional.String(r.Name), optional.String(r.DisplayName), "Unnamed Passkey")
	return s.completePasskey(ctx, &attempt{
		callSettings: &callSettings{Call: c}, user: u,
		locked: []string{passkey.Lock(id)},
		edit: func(ch *account.Change, u *account.User) error {
			return passkey.Register(ch, s.accounts, c.scope(), u, account.Passkey{ID: id, Name: name})
		},
	})
}

// completePasskey completes a sign-in with a passkey, for which blocking functions are not called and no second factor
// is required.
func (s *Service) completePasskey(ctx context.Context, a *attempt) (*PasskeyResponse, error) {
	a.session, a.exempt = session.Session{Provider: "passkey"}, true
	out, err := s.complete(ctx, a)
	if err != nil {
		return nil, err
	}
	return &PasskeyResponse{LocalID: a.user.UID, TokenPair: TokenPair{out.IDToken, out.RefreshToken}}, nil
}

// StartPasskeySignIn returns the parameters with which a browser signs in with a passkey.
func (s *Service) StartPasskeySignIn(context.Context, Call, *PasskeyRequest) (*PasskeyResponse, error) {
	if err := s.passkeysOn(); err != nil {
		return nil, err
	}
	return &PasskeyResponse{CredentialRequestOptions: passkey.RequestOptions()}, nil
}

// FinalizePasskeySignIn signs in with a passkey.
func (s *Service) FinalizePasskeySignIn(ctx context.Context, c Call, r *PasskeyRequest) (*PasskeyResponse, error) {
	if err := s.passkeysOn(); err != nil {
		return nil, err
	}
	id, err := r.AuthenticatorAuthentication.Named()
	if err != nil {
		return nil, err
	}
	u, err := passkey.Owner(s.accounts, c.scope(), id)
	if err != nil || u == nil {
		return nil, cmp.Or(err, apierror.New("PASSKEY_CREDENTIAL_NOT_FOUND"))
	}
	return s.completePasskey(ctx, &attempt{
		callSettings: &callSettings{Call: c}, user: u,
		check: func(u *account.User) error {
			if !u.HasPasskey(id) {
				return apierror.New("PASSKEY_CREDENTIAL_NOT_FOUND")
			}
			return nil
		},
	})
}
