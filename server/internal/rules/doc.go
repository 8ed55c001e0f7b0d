// Package rules authorizes requests by security rules (the cloud.firestore service of a firestore.rules file). Compile
// compiles a text to a Ruleset. Allow decides one request, for a document or for a query, and returns the reasons.
//
// A query is decided once, from its filters and without the stored documents. It is allowed only if every document that
// could match it would be allowed (see facts.go and package eval).
//
// The package must not depend on the engine: stored documents come from the Request and its Reader.
package rules
