// Package passkey has the parameters of passkeys for browsers, and finds the user of a passkey.
//
// Passkeys are not verified, as in the official emulator: a client names a credential, and that is enough. Only `clave
// start` may support them.
package passkey

import (
	"cmp"
	"encoding/base64"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/base/randid"
)

// Credential is the part of a WebAuthn response that names the credential.
type Credential struct {
	ID string `json:"id"`
}

// Named returns the credential's id. A nil credential has none.
func (c *Credential) Named() (string, error) {
	switch {
	case c == nil:
		return "", apierror.New("MISSING_AUTHENTICATOR_RESPONSE")
	case c.ID == "":
		return "", apierror.New("INVALID_CREDENTIAL_ID")
	}
	return c.ID, nil
}

// challenge returns a random challenge.
func challenge() string { return randid.Secret(32) }

// CreationOptions returns the parameters with which a browser creates a passkey for a user.
func CreationOptions(u *account.User) map[string]any {
	const es256, rs256, timeoutMillis = -7, -257, 60_000
	return map[string]any{
		"rp": map[string]any{"id": "localhost", "name": "localhost"},
		"user": map[string]any{
			"id": base64.StdEncoding.EncodeToString([]byte(u.UID)), "name": cmp.Or(u.Email, "user@example.com"), "displayName": cmp.Or(u.Name(), "User"),
		},
		"challenge":        challenge(),
		"pubKeyCredParams": []map[string]any{{"type": "public-key", "alg": es256}, {"type": "public-key", "alg": rs256}},
		"timeout":          timeoutMillis, "attestation": "none",
	}
}

// RequestOptions returns the parameters with which a browser signs in with a passkey.
func RequestOptions() map[string]any {
	return map[string]any{"challenge": challenge(), "rpId": "localhost", "userVerification": "required"}
}

// item is the kind of item that maps a passkey to its user.
const item = "passkey"

// Lock returns the name that a change must lock beside the account to register a passkey: of two accounts that register
// the same passkey, the second is refused.
func Lock(id string) string { return "\x00" + item + id }

// Register adds a passkey to a user, or returns an error if it belongs to an account. The change must hold the user's
// lock and Lock of the passkey.
func Register(ch *account.Change, accounts *account.Store, scope account.Scope, u *account.User, added account.Passkey) error {
	if owner, err := Owner(accounts, scope, added.ID); err != nil || owner != nil {
		return cmp.Or(err, apierror.New("CREDENTIAL_ALREADY_IN_USE"))
	}
	u.Passkeys = append(u.Passkeys, added)
	return ch.Save(item, added.ID, u.UID)
}

// Owner returns the user who has a passkey, or nil.
func Owner(accounts *account.Store, scope account.Scope, id string) (*account.User, error) {
	var uid string
	found, err := accounts.Load(scope, item, id, &uid)
	if err != nil || !found {
		return nil, err
	}
	u, err := accounts.Get(scope, uid)
	if err != nil || u == nil || !u.HasPasskey(id) {
		return nil, err
	}
	return u, nil
}
