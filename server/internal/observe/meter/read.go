package meter

import "time"

// RuleMethods are the methods that rules allow or deny; Decide takes their indexes.
var RuleMethods = [...]string{"get", "list", "create", "update", "delete"}

// Decision is the result of evaluating rules.
type Decision int

// The decisions. Failed is one that could not be made because a document that the rules looked up could not be read.
const (
	Allowed Decision = iota
	Denied
	Failed
	decided
)

// DecisionNames are the decisions' names.
var DecisionNames = [decided]string{Allowed: "allow", Denied: "deny", Failed: "error"}

// Decide counts a decision about the method with an index in RuleMethods.
func (m *Meter) Decide(method int, d Decision) {
	if m != nil && method >= 0 && method < len(RuleMethods) {
		m.decisions[method][d].Add(1)
	}
}

// Limits are the names of limits for clients: of writes without a signed-in user, of requests that wait for a leader,
// and of Authentication and App Check.
var Limits = []string{"anonymous-writes", "leader-wait", "sign-in", "sign-up", "code", "factor", "hash", "recipient", "guesses", "app-check"}

// Limited counts a request that a limit refused.
func (m *Meter) Limited(name string) {
	if m == nil {
		return
	}
	n := m.limits[name]
	if n == nil {
		n = m.limits[Other]
	}
	n.Add(1)
}

// Products are the products whose requests App Check checks; Check takes their indexes.
var Products = [...]string{"firestore", "auth"}

// Checked is what App Check found out about a request.
type Checked int

// The results of checks.
const (
	Valid Checked = iota
	Invalid
	Missing
	checks
)

// CheckedNames are the results' names.
var CheckedNames = [checks]string{Valid: "valid", Invalid: "invalid", Missing: "missing"}

// Check counts a request to the product with an index in Products.
func (m *Meter) Check(product int, c Checked) {
	if m != nil && product >= 0 && product < len(Products) {
		m.checked[product][c].Add(1)
	}
}

// Checks are the requests that App Check has checked since the start, by index in Products and what it found.
type Checks struct {
	Counts  [len(Products)][checks]uint64 `json:"counts"`
	Started time.Time                     `json:"started"`
}

// Checks returns what Check has counted.
func (m *Meter) Checks() Checks {
	c := Checks{Started: m.started}
	for i := range m.checked {
		for j := range m.checked[i] {
			c.Counts[i][j] = uint64(m.checked[i][j].Load())
		}
	}
	return c
}

// CommitsWritten counts a group of commits that were written together, with the duration.
func (m *Meter) CommitsWritten(commits int, took time.Duration) {
	m.groups.had(commits)
	m.syncs.took(took)
}

// Sent counts the time from a commit until a live query's stream could send it.
func (m *Meter) Sent(after time.Duration) { m.fanout.took(max(0, after)) }

// All holds all counts since the start, except those of calls.
type All struct {
	Counts
	// Operations are the durations of operations on data, in seconds, by Operation.
	Operations [operations]Distribution
	// Decisions are the decisions of rules, by index in RuleMethods and Decision.
	Decisions [len(RuleMethods)][decided]uint64
	// Checked are the requests by index in Products and what App Check found.
	Checked [len(Products)][checks]uint64
	// Limits are the numbers of requests that limits refused, by name.
	Limits map[string]uint64
	// Groups are the numbers of commits that were written together, Writes the durations of these writes, and Fanout
	// the times from commits until streams could send them, in seconds.
	Groups, Syncs, Fanout Distribution
	Started               time.Time
}

// All returns all counts since the start, except those of calls.
func (m *Meter) All() All {
	a := All{Counts: m.total().Counts, Limits: make(map[string]uint64), Groups: m.groups.Read(), Syncs: m.syncs.Read(), Fanout: m.fanout.Read(), Started: m.started}
	for i, h := range m.took {
		a.Operations[i] = h.Read()
	}
	for i := range m.decisions {
		for j := range m.decisions[i] {
			a.Decisions[i][j] = uint64(m.decisions[i][j].Load())
		}
	}
	a.Checked = m.Checks().Counts
	for name, n := range m.limits {
		a.Limits[name] = uint64(n.Load())
	}
	return a
}
