// Package token mints and verifies the tokens of Firebase Authentication, and identifies the caller of a request by its
// Authorization header.
//
// An ID token and a session cookie are JWTs. In production they are signed with RS256 by keys that rotate
// (Keys); the public halves are certificates that clients fetch. Under `clave start` they have no signature
// (alg "none"), as the official emulator's, unless signing is switched on.
//
// The invariant: a Verifier whose Options.Unsigned is false accepts only tokens that one of our keys, or the key of a
// registered service account, has signed. Options.Unsigned and Options.Owner enable everything that the official
// emulators accept beyond that. Production never sets them.
//
// The package does not depend on accounts. Options.Session checks whether a session was revoked or its user disabled.
package token
