package parse

import (
	"context"
	"sync/atomic"
)

// Call is the context of a call with the share of its present request. A commit that waits for locks holds its share,
// and the request that would release the locks may wait for it (Pressed).
type Call struct {
	context.Context
	share atomic.Pointer[Share]
}

// Within returns the context of a call without a share.
func Within(ctx context.Context) *Call { return &Call{Context: ctx} }

// With returns the context of a call that has only one request, with the request's share; nil for a small request.
func With(ctx context.Context, s *Share) context.Context {
	if s == nil {
		return ctx
	}
	c := Within(ctx)
	c.Hold(s)
	return c
}

// callKey is the key of a *Call in its context.
type callKey struct{}

// Value implements context.Context.
func (c *Call) Value(key any) any {
	if key == (callKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// Hold makes a share that of the call. It is released by Release.
func (c *Call) Hold(s *Share) { c.share.Store(s) }

// Release returns the call's share, if it has one.
func (c *Call) Release() { c.share.Swap(nil).Release() }

// Pressed returns a channel that is closed when another request has waited for 3 s to be parsed. It returns nil, which
// is never closed, if the call with a context holds no share. The call should end then if it waits for a lock.
func Pressed(ctx context.Context) <-chan struct{} {
	c, ok := ctx.Value(callKey{}).(*Call)
	if !ok {
		return nil
	}
	s := c.share.Load()
	if s == nil {
		return nil
	}
	return s.limit.quota.Pressed()
}
