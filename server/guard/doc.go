// Package guard is the only way to data. Every call names its caller (token.Caller); what an unprivileged caller may do
// is decided by the database's ruleset, on the same view that the call then reads or writes.
//
// A read opens a reading of the engine, applies the rules with it, and returns what they allow. A commit passes the engine
// a check, which the engine calls inside the transaction. A listener's targets carry their authorization: it is checked when
// a target opens, and again when the caller's token expires, the ruleset is replaced, or a document changes that the rules
// looked up. Run does the latter; without it no open target is authorized again.
//
// The invariant: no document reaches an unprivileged caller, and no write is done for one, that the ruleset in force at
// that moment does not allow. A privileged caller is a Caller, not another route.
package guard
