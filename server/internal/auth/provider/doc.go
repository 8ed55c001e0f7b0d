// Package provider signs users in with real identity providers: those that speak OpenID Connect, among them Google,
// Apple and Microsoft, those that speak OAuth 2 alone, among them GitHub and Facebook, and those that speak SAML.
//
// Providers begin a sign-in at a provider (Begin) and verify its response, or the ID token of an app that signed the
// user in itself (Verify). They read the configurations that administrators store with the API. The open sign-ins are
// items of the account store: each is found by the digest of its state, is bound to the session id that the client
// received, and is valid once and for ten minutes.
//
// Pending tokens stand for what a provider asserted: they are items of the account store too, valid once and for an
// hour (Keep).
//
// Tokens and signatures are verified by go-oidc, SAML responses by crewjam/saml. An answer of a provider is limited in
// time and size, and is never part of the text of an error that a client receives.
package provider
