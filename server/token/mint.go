package token

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"maps"
	"time"

	"clave/server/fault"
)

// Life is how long an ID token is in force.
const Life = time.Hour

// MintID makes an ID token for project: claims with iss, aud, sub, user_id, iat and exp set.
func (v *Verifier) MintID(project, uid string, claims map[string]any) (string, error) {
	now := v.o.Clock.Now().Unix()
	claims = maps.Clone(claims)
	claims["iss"], claims["aud"] = issuerID+project, project
	claims["sub"], claims["user_id"] = uid, uid
	claims["iat"], claims["exp"] = now, now+int64(Life/time.Second)
	return v.mint(ringID, claims)
}

// MintCookie makes a session cookie from the claims of a verified ID token.
func (v *Verifier) MintCookie(id ID, life time.Duration) (string, error) {
	now := v.o.Clock.Now().Unix()
	claims := maps.Clone(id.Claims)
	claims["iss"] = issuerSession + id.Project
	claims["iat"], claims["exp"] = now, now+int64(life/time.Second)
	return v.mint(ringSession, claims)
}

// MintLegacy makes the token that a sign-in without returnSecureToken returns. No method accepts it.
func (v *Verifier) MintLegacy(project, uid string, claims map[string]any) (string, error) {
	now := v.o.Clock.Now().Unix()
	claims = maps.Clone(claims)
	claims["iss"], claims["aud"], claims["user_id"] = "https://identitytoolkit.google.com/", project, uid
	claims["iat"], claims["exp"] = now, now+int64(14*24*time.Hour/time.Second)
	return v.mint(ringAccess, claims)
}

// mint signs claims, or leaves them unsigned when there are no keys.
func (v *Verifier) mint(ring ringName, claims map[string]any) (string, error) {
	if v.o.Keys != nil {
		return v.o.Keys.sign(ring, claims)
	}
	if !v.o.Unsigned {
		return "", fault.E(fault.Internal, "there are no keys to sign with")
	}
	return unsigned(claims)
}

// SignBlob signs bytes for a service account that has no key of its own at hand, as IAM's signBlob does. Custom
// tokens signed so are good (see Custom). All service accounts of all projects share the key: what is a JWT must be
// issued by the account itself, or one project's server could sign users of another in.
func (v *Verifier) SignBlob(account string, blob []byte) (kid string, signature []byte, err error) {
	if t, err := parseJWT(string(blob) + "."); err == nil && (t.text("iss") != account || t.text("sub") != account) {
		return "", nil, fault.E(fault.PermissionDenied, "the JWT to sign is not issued by %s", account)
	}
	if v.o.Keys == nil {
		return "", nil, fault.E(fault.FailedPrecondition, "there are no keys to sign with")
	}
	key := v.o.Keys.signer(ringBlob, v.o.Clock.Now())
	digest := sha256.Sum256(blob)
	signature, err = rsa.SignPKCS1v15(rand.Reader, key.private, crypto.SHA256, digest[:])
	return key.id, signature, err
}

// EventIssuer returns the issuer of the tokens of events of a server with an origin. OpenID Connect discovery works from it.
func EventIssuer(origin string) string { return origin + "/__/events" }

// MintDelivery makes the OpenID Connect token that goes with an event of documents to a service, for the audience in "aud". A
// server with KeyOptions.Events can.
func (v *Verifier) MintDelivery(project, audience string) (raw string, expires time.Time, err error) {
	if v.o.Keys == nil || !v.o.Keys.o.Events {
		return "", time.Time{}, fault.E(fault.FailedPrecondition, "there are no keys to sign events with")
	}
	now := v.o.Clock.Now()
	expires = now.Add(lives[ringEvents])
	email := "events@" + project + ".iam.gserviceaccount.com"
	raw, err = v.o.Keys.sign(ringEvents, map[string]any{
		"iss": EventIssuer(v.o.PublicURL), "aud": audience, "sub": email, "email": email, "email_verified": true, "iat": now.Unix(), "exp": expires.Unix(),
	})
	return raw, expires, err
}

// MintEvent makes the JWT that a blocking function is sent: signed as ID tokens are, for the function's address in "aud".
func (v *Verifier) MintEvent(project, uid string, claims map[string]any) (string, error) {
	now := v.o.Clock.Now().Unix()
	claims = maps.Clone(claims)
	claims["iss"], claims["sub"] = issuerID+project, uid
	claims["iat"], claims["exp"] = now, now+int64(Life/time.Second)
	return v.mint(ringID, claims)
}
