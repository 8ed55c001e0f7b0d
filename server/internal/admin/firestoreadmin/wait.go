package firestoreadmin

import (
	"context"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
)

// Limits of waits for an operation: the time of one in seconds, and how many there are at once. Further ones return at
// once.
const (
	maxWait  = 30
	maxWaits = 100
)

// waitTime returns the time of a request, a Duration in JSON; empty means the maximum.
func waitTime(text string) (time.Duration, error) {
	if text == "" {
		return maxWait * time.Second, nil
	}
	n, ok := route.Seconds(text)
	if !ok || !(n >= 0) {
		return 0, fault.E(fault.InvalidArgument, "Invalid value at 'timeout' (type.googleapis.com/google.protobuf.Duration), %q", text)
	}
	return time.Duration(min(n, maxWait) * float64(time.Second)), nil
}

// waitOperation returns an operation when it has ended, or as it is after the time of the request.
func (a *API) waitOperation(ctx context.Context, c *route.Call) (any, error) {
	name, err := a.operationsOf(c)
	if err != nil {
		return nil, err
	}
	var in struct {
		Timeout string `json:"timeout"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	limit, err := waitTime(in.Timeout)
	if err != nil {
		return nil, err
	}
	passed, stop := a.o.Clock.After(limit)
	defer stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	for late := false; ; {
		o, err := a.findLocked(c, name)
		if err != nil {
			return nil, err
		}
		if o.isDone() || late || a.mu.stopped || a.mu.waits >= maxWaits {
			return a.shownLocked(name, o), nil
		}
		changed := a.mu.changed
		a.mu.waits++
		a.mu.Unlock()
		select {
		case <-changed:
		case <-passed:
			late = true
		case <-ctx.Done():
			err = ctx.Err()
		}
		a.mu.Lock()
		a.mu.waits--
		if err != nil {
			return nil, err
		}
	}
}

// wakeLocked lets those who wait for an operation look at it again; mu is held.
func (a *API) wakeLocked() {
	close(a.mu.changed)
	a.mu.changed = make(chan struct{})
}
