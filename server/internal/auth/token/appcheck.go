package token

import (
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"strings"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
)

// issuerAppCheck is the issuer of App Check tokens; the project's number follows, or its id if the app's id has none.
const issuerAppCheck = "https://firebaseappcheck.googleapis.com/"

// appCheckAudiences are the audiences of the custom tokens that are exchanged for App Check tokens.
var appCheckAudiences = map[string]bool{
	"https://firebaseappcheck.googleapis.com/google.firebase.appcheck.v1.TokenExchangeService":     true,
	"https://firebaseappcheck.googleapis.com/google.firebase.appcheck.v1beta.TokenExchangeService": true,
}

// AppCheck is a verified App Check token.
type AppCheck struct {
	// App is the app's id, and ID the token's own id; empty if it has none.
	App, ID string
	Expires time.Time
}

// appNumber finds the project's number in an app's id, such as 1:123456:web:abcdef.
var appNumber = pattern.New(`^1:([0-9]{1,20}):`)

// resourceOf returns the name of a project.
func resourceOf(project string) string { return "projects/" + project }

// MintAppCheck returns an App Check token for an app of project, with an id and a lifetime. Its last audience is the
// project's id, because a number that an app's id has may be the id of another project here.
func (v *Verifier) MintAppCheck(project, app, id string, life time.Duration) (string, error) {
	if v.o.Keys == nil || !v.o.Keys.o.AppCheck {
		return "", fault.E(fault.FailedPrecondition, "App Check is not set up on this server.")
	}
	now := v.o.Clock.Now().Unix()
	of, audiences := project, []string{resourceOf(project)}
	if number := appNumber.FindStringSubmatch(app); number != nil && number[1] != project {
		of, audiences = number[1], []string{resourceOf(number[1]), resourceOf(project)}
	}
	return v.o.Keys.sign(ringAppCheck, map[string]any{
		"iss": issuerAppCheck + of, "aud": audiences, "sub": app, "jti": id, "iat": now, "exp": now + int64(life/time.Second),
	})
}

// errAppCheck is the logged cause of an error for an App Check token of another project.
var errAppCheck = errors.New("not an App Check token of this project")

// AppCheck verifies an App Check token for project. It must have the signature of one of our keys, or of one of
// Options.AppCheckKeys. It returns Unavailable if these cannot be read yet.
func (v *Verifier) AppCheck(raw, project string) (AppCheck, error) {
	if v.checks == nil || len(raw) > maxKeptToken {
		return AppCheck{}, errUnauthenticated(errMalformed)
	}
	generation, digest := v.o.Keys.generation.Load(), digest(sha256.Sum256([]byte(raw)))
	now := v.o.Clock.Now()
	t := v.checks.get(digest, generation)
	known := t != nil
	if known {
		if err := v.stillSigned(t, now); err != nil {
			v.checks.drop(digest)
			return AppCheck{}, err
		}
	} else {
		parsed, err := parseJWT(raw)
		if err != nil {
			return AppCheck{}, errUnauthenticated(err)
		}
		if t, err = v.signedCheck(parsed, now); err != nil {
			return AppCheck{}, err
		}
	}
	if err := v.judgeCheck(t, project); err != nil {
		return AppCheck{}, errUnauthenticated(err)
	}
	if !known {
		t.id.Expires = time.Unix(mustSeconds(t.jwt, "exp"), 0).UTC()
		t.jwt = &jwt{header: t.jwt.header, claims: t.jwt.claims} // without the token's text
		v.checks.put(digest, t, generation, now)
	}
	return AppCheck{App: t.jwt.text("sub"), ID: t.jwt.text("jti"), Expires: t.id.Expires}, nil
}

// signedCheck verifies the signature of an App Check token.
func (v *Verifier) signedCheck(t *jwt, now time.Time) (*verifiedToken, error) {
	if key := v.o.Keys.signerOf(ringAppCheck, t, now); key != nil {
		return &verifiedToken{jwt: t, key: key}, nil
	}
	foreign, err := v.foreignKey(t.header.Kid)
	if err != nil {
		return nil, err
	}
	if foreign == nil || !t.signedBy(foreign) {
		return nil, errUnauthenticated(errNotOurs)
	}
	return &verifiedToken{jwt: t, foreign: foreign}, nil
}

// foreignKey returns the key of another App Check service with an id, or nil.
func (v *Verifier) foreignKey(kid string) (*rsa.PublicKey, error) {
	if v.o.AppCheckKeys == nil || kid == "" || v.o.Keys.named(ringAppCheck, kid, v.o.Clock.Now()) != nil {
		return nil, nil
	}
	return v.o.AppCheckKeys(kid)
}

// stillSigned returns an error unless the key that has signed a kept token is still valid.
func (v *Verifier) stillSigned(t *verifiedToken, now time.Time) error {
	if t.key != nil {
		if !v.o.Keys.publishes(ringAppCheck, t.key, now) {
			return errUnauthenticated(errNotOurs)
		}
		return nil
	}
	foreign, err := v.foreignKey(t.jwt.header.Kid)
	if err == nil && (foreign == nil || !foreign.Equal(t.foreign)) {
		err = errUnauthenticated(errNotOurs)
	}
	return err
}

// judgeCheck checks the claims of an App Check token whose signature was verified. Among the audiences of another
// service's token is the project's id; ours have it at the end.
func (v *Verifier) judgeCheck(t *verifiedToken, project string) error {
	audiences, _ := t.jwt.claims["aud"].([]any)
	ours := false
	for i, audience := range audiences {
		ours = ours || audience == resourceOf(project) && (t.key == nil || i == len(audiences)-1)
	}
	if !ours || !strings.HasPrefix(t.jwt.text("iss"), issuerAppCheck) || t.jwt.text("sub") == "" {
		return errAppCheck
	}
	return v.checkTimes(t.jwt, "")
}

// AppCheckCustom verifies a custom token by which a service account of project attests an app. It returns the wanted
// lifetime of the App Check token as the claim ttl has it, or an empty text.
func (v *Verifier) AppCheckCustom(ctx context.Context, raw, project, app string) (ttl string, err error) {
	if len(raw) > maxKeptToken {
		return "", errUnauthenticated(errMalformed)
	}
	t, err := parseForeign(raw)
	if err != nil {
		return "", errUnauthenticated(err)
	}
	if !appCheckAudiences[t.text("aud")] || t.text("app_id") != app || app == "" {
		return "", errUnauthenticated(errors.New("a custom token for another purpose or another app"))
	}
	if err := v.checkCustomSigner(ctx, t, project); err != nil {
		return "", err
	}
	if err := v.checkCustomTimes(t); err != nil {
		return "", err
	}
	return t.text("ttl"), nil
}
