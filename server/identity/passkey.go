package identity

import (
	"context"

	"clave/server/account"
	"clave/server/fault"
)

// PasskeyRequest starts or finishes the enrolling of a passkey or a sign-in with one.
type PasskeyRequest struct {
	IDToken                        *string        `json:"idToken"`
	TenantID                       *string        `json:"tenantId"`
	Name                           *string        `json:"name"`
	AuthenticatorRegistration      *credentialRef `json:"authenticatorRegistrationResponse"`
	AuthenticatorAuthentication    *credentialRef `json:"authenticatorAssertionResponse"`
	AuthenticatorAuthenticationOld *credentialRef `json:"authenticatorAuthenticationResponse"`
}

// credentialRef is the part of a WebAuthn answer that names the credential.
type credentialRef struct {
	ID string `json:"id"`
}

// PasskeyResponse is the answer to any PasskeyRequest.
type PasskeyResponse struct {
	CredentialCreationOptions map[string]any `json:"credentialCreationOptions,omitempty"`
	CredentialRequestOptions  map[string]any `json:"credentialRequestOptions,omitempty"`
	LocalID                   string         `json:"localId,omitempty"`
	IDToken                   string         `json:"idToken,omitempty"`
	RefreshToken              string         `json:"refreshToken,omitempty"`
}

// passkeysOn answers an error where passkeys can't be used: as in the official emulator nothing of them is verified, so
// they are for `clave start` only.
func (s *Service) passkeysOn() error {
	if !s.o.Emulator {
		return no("OPERATION_NOT_ALLOWED : Passkeys are not enabled.")
	}
	return nil
}

// challenge returns a random challenge.
func challenge() string { return secret(32) }

// StartPasskeyEnrollment gives what a browser needs to make a passkey.
func (s *Service) StartPasskeyEnrollment(_ context.Context, c Call, r *PasskeyRequest) (*PasskeyResponse, error) {
	if err := s.passkeysOn(); err != nil {
		return nil, err
	}
	if r.IDToken == nil {
		return nil, no("MISSING_ID_TOKEN")
	}
	u, _, err := s.userOf(&c, *r.IDToken)
	if err != nil {
		return nil, err
	}
	const es256, rs256 = -7, -257
	return &PasskeyResponse{CredentialCreationOptions: map[string]any{
		"rp": map[string]any{"id": "localhost", "name": c.Project}, "user": map[string]any{"id": u.UID, "name": u.Email, "displayName": text(u.DisplayName)},
		"challenge": challenge(), "pubKeyCredParams": []map[string]any{{"type": "public-key", "alg": es256}, {"type": "public-key", "alg": rs256}},
	}}, nil
}

// FinalizePasskeyEnrollment registers a passkey.
func (s *Service) FinalizePasskeyEnrollment(ctx context.Context, c Call, r *PasskeyRequest) (*PasskeyResponse, error) {
	if err := s.passkeysOn(); err != nil {
		return nil, err
	}
	if r.IDToken == nil {
		return nil, no("MISSING_ID_TOKEN")
	}
	u, id, err := s.userOf(&c, *r.IDToken)
	if err != nil {
		return nil, err
	}
	if r.AuthenticatorRegistration == nil || r.AuthenticatorRegistration.ID == "" {
		return nil, no("INVALID_AUTHENTICATOR_RESPONSE")
	}
	res := &PasskeyResponse{LocalID: u.UID}
	return res, s.change(ctx, c, u.UID, func(ch *account.Change, u *account.User) error {
		u.Passkeys = append(u.Passkeys, account.Passkey{ID: r.AuthenticatorRegistration.ID, Name: text(r.Name)})
		if err := ch.Save(passkeyItem, r.AuthenticatorRegistration.ID, u.UID); err != nil {
			return err
		}
		tokens, err := s.signIn(ch, c, u, session{Provider: id.Provider})
		res.IDToken, res.RefreshToken = tokens.IDToken, tokens.RefreshToken
		return err
	})
}

// passkeyItem is the kind of item that names a passkey's user.
const passkeyItem = "passkey"

// StartPasskeySignIn gives what a browser needs to sign in with a passkey.
func (s *Service) StartPasskeySignIn(context.Context, Call, *PasskeyRequest) (*PasskeyResponse, error) {
	if err := s.passkeysOn(); err != nil {
		return nil, err
	}
	return &PasskeyResponse{CredentialRequestOptions: map[string]any{"challenge": challenge(), "rpId": "localhost", "userVerification": "required"}}, nil
}

// FinalizePasskeySignIn signs in with a passkey.
func (s *Service) FinalizePasskeySignIn(ctx context.Context, c Call, r *PasskeyRequest) (*PasskeyResponse, error) {
	if err := s.passkeysOn(); err != nil {
		return nil, err
	}
	given := r.AuthenticatorAuthentication
	if given == nil {
		given = r.AuthenticatorAuthenticationOld
	}
	if given == nil || given.ID == "" {
		return nil, no("INVALID_AUTHENTICATOR_RESPONSE")
	}
	var uid string
	found, err := s.accounts.Load(c.scope(), passkeyItem, given.ID, &uid)
	if err != nil || !found {
		return nil, firstErr(err, no("PASSKEY_ENROLLMENT_NOT_FOUND"))
	}
	res := &PasskeyResponse{LocalID: uid}
	return res, s.change(ctx, c, uid, func(ch *account.Change, u *account.User) error {
		for _, p := range u.Passkeys {
			if p.ID != given.ID {
				continue
			}
			tokens, err := s.signIn(ch, c, u, session{Provider: "passkey"})
			res.IDToken, res.RefreshToken = tokens.IDToken, tokens.RefreshToken
			return err
		}
		return fault.E(fault.FailedPrecondition, "PASSKEY_ENROLLMENT_NOT_FOUND")
	})
}
