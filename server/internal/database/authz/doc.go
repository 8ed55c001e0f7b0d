// Package authz authorizes all access to data. Every call names its caller (token.Caller). The database's ruleset
// authorizes unprivileged callers, on the same view that the call then reads or writes.
//
// A read opens a reading of the engine, applies the rules with it, and returns the allowed documents. A commit passes a
// check to the engine, which calls it inside the transaction. A listener's targets carry their authorization, which the
// hub checks for the versions that it sends: when a target opens, when a document changes that the rules looked up, and
// when the ruleset is replaced. Run ends the streams of expired tokens and revoked sessions.
//
// The invariant: no document reaches an unprivileged caller, and no write of one is applied, unless the ruleset in
// force at that moment allows it. Privileged calls use the same methods, with a privileged Caller.
package authz
