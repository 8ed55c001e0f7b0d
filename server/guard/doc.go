// Package guard is the only way to data. Every call names its caller (token.Caller); what an unprivileged caller may do
// is decided by the database's ruleset, on the same view that the call then reads or writes.
//
// A read opens a reading of the engine, asks the law with it, and gives out what the law allows. A commit gives the
// engine a check that the engine calls inside the transaction. A listener's targets carry the law with them, so that it
// is asked when they open and again when the caller's token, the ruleset or a document that the law looked up changes.
//
// The invariant: no document reaches an unprivileged caller, and no write is done for one, that the ruleset in force at
// that moment does not allow. A privileged caller is a Caller, not another route.
package guard
