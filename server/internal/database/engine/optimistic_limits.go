package engine

import "time"

// Limits of the open optimistic transactions of a database. Callers to whom rules apply have no other transactions
// (package authz), and do not count against the limit of privileged callers.
const (
	// MaxOptimistic is their maximum number.
	MaxOptimistic = 10_000
	// MaxPerClient is the maximum number for one client.
	MaxPerClient = 500
)

// clientTable holds the open optimistic transactions of a database by client. If a limit is reached, the transaction
// that has been idle the longest is evicted: one of the same client if that client has too many, and otherwise one of
// the client that has the most. So a client that abandons transactions evicts only its own. The zero value is empty;
// txnTable's lock guards it.
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

// room returns the transaction to evict before another one of a client is added, or nil if none has to be. ok is false
// if the limit is reached and no transaction is idle.
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

// longestIdle returns the idle transaction that was used least recently, or nil if all are in use.
func longestIdle(open map[*txn]struct{}) *txn {
	var idle *txn
	var since time.Time
	for t := range open {
		t.mu.Lock()
		touched, busy := t.mu.touched.server, t.mu.busy > 0
		t.mu.Unlock()
		if !busy && (idle == nil || touched.Before(since)) {
			idle, since = t, touched
		}
	}
	return idle
}
