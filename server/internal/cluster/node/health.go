package node

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/transport/port"
)

// Has reports whether this node's replica has a key. If latest is set, a key that was written before the call is found;
// otherwise the replica may be behind the node that leads. known is false if the replica can't be read, as before it is
// open, or if it is not certain that it has the latest keys, as without a leader.
func (n *Node) Has(ctx context.Context, key []byte, latest bool) (found, known bool) {
	replica := n.replica.Load()
	if replica == nil {
		return false, false
	}
	found, err := replica.Has(key)
	if err != nil || found || !latest {
		return found, err == nil
	}
	if !n.Reads.Reached(ctx) {
		return false, false
	}
	found, err = replica.Has(key)
	return found, err == nil
}

// LeaderHealth requests the health of one of the leader's ports. Before this node's replica is open it could not take
// over from the leader, so it is not healthy.
func (n *Node) LeaderHealth(ctx context.Context, name string) error {
	if !n.opened.Load() {
		return port.ErrBuilding
	}
	limit, recent := healthTimeout, n.reachedLately()
	if recent {
		limit = shortHealthTimeout
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	code, err := n.Forwarder.Status(ctx, name, port.HealthPath)
	switch {
	case err == nil && code == http.StatusOK:
		now := clock.System().Now()
		n.reached.Store(&now)
		return nil
	case err == nil:
		return fmt.Errorf("the leader returned status %d", code)
	case recent:
		return nil // requests at this node wait for the next leader; a load balancer should not remove it
	}
	return fmt.Errorf("%w: %w", port.ErrNoLeader, err)
}

// reachedLately reports whether the leader has reported that it is healthy within ChangeTime.
func (n *Node) reachedLately() bool {
	last := n.reached.Load()
	return last != nil && clock.System().Now().Sub(*last) < ChangeTime
}

// The time limits for the leader's report of its health: in general, and while the report of a moment ago makes this
// node healthy in any case. A load balancer waits only half a second, and a leader that does not respond must not make
// it remove the other nodes.
const (
	healthTimeout      = 2 * time.Second
	shortHealthTimeout = 200 * time.Millisecond
)

// ChangeTime is the time for which a node without a leader reports that it is healthy. A change of leaders takes less.
const ChangeTime = 10 * time.Second
