package token

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"maps"
	"time"

	"clave/server/internal/base/fault"
)

// Life is the lifetime of an ID token.
const Life = time.Hour

// MintID returns an ID token for project. It sets iss, aud, sub, user_id, iat and exp in claims.
func (v *Verifier) MintID(project, uid string, claims map[string]any) (string, error) {
	now := v.now(project).Unix()
	claims = maps.Clone(claims)
	claims["iss"], claims["aud"] = issuerID+project, project
	claims["sub"], claims["user_id"] = uid, uid
	claims["iat"], claims["exp"] = now, now+int64(Life/time.Second)
	return acceptable(v.mint(ringID, claims))
}

// errTooLarge is the error for claims whose token would be longer than those that are accepted.
var errTooLarge = fault.E(fault.FailedPrecondition, "CLAIMS_TOO_LARGE")

// acceptable returns errTooLarge for a token that no method would accept.
func acceptable(raw string, err error) (string, error) {
	if err == nil && len(raw) > maxToken {
		return "", errTooLarge
	}
	return raw, err
}

// MintCookie returns a session cookie with the claims of a verified ID token.
func (v *Verifier) MintCookie(id ID, life time.Duration) (string, error) {
	now := v.now(id.Project).Unix()
	claims := maps.Clone(id.Claims)
	claims["iss"] = issuerSession + id.Project
	claims["iat"], claims["exp"] = now, now+int64(life/time.Second)
	return acceptable(v.mint(ringSession, claims))
}

// MintLegacy returns the token for a sign-in without returnSecureToken. No method accepts it.
func (v *Verifier) MintLegacy(project, uid string, claims map[string]any) (string, error) {
	now := v.now(project).Unix()
	claims = maps.Clone(claims)
	claims["iss"], claims["aud"], claims["user_id"] = "https://identitytoolkit.google.com/", project, uid
	claims["iat"], claims["exp"] = now, now+int64(14*24*time.Hour/time.Second)
	return v.mint(ringAccess, claims)
}

// mint returns a JWT with the claims, which is unsigned if there are no keys.
func (v *Verifier) mint(ring ringName, claims map[string]any) (string, error) {
	if v.o.Keys != nil {
		return v.o.Keys.sign(ring, claims)
	}
	if !v.o.Unsigned {
		return "", fault.E(fault.Internal, "there are no keys to sign with")
	}
	return unsignedToken(claims)
}

// SignBlob signs bytes for a service account whose holder does not have its key, as IAM's signBlob does. Custom accepts
// custom tokens that are signed so. All service accounts of all projects share the key, so a JWT must have the account
// itself as its issuer; otherwise a server of one project could sign in users of another.
func (v *Verifier) SignBlob(account string, blob []byte) (kid string, signature []byte, err error) {
	if t, err := parseJWT(string(blob) + "."); err == nil && (t.text("iss") != account || t.text("sub") != account) {
		return "", nil, fault.E(fault.PermissionDenied, "the issuer of the JWT to sign is not %s", account)
	}
	if v.o.Keys == nil {
		return "", nil, fault.E(fault.FailedPrecondition, "there are no keys to sign with")
	}
	key := v.o.Keys.signer(ringBlob, v.o.Clock.Now())
	digest := sha256.Sum256(blob)
	signature, err = rsa.SignPKCS1v15(rand.Reader, key.private, crypto.SHA256, digest[:])
	return key.id, signature, err
}

// EventIssuer returns the issuer of the tokens for events of a server with an origin. OpenID Connect discovery starts
// at it.
func EventIssuer(origin string) string { return origin + "/__/events" }

// MintDelivery returns the OpenID Connect token that accompanies an event for a service, with the audience in "aud". It
// requires KeyOptions.Events.
func (v *Verifier) MintDelivery(project, audience string) (raw string, expires time.Time, err error) {
	if v.o.Keys == nil || !v.o.Keys.o.Events {
		return "", time.Time{}, fault.E(fault.FailedPrecondition, "there are no keys to sign events with")
	}
	now := v.o.Clock.Now()
	expires = now.Add(maxLifetimes[ringEvents])
	email := "events@" + project + ".iam.gserviceaccount.com"
	raw, err = v.o.Keys.sign(ringEvents, map[string]any{
		"iss": EventIssuer(v.o.PublicURL), "aud": audience, "sub": email, "email": email, "email_verified": true, "iat": now.Unix(), "exp": expires.Unix(),
	})
	return raw, expires, err
}

// MintEvent returns the JWT that is sent to a blocking function. It is signed like ID tokens, and the function's URL is
// in "aud".
func (v *Verifier) MintEvent(project, uid string, claims map[string]any) (string, error) {
	now := v.now(project).Unix()
	claims = maps.Clone(claims)
	claims["iss"], claims["sub"] = issuerID+project, uid
	claims["iat"], claims["exp"] = now, now+int64(Life/time.Second)
	return v.mint(ringID, claims)
}
