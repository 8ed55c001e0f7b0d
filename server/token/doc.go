// Package token mints and verifies the tokens of Firebase Authentication, and identifies the caller of a request by its Authorization
// header.
//
// An ID token and a session cookie are JWTs. In production they are signed with RS256 by keys that rotate
// (Keys); the public halves are certificates that clients fetch. Under `clave start` they have no signature
// (alg "none"), as the official emulator's, unless signing is switched on.
//
// The invariant: a Verifier whose Options.Unsigned is false accepts nothing that one of our keys, or the key of
// a registered service account, has not signed. Everything that the official emulators accept beyond that is
// behind Options.Unsigned and Options.Owner, which production never sets.
//
// The package does not depend on accounts. Whether a session was revoked or its user disabled is checked by
// Options.Session.
package token
