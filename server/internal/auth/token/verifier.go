package token

import (
	"context"
	"crypto/rsa"
	"crypto/sha256"
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
	// AppCheckKeys returns the key with an id of another App Check service whose tokens count too, or nil. It returns
	// Unavailable if the keys are not known yet. Nil means that only our own tokens count.
	AppCheckKeys func(kid string) (*rsa.PublicKey, error)
}

// ServiceAccount is a registered service account.
type ServiceAccount struct {
	Project string
	Role    Role
	// Keys are its public keys by key id.
	Keys map[string]*rsa.PublicKey
}

// Verifier verifies tokens. It is safe for concurrent use.
type Verifier struct {
	o Options
	// tokens holds the verified ID tokens; nil with Options.Unsigned.
	tokens *cache
	// checks holds the verified App Check tokens; nil without keys for them.
	checks *cache
}

// New returns a Verifier.
func New(o Options) *Verifier {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	v := &Verifier{o: o}
	if !o.Unsigned {
		v.tokens = newCache()
	}
	if o.Keys != nil && o.Keys.o.AppCheck {
		v.checks = newCache()
	}
	return v
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
	// Claims are all claims. They are shared and must not be changed.
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
	p, err := v.read(raw)
	if err != nil {
		return ID{}, errUnauthenticated(err)
	}
	t, err := v.verifyID(p, project)
	if err != nil {
		return ID{}, err
	}
	return t.id, nil
}

// Cookie verifies a session cookie for project without checking its session.
func (v *Verifier) Cookie(raw, project string) (ID, error) {
	t, err := parseJWT(raw)
	if err != nil {
		return ID{}, errUnauthenticated(err)
	}
	if !v.o.Unsigned && !v.o.Keys.signed(ringSession, t, v.o.Clock.Now()) {
		return ID{}, errUnauthenticated(errNotOurs)
	}
	if err := v.judge(t, project, issuerSession); err != nil {
		return ID{}, err
	}
	return v.describe(t, project)
}

// credential is a token that a client has presented.
type credential struct {
	// jwt is the parsed token. foreign is set if it has the padding that only tokens of service accounts may have.
	jwt     *jwt
	foreign bool
	// known is the token if its signature was verified before, otherwise nil.
	known *verifiedToken
	// generation is that of the keys when the token was read, and digest the token's; zero if the token is not to be kept.
	generation uint64
	digest     digest
}

// read parses a token unless it is an ID token that was verified before. It verifies nothing.
func (v *Verifier) read(raw string) (credential, error) {
	var p credential
	if v.tokens != nil && v.o.Keys != nil && len(raw) <= maxKeptToken {
		p.generation, p.digest = v.o.Keys.generation.Load(), sha256.Sum256([]byte(raw))
		if p.known = v.tokens.get(p.digest, p.generation); p.known != nil {
			p.jwt = p.known.jwt
			return p, nil
		}
	}
	var err error
	p.jwt, err = parseForeign(raw)
	p.foreign = strings.Contains(raw, "=")
	return p, err
}

// errNotOurs is the logged cause of an error for a token that no key of ours has signed.
var errNotOurs = errors.New("not signed by a key of ours")

// verifyID verifies an ID token for project. For a token whose signature was verified before, it checks everything
// else.
func (v *Verifier) verifyID(p credential, project string) (*verifiedToken, error) {
	if p.foreign {
		return nil, errUnauthenticated(errMalformed)
	}
	now := v.o.Clock.Now()
	if t := p.known; t != nil {
		published := v.o.Keys.publishes(ringID, t.key, now)
		if !published || !now.Before(t.id.Expires) {
			v.tokens.drop(p.digest)
		}
		if !published {
			return nil, errUnauthenticated(errNotOurs)
		}
		if err := v.judge(t.jwt, project, issuerID); err != nil {
			return nil, err
		}
		return t, nil
	}
	t := &verifiedToken{jwt: p.jwt}
	if !v.o.Unsigned {
		if t.key = v.o.Keys.signerOf(ringID, p.jwt, now); t.key == nil {
			return nil, errUnauthenticated(errNotOurs)
		}
	}
	err := v.judge(p.jwt, project, issuerID)
	if err == nil {
		t.id, err = v.describe(p.jwt, project)
	}
	if err != nil {
		return nil, err
	}
	// A service account's own token is verified by its keys; see serviceAccountOf.
	if p.generation != 0 && !isServiceAccount(p.jwt) {
		t.jwt = &jwt{header: p.jwt.header, claims: p.jwt.claims} // without the token's text
		v.tokens.put(p.digest, t, p.generation, now)
	}
	return t, nil
}

// judge checks the claims of a JWT of ours, whose signature was verified.
func (v *Verifier) judge(t *jwt, project, issuer string) error {
	if aud := t.text("aud"); aud != project && (!v.o.Unsigned || aud != "") {
		return fault.Denied()
	}
	if iss := t.text("iss"); !isIssuer(iss, issuer, project) && (strings.HasPrefix(iss, issuerID) || strings.HasPrefix(iss, issuerSession)) && issuer == issuerID {
		return errUnauthenticated(errors.New("not an ID token of this project"))
	}
	if v.o.Unsigned {
		return nil
	}
	if err := v.checkTimes(t, project); err != nil {
		return errUnauthenticated(err)
	}
	if !isIssuer(t.text("iss"), issuer, project) {
		return errUnauthenticated(errors.New("wrong issuer"))
	}
	return nil
}

// isIssuer reports whether a claim names an issuer of a project's tokens.
func isIssuer(iss, issuer, project string) bool {
	of, found := strings.CutPrefix(iss, issuer)
	return found && of == project
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

// now returns the present time of a project.
func (v *Verifier) now(project string) time.Time { return clock.NowOf(v.o.Clock, project) }

// checkTimes checks that a token is valid now, by the clock of a project; with an empty id by the server's, for tokens
// that other machines make: exp must be in the future; iat, auth_time and nbf must not.
func (v *Verifier) checkTimes(t *jwt, project string) error {
	now := v.now(project)
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
