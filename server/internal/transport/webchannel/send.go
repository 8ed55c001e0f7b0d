package webchannel

import (
	"context"

	"clave/server/internal/base/fault"
)

// send queues a message for the client and waits until there is room for the next one, so that the caller need not keep
// that message meanwhile. If more is set, another message follows immediately, and the client needs both: small
// messages are then written together.
func (s *session) send(ctx context.Context, json []byte, more bool) error {
	return s.sendPayload(ctx, message(json), more)
}

// sendPayload does the same as send for the payload of a message, which other sessions may have too.
func (s *session) sendPayload(ctx context.Context, payload []byte, more bool) error {
	s.mu.Lock()
	if s.mu.closed {
		s.mu.Unlock()
		return errSessionEnded()
	}
	s.mu.answered, s.mu.given = true, nil
	s.queueLocked(payload)
	s.mu.unannounced += len(payload)
	ready, b := !more || s.mu.unannounced > maxChunk, s.mu.back
	if ready {
		s.mu.unannounced = 0
	}
	s.mu.Unlock()
	if ready {
		s.announce(b)
	}
	s.handler.limitHeld()
	return s.room(ctx)
}

// room waits until the unacknowledged bytes are below the limit.
func (s *session) room(ctx context.Context) error {
	for {
		s.mu.Lock()
		if s.mu.closed {
			s.mu.Unlock()
			return errSessionEnded()
		}
		if s.mu.outBytes <= s.handler.maxUnacked() {
			s.mu.Unlock()
			return nil
		}
		s.mu.stalled = true
		s.notifyLocked() // acknowledgements free space, and require that all arrays are written
		s.mu.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.done:
		case <-s.space:
		}
	}
}

// errSessionEnded returns the error of a session that has ended.
func errSessionEnded() error { return fault.E(fault.Canceled, "The client has disconnected.") }

// appendLocked numbers and queues a payload, and notifies the back channel; mu is held.
func (s *session) appendLocked(payload []byte) {
	s.queueLocked(payload)
	s.notifyLocked()
}

// queueLocked numbers and queues a payload; mu is held.
func (s *session) queueLocked(payload []byte) {
	s.mu.last++
	s.mu.out = append(s.mu.out, array{id: s.mu.last, payload: payload})
	s.mu.outBytes += len(payload)
	s.countLocked()
}

// notifyLocked notifies the back channel of queued arrays; mu is held.
func (s *session) notifyLocked() {
	s.mu.unannounced = 0
	signal(s.output)
}

// ackLocked drops the arrays up to a number; mu is held.
func (s *session) ackLocked(id int) {
	n := 0
	for n < len(s.mu.out) && s.mu.out[n].id <= id {
		s.mu.outBytes -= len(s.mu.out[n].payload)
		s.mu.out[n].payload = nil
		n++
	}
	if n > 0 {
		s.mu.out = s.mu.out[n:]
		s.countLocked()
		s.mu.stalled = false // the stream sets it again if this is not enough
		signal(s.space)
	}
}
