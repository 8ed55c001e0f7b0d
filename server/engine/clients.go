package engine

import "time"

// The bounds of optimistic transactions that are open in a database. Callers to whom rules apply have no others (package
// guard), and can't take the room of privileged ones.
const (
	// MaxOptimistic is how many there may be.
	MaxOptimistic = 10_000
	// MaxPerClient is how many of them one client may have.
	MaxPerClient = 500
)

// clientTable is the open optimistic transactions of a database by who began them. When there is no room for another, the
// one that has been idle the longest is ended: the client's own when the client has too many, and otherwise one of the client
// that has the most. So a client that begins transactions and leaves them loses its own and nobody else's. The zero value is
// empty; txnTable's lock guards it.
type clientTable struct {
	total    int
	byClient map[string]map[*txn]struct{}
}

// add adds a transaction.
func (c *clientTable) add(t *txn) {
	if c.byClient == nil {
		c.byClient = make(map[string]map[*txn]struct{})
	}
	if c.byClient[t.client] == nil {
		c.byClient[t.client] = make(map[*txn]struct{})
	}
	c.byClient[t.client][t] = struct{}{}
	c.total++
}

// remove removes a transaction that was added.
func (c *clientTable) remove(t *txn) {
	delete(c.byClient[t.client], t)
	if len(c.byClient[t.client]) == 0 {
		delete(c.byClient, t.client)
	}
	c.total--
}

// room returns the transaction to end before another of a client is added, nil when none has to. ok is false when there is no
// room and none that is idle.
func (c *clientTable) room(client string) (evict *txn, ok bool) {
	most := client
	switch {
	case len(c.byClient[client]) >= MaxPerClient:
	case c.total < MaxOptimistic:
		return nil, true
	default:
		for name, open := range c.byClient {
			if len(open) > len(c.byClient[most]) {
				most = name
			}
		}
	}
	evict = longestIdle(c.byClient[most])
	return evict, evict != nil
}

// longestIdle returns the transaction in which nothing is going on and that was used least recently, nil when all are busy.
func longestIdle(open map[*txn]struct{}) *txn {
	var idle *txn
	var since time.Time
	for t := range open {
		t.mu.Lock()
		touched, busy := t.mu.touched, t.mu.busy > 0
		t.mu.Unlock()
		if !busy && (idle == nil || touched.Before(since)) {
			idle, since = t, touched
		}
	}
	return idle
}
