package listen

import "slices"

// worthReset is the minimum number of bytes that wait for a client whose targets are reset. Less waits for a client
// that reads.
const worthReset = 64 << 10

// hold counts one more stream for which a change waits.
func (h *Hub) hold(d *delta) {
	if d.holders.Add(1) == 1 {
		h.held.Add(int64(d.size))
	}
}

// release counts one stream less for which a change waits.
func (h *Hub) release(d *delta) {
	if d.holders.Add(-1) == 0 {
		h.held.Add(-int64(d.size))
	}
}

// relieve resets the targets of the streams with the longest queues while too many bytes wait for all streams together.
// So many clients that don't read can't fill the memory, and clients that read are not affected.
func (h *Hub) relieve() {
	if h.held.Load() <= int64(h.o.MaxHeldBytes) {
		return
	}
	type holder struct {
		stream *Stream
		bytes  int
	}
	var holders []holder
	h.mu.Lock()
	for s := range h.mu.streams {
		if n := s.waiting(); n >= worthReset {
			holders = append(holders, holder{s, n})
		}
	}
	h.mu.Unlock()
	slices.SortFunc(holders, func(a, b holder) int { return b.bytes - a.bytes })
	for _, s := range holders {
		if h.held.Load() <= int64(h.o.MaxHeldBytes) {
			return
		}
		s.stream.lag()
	}
}

// waiting returns how many bytes of documents wait in the stream's queue.
func (s *Stream) waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.bytes
}

// dropQueueLocked discards the queue. mu is held.
func (s *Stream) dropQueueLocked() {
	for _, e := range s.mu.queue {
		s.hub.release(e.delta)
	}
	s.mu.queue, s.mu.bytes = nil, 0
}

// passed removes a pending entry that was sent or doesn't concern the client.
func (s *Stream) passed(n int) {
	s.hub.release(s.pending[n].delta)
	s.pending[n] = entry{}
}

// dropPending discards the pending entries.
func (s *Stream) dropPending() {
	for _, e := range s.pending {
		if e.delta != nil { // otherwise it has passed
			s.hub.release(e.delta)
		}
	}
	s.pending = nil
}
