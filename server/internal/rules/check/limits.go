package check

// The limits of rules (firebase.google.com/docs/firestore/quotas#security_rules and the official emulator).
const (
	maxSource = 256 << 10 // bytes of text
	maxParams = 7         // parameters of a function
	// Lets of a function: 10 according to the documentation, but the official compiler refuses only the 12th.
	maxLets       = 11
	maxNesting    = 11  // match statements in each other, that of the database included
	maxCaptures   = 20  // segments that are bound along nested match statements
	maxSegments   = 100 // segments along nested match statements
	maxCallDepth  = 21  // functions that call each other
	maxExprLevels = 99  // expressions in each other
)
