package fair

import (
	"context"
	"sync/atomic"
)

// Turn is one call's use of a queue. It must be used by one goroutine only. All methods may be called on nil, which
// never waits.
type Turn struct {
	queue           *Queue
	client, network string
	// cost is the cost of the work since the last Rest, and since the cost at the beginning of the present slice.
	cost, since int
	held, begun bool
	// uses grows with each Lend and each Return. Its lowest bit is lent, and its highest one is taken.
	uses atomic.Uint64
	// granted is closed when the turn of a waiting call comes.
	granted chan struct{}
}

// lent is set in Turn.uses while the call waits for its client, and taken if the queue has taken the turn meanwhile.
const (
	lent  uint64 = 1
	taken uint64 = 1 << 63
)

// Cost returns the cost of reading a record or a document of a size in bytes, in keys.
func Cost(size int) int { return 1 + size>>10 }

// turnKey is the key of a call's turn in its context.
type turnKey struct{}

// Within returns a context under which a client's call works with a turn of its own. network is the client's network
// (quota.Network), of which it may have a part of the memory; empty for none. A nil queue returns the context itself.
func (q *Queue) Within(ctx context.Context, client, network string) context.Context {
	if q == nil {
		return ctx
	}
	return context.WithValue(ctx, turnKey{}, &Turn{queue: q, client: client, network: network})
}

// Network returns the network of the call's client, which is empty if it has none.
func (t *Turn) Network() string {
	if t == nil {
		return ""
	}
	return t.network
}

// Of returns the turn of the call with a context, or nil if it needs none.
func Of(ctx context.Context) *Turn {
	t, _ := ctx.Value(turnKey{}).(*Turn)
	return t
}

// Start precedes work that has cost nothing yet. It waits for a turn if other calls wait. Its errors are those of Step.
func (t *Turn) Start(ctx context.Context) error {
	if t == nil || t.held || t.queue.waiting.Load() == 0 {
		return nil
	}
	return t.enter(ctx)
}

// Step counts the cost of work in keys, and waits for the next turn if the present one is over. It returns the error of
// ctx if that ends meanwhile, and Unavailable if too many calls of the client wait.
func (t *Turn) Step(ctx context.Context, cost int) error {
	if t == nil {
		return nil
	}
	if t.cost += cost; t.cost <= free {
		return nil
	}
	if t.Return(); t.held {
		if t.cost-t.since < slice || t.queue.waiting.Load() == 0 {
			return nil
		}
		t.Pause()
	}
	return t.enter(ctx)
}

// Lend precedes a wait for the client. The call may lose its turn until Return.
func (t *Turn) Lend() {
	if t != nil && t.held {
		t.uses.Add(lent)
	}
}

// Return ends a wait for the client.
func (t *Turn) Return() {
	if t == nil || !t.held {
		return
	}
	n := t.uses.Load()
	if n&lent == 0 || n&taken == 0 && t.uses.CompareAndSwap(n, n+1) {
		return
	}
	t.held = false
	t.uses.Store(n&^taken + 1)
}

// Pause ends the present turn. It must be called before the call waits for something else, such as a lock.
func (t *Turn) Pause() {
	if t.Return(); t == nil || !t.held {
		return
	}
	t.held = false
	t.queue.leave(t)
}

// Rest ends the present turn and the work. Further work of the call begins anew.
func (t *Turn) Rest() {
	if t == nil {
		return
	}
	t.Pause()
	t.cost, t.since, t.begun = 0, 0, false
}

// enter waits for a turn.
func (t *Turn) enter(ctx context.Context) error {
	if err := t.queue.enter(ctx, t); err != nil {
		return err
	}
	t.held, t.begun, t.since = true, true, t.cost
	return nil
}
