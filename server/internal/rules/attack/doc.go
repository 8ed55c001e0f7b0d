// Package attack searches security rules for requests that they allow and probably should not.
//
// For each allow statement it makes a request that the statement allows: from the rules alone (solver.go), or from
// recorded requests. The solver evaluates a request, looks for the expression that decided against it, and changes the
// request, or the documents that rules look up, so that this expression becomes true, until the request is allowed.
// Then probes (probe.go) change what rules have to guard: who asks, whose document it is, fields, types, sizes, times
// and collections. A changed request that is still allowed is a finding, with the line that allowed it and a case that
// shows it. The search is not complete: what it does not find may still be a hole.
package attack
