// Package check analyses a rules file before any request: it resolves names, and checks limits, types (types.go) and
// other errors. It warns where the official compiler only warns (rules with unknown names load, and the names fail when
// they are evaluated), and refuses what that compiler refuses.
//
// Its result, a Program, is the tree with every name resolved to a slot, so that evaluation needs no lookup by name.
package check
