package limit

// Excess is what happens to a client beyond a limit.
type Excess string

// The kinds of Excess.
const (
	// Refuses answers with an error.
	Refuses Excess = "refuses"
	// Waits delays, and refuses if the wait is too long.
	Waits Excess = "waits"
	// Displaces refuses a client that has much, and takes from one that has more for a client that has little.
	Displaces Excess = "displaces"
	// Ends ends what the client has begun.
	Ends Excess = "ends"
)

// Limit is a limit.
type Limit struct {
	// What is limited, as in the table of doc/production.md.
	What string
	// Key is whose things count together.
	Key string
	// All is the limit of all clients together or, if Key says so, of each; Network is that of one network.
	All, Network string
	// Excess is what happens beyond the limit, and Error what the client receives then.
	Excess Excess
	Error  string
	// Flag changes the limit; empty if it is fixed.
	Flag string
	// At are the declarations that set and enforce the limit, as PACKAGE.NAME with the package's path in server/internal.
	At []string
	// Operators reports whether the table of doc/production.md has the limit.
	Operators bool
}

// The keys of limits.
const (
	byNetwork    = "all clients, and each network"
	byAll        = "all clients"
	byConnection = "each connection"
	byStream     = "each stream"
	byRequest    = "each request"
	byDatabase   = "each database"
	byPort       = "each port"
)

// The errors of limits.
const (
	unavailable = "UNAVAILABLE; 503 over HTTP"
	exhausted   = "RESOURCE_EXHAUSTED"
	tooMany     = "TOO_MANY_ATTEMPTS_TRY_LATER"
	invalid     = "INVALID_ARGUMENT"
	closed      = "the connection is closed"
)

// memoryFlag is the flag on which M depends.
const memoryFlag = "--memory-limit"

// All returns all limits, by what they limit.
func All() []Limit {
	var all []Limit
	for _, group := range [][]Limit{connections, memory, work, database, accounts, sizes, times, administration} {
		all = append(all, group...)
	}
	return all
}
