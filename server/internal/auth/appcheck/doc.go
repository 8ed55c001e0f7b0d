// Package appcheck is App Check: it issues the tokens by which apps prove that they are the project's own, verifies
// them on requests of clients, and marks them as used.
//
// A Checker decides about requests at every node. A Service, which writes, exists at the server that writes the store.
// Tokens are those of auth/token: JWTs signed by keys of a ring of their own. What reCAPTCHA, Play Integrity and Apple
// attest only Google can verify; tokens of Google's service are accepted by its published keys (package keyset).
package appcheck
