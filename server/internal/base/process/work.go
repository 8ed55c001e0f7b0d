package process

import (
	"context"
	"sync"
	"sync/atomic"
)

// Work is one piece of work that an Ending ends: a context that is done when its parent is done, or when the Ending's
// End or its own Stop is called. It is cheap while only Err is used; the first call of Done derives a context from the
// parent.
type Work struct {
	context.Context // the parent, with its deadline and values
	ending          *Ending
	// previous and next are in the Ending's list, whose mutex guards them. listed is set while the work is in it.
	previous, next *Work
	listed         bool
	// err is the reason of the end, set once.
	err atomic.Pointer[error]
	// onEnd is called if the Ending ends the work.
	onEnd atomic.Pointer[func()]
	mu    struct {
		sync.Mutex
		// derived is the context behind Done, made by the first call; cancel cancels it.
		derived context.Context
		cancel  context.CancelFunc
	}
}

// canceled is the reason of work that was ended without an error of its parent.
var canceled = context.Canceled

// workKey is the key of a Work among its own values.
type workKey struct{}

// Value implements context.Context.
func (w *Work) Value(key any) any {
	if key == (workKey{}) {
		return w
	}
	return w.Context.Value(key)
}

// Err implements context.Context.
func (w *Work) Err() error {
	if err := w.err.Load(); err != nil {
		return *err
	}
	return w.Context.Err()
}

// Done implements context.Context.
func (w *Work) Done() <-chan struct{} { return w.derive().Done() }

// AfterFunc is what package context calls to derive contexts from this one without a goroutine for each.
func (w *Work) AfterFunc(call func()) (stop func() bool) { return context.AfterFunc(w.derive(), call) }

// derive returns the context behind Done.
func (w *Work) derive() context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mu.derived == nil {
		w.mu.derived, w.mu.cancel = context.WithCancel(w.Context)
		if w.err.Load() != nil { // finish sets err before it looks for derived
			w.mu.cancel()
		}
	}
	return w.mu.derived
}

// finish makes the context done. Only the first call has an effect.
func (w *Work) finish(err *error) {
	if !w.err.CompareAndSwap(nil, err) {
		return
	}
	w.mu.Lock()
	cancel := w.mu.cancel
	w.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// Stop ends the work, which must be called when it is done.
func (w *Work) Stop() {
	w.ending.remove(w)
	w.finish(&canceled)
}

// end ends the work with the Ending.
func (w *Work) end() {
	reason := &canceled
	if err := w.Context.Err(); err != nil { // which Err may have returned already
		reason = &err
	}
	w.finish(reason)
	w.callOnEnd()
}

// callOnEnd calls onEnd, once, in its own goroutine.
func (w *Work) callOnEnd() {
	if call := w.onEnd.Swap(nil); call != nil {
		go (*call)()
	}
}

// OnEnd registers a function that is called in its own goroutine if the Ending of the innermost Work of a context ends,
// but not when its parent or Stop ends the work. A Work has one such function. stop prevents the call and reports
// whether it has. For a context without a Work, OnEnd is context.AfterFunc.
func OnEnd(ctx context.Context, call func()) (stop func() bool) {
	w, ok := ctx.Value(workKey{}).(*Work)
	if !ok {
		return context.AfterFunc(ctx, call)
	}
	w.onEnd.Store(&call)
	if w.err.Load() != nil { // end sets err before it calls onEnd
		w.callOnEnd()
	}
	return func() bool { return w.onEnd.Swap(nil) != nil }
}
