package identity

import (
	"cmp"
	"context"
	"encoding/base64"

	"clave/server/account"
	"clave/server/identity/apierror"
	"clave/server/identity/session"
	"clave/server/randid"
)

// PasskeyRequest starts or finishes the enrollment of a passkey or a sign-in with one.
type PasskeyRequest struct {
	IDToken                     *string        `json:"idToken"`
	TenantID                    *string        `json:"tenantId"`
	Name                        *string        `json:"name"`
	DisplayName                 *string        `json:"displayName"`
	AuthenticatorRegistration   *credentialRef `json:"authenticatorRegistrationResponse"`
	AuthenticatorAuthentication *credentialRef `json:"authenticatorAuthenticationResponse"`
}

// credentialRef is the part of a WebAuthn response that names the credential.
type credentialRef struct {
	ID string `json:"id"`
}

// named returns the credential's id.
func (c *credentialRef) named() (string, error) {
	switch {
	case c == nil:
		return "", apierror.New("MISSING_AUTHENTICATOR_RESPONSE")
	case c.ID == "":
		return "", apierror.New("INVALID_CREDENTIAL_ID")
	}
	return c.ID, nil
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

// challenge returns a random challenge.
func challenge() string { return randid.Secret(32) }

// passkeyUser returns the user of an enrollment request.
func (s *Service) passkeyUser(c *Call, r *PasskeyRequest) (*account.User, error) {
	if err := s.passkeysOn(); err != nil {
		return nil, err
	}
	if stringOf(r.IDToken) == "" {
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
	name, shown := u.Email, u.Name()
	if name == "" {
		name = "user@example.com"
	}
	if shown == "" {
		shown = "User"
	}
	const es256, rs256, timeoutMillis = -7, -257, 60_000
	return &PasskeyResponse{CredentialCreationOptions: map[string]any{
		"rp":               map[string]any{"id": "localhost", "name": "localhost"},
		"user":             map[string]any{"id": base64.StdEncoding.EncodeToString([]byte(u.UID)), "name": name, "displayName": shown},
		"challenge":        challenge(),
		"pubKeyCredParams": []map[string]any{{"type": "public-key", "alg": es256}, {"type": "public-key", "alg": rs256}},
		"timeout":          timeoutMillis, "attestation": "none",
	}}, nil
}

// FinalizePasskeyEnrollment registers a passkey and signs in with it.
func (s *Service) FinalizePasskeyEnrollment(ctx context.Context, c Call, r *PasskeyRequest) (*PasskeyResponse, error) {
	if r.AuthenticatorRegistration == nil && stringOf(r.IDToken) != "" {
		return nil, cmp.Or(s.passkeysOn(), apierror.New("MISSING_AUTHENTICATOR_RESPONSE"))
	}
	u, err := s.passkeyUser(&c, r)
	if err != nil {
		return nil, err
	}
	id, err := r.AuthenticatorRegistration.named()
	if err != nil {
		return nil, err
	}
	name := stringOf(r.Name)
	if name == "" {
		name = stringOf(r.DisplayName)
	}
	if name == "" {
		name = "Unnamed Passkey"
	}
	return s.completePasskey(ctx, &attempt{
		call: c, user: u,
		// The change locks the credential's id beside the account. If two accounts register the same passkey, the second is refused.
		locked: []string{"\x00" + passkeyItem + id},
		edit: func(ch *account.Change, u *account.User) error {
			if owner, err := s.byPasskey(c, id); err != nil || owner != nil {
				return cmp.Or(err, apierror.New("CREDENTIAL_ALREADY_IN_USE"))
			}
			u.Passkeys = append(u.Passkeys, account.Passkey{ID: id, Name: name})
			return ch.Save(passkeyItem, id, u.UID)
		},
	})
}

// completePasskey completes a sign-in with a passkey, for which blocking functions are not called and no second factor is required.
func (s *Service) completePasskey(ctx context.Context, a *attempt) (*PasskeyResponse, error) {
	a.session, a.exempt = session.Session{Provider: "passkey"}, true
	out, err := s.complete(ctx, a)
	if err != nil {
		return nil, err
	}
	return &PasskeyResponse{LocalID: a.user.UID, TokenPair: TokenPair{out.IDToken, out.RefreshToken}}, nil
}

// passkeyItem is the kind of item that maps a passkey to its user.
const passkeyItem = "passkey"

// byPasskey returns the user who has a passkey, or nil.
func (s *Service) byPasskey(c Call, id string) (*account.User, error) {
	var uid string
	found, err := s.accounts.Load(c.scope(), passkeyItem, id, &uid)
	if err != nil || !found {
		return nil, err
	}
	u, err := s.accounts.Get(c.scope(), uid)
	if err != nil || u == nil || !u.HasPasskey(id) {
		return nil, err
	}
	return u, nil
}

// StartPasskeySignIn returns the parameters with which a browser signs in with a passkey.
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
	id, err := r.AuthenticatorAuthentication.named()
	if err != nil {
		return nil, err
	}
	u, err := s.byPasskey(c, id)
	if err != nil || u == nil {
		return nil, cmp.Or(err, apierror.New("PASSKEY_CREDENTIAL_NOT_FOUND"))
	}
	return s.completePasskey(ctx, &attempt{
		call: c, user: u,
		check: func(u *account.User) error {
			if !u.HasPasskey(id) {
				return apierror.New("PASSKEY_CREDENTIAL_NOT_FOUND")
			}
			return nil
		},
	})
}
