package token

import (
	"context"
	"crypto/rsa"
	"errors"
	"strings"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// The issuers of ID tokens and session cookies; the project's id follows. They are Google's names because
// the SDKs compare them.
const (
	issuerID      = "https://securetoken.google.com/"
	issuerSession = "https://session.firebase.google.com/"
)

// errNoSubject is the error of a token without a subject.
var errNoSubject = errors.New("no subject")

// skew is the tolerated difference between the clocks of two machines.
const skew = 5 * time.Minute

// Options configure a Verifier.
type Options struct {
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Unsigned enables what the official emulators accept: tokens without a verified signature, expired tokens, and
	// everything that Owner enables. For `clave start` only.
	Unsigned bool
	// Owner accepts `Bearer owner` as a server, and custom tokens without signature, as the Admin SDKs create them for
	// emulators. For `clave start` only.
	Owner bool
	// Keys are our own keys. They may be nil only with Unsigned: tokens are then minted without signature.
	Keys *Keys
	// ServiceKeys returns the public keys registered for a service account, and the project it administers; no keys when
	// there is no such account. Nil means that no service account is known.
	ServiceKeys func(ctx context.Context, email string) (ServiceAccount, error)
	// PublicURL is the server's own origin, such as https://data.example.org. Other servers' JWTs may have it as their
	// audience.
	PublicURL string
	// Session is called for every valid ID token, with signatures on. It returns an error when the session was revoked or
	// its user disabled or deleted. Nil skips the check.
	Session func(ctx context.Context, id ID) error
}

// ServiceAccount is a registered service account.
type ServiceAccount struct {
	Project string
	// Keys are its public keys by key id.
	Keys map[string]*rsa.PublicKey
}

// Verifier verifies tokens. It is safe for concurrent use.
type Verifier struct {
	o Options
}

// New returns a Verifier.
func New(o Options) *Verifier {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	return &Verifier{o: o}
}

// Signed reports whether tokens carry signatures.
func (v *Verifier) Signed() bool { return v.o.Keys != nil }

// ID is a verified ID token or session cookie.
type ID struct {
	// UID is the user's id and Tenant its tenant, or empty.
	UID, Tenant string
	Project     string
	// AuthTime is the time of the sign-in, and Expires that of the token's expiry.
	AuthTime, Issued, Expires time.Time
	// Provider is the sign-in method, such as "password".
	Provider string
	// Epoch is the claim firebase.session_epoch, or zero if it is missing: the number of revocations of all of the user's
	// sessions before this one began. Only sessions that began in the second of such a revocation have it.
	Epoch int64
	// Claims are all claims.
	Claims map[string]any
}

// ID verifies an ID token for project and checks that its session has not ended.
func (v *Verifier) ID(ctx context.Context, raw, project string) (ID, error) {
	id, err := v.IDOnly(raw, project)
	if err != nil {
		return id, err
	}
	if err := v.checkSession(ctx, id); err != nil {
		return ID{}, err
	}
	return id, nil
}

// checkSession returns Unauthenticated if the session of an ID token has ended, or the error of the check.
func (v *Verifier) checkSession(ctx context.Context, id ID) error {
	if v.o.Session == nil || v.o.Unsigned {
		return nil
	}
	err := v.o.Session(ctx, id)
	if err == nil || fault.FromError(err).Code == fault.Internal {
		return err
	}
	return errUnauthenticated(err)
}

// IDOnly verifies an ID token for project without checking its session.
func (v *Verifier) IDOnly(raw, project string) (ID, error) {
	return v.verify(raw, project, issuerID, ringID)
}

// Cookie verifies a session cookie for project without checking its session.
func (v *Verifier) Cookie(raw, project string) (ID, error) {
	return v.verify(raw, project, issuerSession, ringSession)
}

// verify verifies a JWT of ours.
func (v *Verifier) verify(raw, project, issuer string, ring ringName) (ID, error) {
	t, err := parseJWT(raw)
	if err != nil {
		return ID{}, errUnauthenticated(err)
	}
	if !v.o.Unsigned && !v.o.Keys.signed(ring, t, v.o.Clock.Now()) {
		return ID{}, errUnauthenticated(errors.New("not signed by a key of ours"))
	}
	if aud := t.text("aud"); aud != project && (!v.o.Unsigned || aud != "") {
		return ID{}, fault.Denied()
	}
	if iss := t.text("iss"); iss != issuer+project && (strings.HasPrefix(iss, issuerID) || strings.HasPrefix(iss, issuerSession)) && issuer == issuerID {
		return ID{}, errUnauthenticated(errors.New("not an ID token of this project"))
	}
	if !v.o.Unsigned {
		if err := v.checkTimes(t); err != nil {
			return ID{}, errUnauthenticated(err)
		}
		if t.text("iss") != issuer+project {
			return ID{}, errUnauthenticated(errors.New("wrong issuer"))
		}
	}
	return v.describe(t, project)
}

// maxUID is the maximum length of an account's id, in bytes.
const maxUID = 4 << 10

// describe reads the claims of a trusted token.
func (v *Verifier) describe(t *jwt, project string) (ID, error) {
	id := ID{UID: t.text("sub"), Project: project, Claims: t.claims}
	if id.UID == "" || len(id.UID) > maxUID {
		return ID{}, errUnauthenticated(errNoSubject)
	}
	if f, ok := t.claims["firebase"].(map[string]any); ok {
		id.Tenant, _ = f["tenant"].(string)
		id.Provider, _ = f["sign_in_provider"].(string)
		id.Epoch, _ = f["session_epoch"].(int64)
	}
	if strings.Contains(id.UID+id.Tenant, "\x00") { // It separates the parts of stored keys.
		return ID{}, errUnauthenticated(errors.New("an id with NUL"))
	}
	for name, to := range map[string]*time.Time{"auth_time": &id.AuthTime, "exp": &id.Expires, "iat": &id.Issued} {
		if n, ok := t.seconds(name); ok {
			*to = time.Unix(n, 0).UTC()
		}
	}
	if id.AuthTime.IsZero() {
		id.AuthTime = id.Issued
	}
	return id, nil
}

// checkTimes checks that a token is valid now: exp must be in the future; iat, auth_time and nbf must not.
func (v *Verifier) checkTimes(t *jwt) error {
	now := v.o.Clock.Now()
	exp, hasExp := t.seconds("exp")
	iat, hasIat := t.seconds("iat")
	if !hasExp || !hasIat {
		return errors.New("token without exp or iat")
	}
	if !now.Before(time.Unix(exp, 0)) {
		return errors.New("token has expired")
	}
	if time.Unix(iat, 0).After(now.Add(skew)) {
		return errors.New("token was issued in the future")
	}
	for _, name := range []string{"nbf", "auth_time"} {
		if n, ok := t.seconds(name); ok && time.Unix(n, 0).After(now.Add(skew)) {
			return errors.New("token is not yet valid")
		}
	}
	return nil
}

// Keys returns our own keys, or nil when tokens are not signed.
func (v *Verifier) Keys() *Keys { return v.o.Keys }

// PublicURL returns the server's own origin, or empty if it is not configured.
func (v *Verifier) PublicURL() string { return v.o.PublicURL }
