// Package rules decides requests by security rules (cloud.firestore of a firestore.rules file). Compile turns a text
// into a Ruleset once; Allow decides one request, about one document or about a query, and returns why.
//
// A query is decided once, from its filters alone, and never by the stored documents: it is allowed only if every
// document that could match it would be allowed (facts.go; package eval explains how).
//
// The package must not depend on the engine: stored documents come in with the Request and through its Reader.
package rules
