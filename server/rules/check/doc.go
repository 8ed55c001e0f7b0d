// Package check analyses a rules file before any request: which declaration a name
// means, limits, which types can't be right (types.go), and what else is wrong. It warns where the official
// compiler only warns (unknown names load and fail when they are reached) and refuses what it refuses.
//
// Its result, a Program, is the tree with every name resolved to a place, so that evaluation looks nothing up
// by name.
package check
