package token

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"clave/server/internal/base/fault"
)

// accessPrefix is the prefix of servers' access tokens, the same as Google's.
const accessPrefix = "ya29."

// accessAudience marks an access token, so that no other token that we sign is accepted as one.
const accessAudience = "clave:admin"

// maxAssertion is the maximum lifetime of a service account's own JWT.
const maxAssertion = time.Hour

// isLong reports whether a token is valid for longer than maxAssertion. The sum does not overflow, because checkTimes
// refuses tokens from the future; the difference of the times may overflow.
func (t *jwt) isLong() bool {
	return mustSeconds(t, "exp") > mustSeconds(t, "iat")+int64(maxAssertion/time.Second)
}

// isServiceAccount reports whether a token's claims name a service account as its issuer.
func isServiceAccount(t *jwt) bool {
	iss := t.text("iss")
	return strings.Contains(iss, "@") && (t.text("sub") == "" || t.text("sub") == iss)
}

// Assertion verifies the JWT with which a service account requests an access token from the OAuth2 token endpoint (RFC
// 7523), and mints the access token. audiences are the names of the endpoint.
func (v *Verifier) Assertion(ctx context.Context, raw string, audiences []string) (access string, life time.Duration, err error) {
	t, err := parseForeign(raw)
	if err != nil || !isServiceAccount(t) {
		return "", 0, fault.Wrap(err, fault.Unauthenticated, "Invalid JWT: not made by a service account.")
	}
	account, kid, err := v.byServiceAccount(ctx, t)
	if err != nil {
		return "", 0, err
	}
	known := false
	for _, a := range audiences {
		known = known || a == t.text("aud")
	}
	if !known {
		return "", 0, fault.E(fault.Unauthenticated, "Invalid JWT: wrong audience %q.", t.text("aud"))
	}
	now := v.o.Clock.Now().Unix()
	claims := map[string]any{
		"iss": t.text("iss"), "aud": accessAudience, "project": account.Project, "key": kid, "iat": now, "exp": now + int64(Life/time.Second),
	}
	signed, err := v.mint(ringAccess, claims)
	return accessPrefix + signed, Life, err
}

// access verifies an access token made by Assertion. The service account must still have the key that signed the
// assertion.
func (v *Verifier) access(ctx context.Context, raw, project string) (Caller, error) {
	t, err := parseJWT(raw)
	if err != nil {
		return Caller{}, errUnauthenticated(err)
	}
	now := v.o.Clock.Now()
	if v.o.Keys == nil || !v.o.Keys.signed(ringAccess, t, now) || t.text("aud") != accessAudience {
		return Caller{}, errUnauthenticated(errors.New("not an access token of ours"))
	}
	if err := v.checkTimes(t, ""); err != nil {
		return Caller{}, errUnauthenticated(err)
	}
	account, err := v.serviceAccount(ctx, t.text("iss"))
	if err != nil {
		return Caller{}, err
	}
	if account.Keys[t.text("key")] == nil || account.Project != t.text("project") {
		return Caller{}, errUnauthenticated(errRevoked)
	}
	return ofAccount(account, t.text("key"), t, project)
}

// selfSigned verifies a JWT that a service account's holder signed itself and uses in place of an access token, as
// Google's client libraries do.
func (v *Verifier) selfSigned(ctx context.Context, t *jwt, project string) (Caller, error) {
	account, kid, err := v.byServiceAccount(ctx, t)
	if err != nil {
		return Caller{}, err
	}
	switch aud, ok := t.claims["aud"].(string); {
	case ok && aud != "":
		if !v.ourAudience(aud) {
			return Caller{}, errUnauthenticated(fmt.Errorf("issued for another audience: %q", aud))
		}
	case t.claims["aud"] != nil && !ok:
		return Caller{}, errUnauthenticated(errors.New("the audience is not a string"))
	case !adminScope(t.text("scope")):
		return Caller{}, errUnauthenticated(errors.New("neither an audience nor an administrative scope"))
	}
	return ofAccount(account, kid, t, project)
}

// forService reports whether a service account's JWT has the form of one that replaces an access token: it has a scope
// or a service's audience, not that of a custom token. `clave start` requires no more.
func (t *jwt) forService() bool {
	aud := t.text("aud")
	return (t.text("scope") != "" || strings.HasSuffix(strings.TrimSuffix(aud, "/"), ".googleapis.com")) && !strings.Contains(aud, "identitytoolkit.v1")
}

// serviceHosts lists the hosts whose APIs we serve for servers. Client libraries write them into the audience of a JWT.
var serviceHosts = []string{"firestore.googleapis.com", "identitytoolkit.googleapis.com", "www.googleapis.com", "iamcredentials.googleapis.com", "firebase.googleapis.com", "firebaserules.googleapis.com"}

// servicePaths lists the paths of such an audience: none, or the gRPC service (google.aip.dev/auth/4111). The audience
// of custom tokens is not among them: Google's servers don't accept custom tokens as access tokens either.
var servicePaths = []string{"", "/", "/google.firestore.v1.Firestore", "/google.firestore.admin.v1.FirestoreAdmin"}

// ourAudience reports whether the audience of a server's JWT is an API that we serve, or our public URL.
func (v *Verifier) ourAudience(aud string) bool {
	if own := strings.TrimSuffix(v.o.PublicURL, "/"); own != "" {
		if path, ok := strings.CutPrefix(aud, own); ok {
			return slices.Contains(servicePaths, path)
		}
	}
	rest, ok := strings.CutPrefix(aud, "https://")
	if !ok {
		return false
	}
	host, _, _ := strings.Cut(rest, "/")
	return slices.Contains(serviceHosts, host) && slices.Contains(servicePaths, rest[len(host):])
}

// adminScopes lists the OAuth2 scopes of which a JWT without audience must have one.
var adminScopes = []string{"cloud-platform", "datastore", "firebase", "identitytoolkit", "firebase.database"}

// adminScope reports whether a list of scopes, separated by spaces, has one of adminScopes.
func adminScope(scopes string) bool {
	for scope := range strings.FieldsSeq(scopes) {
		if name, ok := strings.CutPrefix(scope, "https://www.googleapis.com/auth/"); ok && slices.Contains(adminScopes, name) {
			return true
		}
	}
	return false
}

// mustSeconds returns a claim whose presence was checked.
func mustSeconds(t *jwt, name string) int64 {
	n, _ := t.seconds(name)
	return n
}

// ofAccount returns the server that a token identifies by a key of a service account, as a caller of project whose Role
// is to be judged.
func ofAccount(account ServiceAccount, kid string, t *jwt, project string) (Caller, error) {
	if account.Project != project {
		return Caller{}, fault.Denied()
	}
	return Caller{Role: account.Role, Project: project, Service: t.text("iss"), key: kid, Expires: time.Unix(mustSeconds(t, "exp"), 0).UTC()}, nil
}

// byServiceAccount verifies a JWT that a service account signed with a registered key, and its times.
func (v *Verifier) byServiceAccount(ctx context.Context, t *jwt) (account ServiceAccount, kid string, err error) {
	account, err = v.serviceAccount(ctx, t.text("iss"))
	if err != nil {
		return ServiceAccount{}, "", err
	}
	for id, public := range account.Keys {
		if (t.header.Kid == "" || t.header.Kid == id) && t.signedBy(public) {
			kid = id
		}
	}
	if kid == "" {
		return ServiceAccount{}, "", errUnauthenticated(errors.New("not signed by a registered key"))
	}
	if err := v.checkTimes(t, ""); err != nil {
		return ServiceAccount{}, "", errUnauthenticated(err)
	}
	if t.isLong() {
		return ServiceAccount{}, "", errUnauthenticated(errors.New("is valid for longer than an hour"))
	}
	return account, kid, nil
}

// ServiceAccount returns the service account that is registered under an e-mail address. It has no project and no keys
// if there is none.
func (v *Verifier) ServiceAccount(ctx context.Context, email string) (ServiceAccount, error) {
	if v.o.ServiceKeys == nil {
		return ServiceAccount{}, nil
	}
	return v.o.ServiceKeys(ctx, email)
}

// serviceAccount returns the service account that is registered under an e-mail address, for its own tokens.
func (v *Verifier) serviceAccount(ctx context.Context, email string) (ServiceAccount, error) {
	if v.o.ServiceKeys == nil {
		return ServiceAccount{}, errUnauthenticated(errors.New("no service accounts are registered"))
	}
	account, err := v.o.ServiceKeys(ctx, email)
	if err != nil {
		return ServiceAccount{}, err
	}
	if len(account.Keys) == 0 {
		return ServiceAccount{}, errUnauthenticated(errors.New("unknown service account"))
	}
	return account, nil
}
