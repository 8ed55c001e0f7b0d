package webchannel

import (
	"context"
	"sync"
	"time"

	"clave/server/internal/base/fault"
)

// Run serves the streams of sessions and ends those whose clients have disconnected, until ctx ends. Then the streams
// end with UNAVAILABLE, which is written to the clients that have a back channel.
func (h *Handler) Run(ctx context.Context) error {
	work, end := context.WithCancelCause(context.WithoutCancel(ctx))
	var streams sync.WaitGroup
	defer streams.Wait()
	defer h.closeAll()
	defer h.awaitResults(&streams)
	defer end(fault.E(fault.Unavailable, "%s", h.o.Ended))
	tick, stop := h.o.Clock.After(h.sweepEvery())
	defer func() { stop() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case s := <-h.starts:
			streams.Go(func() { s.run(work) })
		case <-tick:
			h.sweep()
			tick, stop = h.o.Clock.After(h.sweepEvery())
		}
	}
}

// resultsWait is the time for which the handler's end waits for clients that do not read the results of their streams.
const resultsWait = 250 * time.Millisecond

// awaitResults waits until the streams have written their results, or resultsWait is over.
func (h *Handler) awaitResults(streams *sync.WaitGroup) {
	written := make(chan struct{})
	go func() {
		defer close(written)
		streams.Wait()
	}()
	late, stop := h.o.Clock.After(resultsWait)
	defer stop()
	select {
	case <-written:
	case <-late:
	}
}

// sweepEvery returns the interval at which sessions are checked.
func (h *Handler) sweepEvery() time.Duration { return min(h.o.Idle, h.o.Linger) / 6 }

// sweep ends the sessions whose clients have disconnected.
func (h *Handler) sweep() {
	now := h.o.Clock.Now()
	if h.o.Moves != nil {
		h.o.Moves.sweep(now)
	}
	for _, s := range h.all() {
		if s.stale(now) {
			h.drop(s)
		}
	}
}

// closeAll ends all sessions.
func (h *Handler) closeAll() {
	for _, s := range h.all() {
		h.drop(s)
	}
}
