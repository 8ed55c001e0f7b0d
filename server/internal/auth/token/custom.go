package token

import (
	"context"
	"errors"
	"strings"
	"unicode/utf16"

	"clave/server/internal/base/fault"
)

// customAudience is the audience of custom tokens.
const customAudience = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

// CustomToken is a verified custom token.
type CustomToken struct {
	UID, Tenant string
	// Claims is the value of "claims", which may have any type; nil if there is none.
	Claims any
}

// invalidCustom returns the error for an invalid custom token.
func invalidCustom(text string) error {
	return fault.E(fault.FailedPrecondition, "INVALID_CUSTOM_TOKEN : %s", text)
}

// Custom verifies a custom token (firebase.google.com/docs/auth/admin/create-custom-tokens) for project. With
// signatures on it must be signed by a registered key of the service account which it names, or by SignBlob.
func (v *Verifier) Custom(ctx context.Context, raw, project string) (CustomToken, error) {
	t, err := v.parseCustom(raw)
	if errors.Is(err, errCritical) {
		return CustomToken{}, fault.E(fault.FailedPrecondition, "INVALID_CUSTOM_TOKEN")
	}
	if err != nil {
		return CustomToken{}, invalidCustom("Invalid assertion format. 3 dot separated segments required.")
	}
	if !v.loose() {
		if err := v.checkCustomSigner(ctx, t, project); err != nil {
			return CustomToken{}, err
		}
	}
	if t.text("aud") != customAudience && !(v.loose() && t.header.Alg == "") {
		return CustomToken{}, invalidCustom("((Invalid aud (audience): " + t.text("aud") + " Note: Firebase ID Tokens / third-party tokens cannot be used with signInWithCustomToken.))")
	}
	if t.header.Alg != "" {
		if err := v.checkCustomTimes(t); err != nil {
			return CustomToken{}, err
		}
	}
	uid, err := customUID(t)
	if err != nil {
		return CustomToken{}, err
	}
	return CustomToken{UID: uid, Tenant: t.text("tenant_id"), Claims: t.claims["claims"]}, nil
}

// customUID returns the account's id in a custom token. As in production, it may be a number.
func customUID(t *jwt) (string, error) {
	name := "uid"
	if t.claims[name] == nil {
		name = "user_id"
	}
	uid, ok := t.word(name)
	const longest = 128
	switch {
	case !ok:
		return "", fault.E(fault.FailedPrecondition, "MISSING_IDENTIFIER")
	case uid == "", len(utf16.Encode([]rune(uid))) > longest:
		return "", fault.E(fault.FailedPrecondition, "INVALID_IDENTIFIER : Invalid user ID length. Expect to have length between 1 and %d.", longest)
	case strings.Contains(uid, "\x00"): // it separates the parts of stored keys
		return "", fault.E(fault.FailedPrecondition, "INVALID_IDENTIFIER : Invalid user ID.")
	}
	return uid, nil
}

// parseCustom parses a custom token. Under `clave start` it also accepts a plain JSON object, as the official emulator
// does; the header is empty then.
func (v *Verifier) parseCustom(raw string) (*jwt, error) {
	if v.loose() && len(raw) > 0 && raw[0] == '{' {
		claims, err := DecodeClaims([]byte(raw))
		return &jwt{claims: claims}, err
	}
	return parseForeign(raw)
}

// checkCustomSigner checks the token's signature.
func (v *Verifier) checkCustomSigner(ctx context.Context, t *jwt, project string) error {
	if t.text("iss") != t.text("sub") {
		return invalidCustom("iss and sub differ")
	}
	var account ServiceAccount
	var err error
	if v.signedBlob(t) {
		account, err = v.serviceAccount(ctx, t.text("iss"))
	} else {
		account, _, err = v.byServiceAccount(ctx, t)
	}
	if err != nil {
		if fault.FromError(err).Code == fault.Internal {
			return err
		}
		return invalidCustom("not signed by a registered service account")
	}
	if account.Project != project {
		return fault.E(fault.FailedPrecondition, "CREDENTIAL_MISMATCH")
	}
	if account.Role != Owner { // who signs in as any user has all rights
		return invalidCustom("not signed by a service account with the role " + string(Owner))
	}
	return nil
}

// signedBlob reports whether SignBlob signed the token.
func (v *Verifier) signedBlob(t *jwt) bool {
	for _, key := range v.o.Keys.published(ringBlob, v.o.Clock.Now()) {
		if t.signedBy(&key.private.PublicKey) {
			return true
		}
	}
	return false
}

// checkCustomTimes checks that the token's lifetime is an hour at most and that it is valid now.
func (v *Verifier) checkCustomTimes(t *jwt) error {
	if err := v.checkTimes(t, ""); err != nil {
		return invalidCustom(err.Error())
	}
	if t.isLong() {
		return invalidCustom("has a lifetime of more than an hour")
	}
	return nil
}

// loose reports whether custom tokens need no signature. That is the case with Options.Owner: any caller has all rights
// then.
func (v *Verifier) loose() bool { return v.o.Unsigned || v.o.Owner }
