package backoffice

import (
	"crypto/sha256"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/randid"
)

// ticketLife is the time for which a ticket is valid.
const ticketLife = 10 * time.Minute

// tickets are the tickets that were issued and not used. Only their hashes are kept.
type tickets struct {
	clock clock.Clock
	mu    struct {
		sync.Mutex
		expiry map[[sha256.Size]byte]time.Time
	}
}

// newTickets returns an empty set.
func newTickets(c clock.Clock) *tickets {
	t := &tickets{clock: c}
	t.mu.expiry = make(map[[sha256.Size]byte]time.Time)
	return t
}

// issue creates a ticket of 256 random bits.
func (t *tickets) issue() string {
	value := randid.Secret(32)
	now := t.clock.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, expiry := range t.mu.expiry {
		if !now.Before(expiry) {
			delete(t.mu.expiry, key)
		}
	}
	t.mu.expiry[sha256.Sum256([]byte(value))] = now.Add(ticketLife)
	return value
}

// take removes a ticket, so that only one of two concurrent callers gets it. ok reports whether the ticket was valid;
// giveBack restores it until its expiry.
func (t *tickets) take(value string) (giveBack func(), ok bool) {
	key := sha256.Sum256([]byte(value))
	t.mu.Lock()
	defer t.mu.Unlock()
	expiry, found := t.mu.expiry[key]
	delete(t.mu.expiry, key)
	if !found || !t.clock.Now().Before(expiry) {
		return nil, false
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.mu.expiry[key] = expiry
	}, true
}
