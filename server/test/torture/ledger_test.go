package torture

import (
	"fmt"
	"maps"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// ledger holds the outcomes of the clients' commits. It is safe for concurrent use.
type ledger struct {
	rising rising
	mu     struct {
		sync.Mutex
		next int64
		// entries maps documents that are created once to their known state.
		entries map[string]outcome
		// times maps acknowledged entries to their commit time.
		times map[string]time.Time
		// winners holds the numbers of the clients whose claim of a name was acknowledged.
		winners map[string][]int64
		// moments are times at which a document had a number.
		moments []moment
	}
}

// moment is a time at which a document had a number.
type moment struct {
	at   *timestamppb.Timestamp
	path string
	n    int64
}

// newLedger returns an empty ledger.
func newLedger() *ledger {
	l := &ledger{}
	l.mu.entries = make(map[string]outcome)
	l.mu.times = make(map[string]time.Time)
	l.mu.winners = make(map[string][]int64)
	return l
}

// number returns a unique number.
func (l *ledger) number() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.next++
	return l.mu.next
}

// made records the outcome and the time of the creation of an entry.
func (l *ledger) made(path string, o outcome, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.entries[path] = o
	if o == acknowledged {
		l.mu.times[path] = at
	}
}

// acknowledgedAt returns the commit time of each acknowledged entry.
func (l *ledger) acknowledgedAt() map[string]time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.mu.times)
}

// won records that a client's claim of a name was acknowledged.
func (l *ledger) won(name string, by int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.winners[name] = append(l.mu.winners[name], by)
}

// had records the number of a document at a time.
func (l *ledger) had(m moment) {
	const most = 10_000
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.mu.moments) < most {
		l.mu.moments = append(l.mu.moments, m)
	}
}

// moment returns one of the recorded times, chosen by a number. ok is false if there is none.
func (l *ledger) moment(n int) (m moment, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.mu.moments) == 0 {
		return m, false
	}
	return l.mu.moments[n%len(l.mu.moments)], true
}

// compare returns the errors in the found entries and names, which are given as numbers by path.
func (l *ledger) compare(entries, names map[string]fields) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var wrong []string
	for path, o := range l.mu.entries {
		_, found := entries[path]
		switch {
		case o == acknowledged && !found:
			wrong = append(wrong, fmt.Sprintf("%s was acknowledged and is lost", path))
		case o == refused && found:
			wrong = append(wrong, fmt.Sprintf("%s was refused and is there", path))
		}
	}
	for name, winners := range l.mu.winners {
		switch got := names[name]["by"]; {
		case len(winners) > 1:
			wrong = append(wrong, fmt.Sprintf("%s was given to several: %v", name, winners))
		case got != winners[0]:
			wrong = append(wrong, fmt.Sprintf("%s was given to %d and is %d's", name, winners[0], got))
		}
	}
	return wrong
}
