package quota

import (
	"context"
	"slices"

	"clave/server/internal/base/fault"
)

// Share is what one call or stream holds of a Quota. It must be used by one goroutine at a time. The zero Share has no
// limit.
type Share struct {
	quota *Quota
	name  string
	// network is the network that name names while the share holds bytes or waits; nil otherwise.
	network *network
	bytes   int64
}

// Share returns an empty share of a client of a network (Network), which must be returned by Shrink(0).
func (q *Quota) Share(network string) Share { return Share{quota: q, name: network} }

// Sibling returns another empty share of the same client.
func (s *Share) Sibling() Share { return Share{quota: s.quota, name: s.name} }

// Held returns the number of bytes that are held.
func (s *Share) Held() int64 { return s.bytes }

// Take takes n bytes more, or none if there is no room: it returns the error of Options.Full then.
func (s *Share) Take(n int64) error {
	if s.quota == nil || n == 0 {
		s.bytes += n
		return nil
	}
	if s.name != "" && s.network == nil && s.quota.o.Network > 0 {
		s.join()
	}
	if s.quota.try(s.network, n, false) != enough {
		// The attempt may have counted bytes for a moment, for which another one was not granted.
		s.quota.serve()
		s.leave()
		return s.quota.o.Full
	}
	s.bytes += n
	return nil
}

// Wait takes n bytes more, but at most those of the whole quota, when there is room. A network that holds nothing may
// take more than its part. It returns CANCELLED or DEADLINE_EXCEEDED if ctx ends before.
func (s *Share) Wait(ctx context.Context, n int64) error {
	q := s.quota
	n = min(n, q.o.Bytes)
	if err := ctx.Err(); err != nil {
		return fault.Ended(err, "The request was canceled while it waited.")
	}
	if n == 0 {
		return nil
	}
	s.join()
	if q.waiting.Load() == 0 && q.try(s.network, n, true) == enough {
		s.bytes += n
		return nil
	}
	r := &request{bytes: n, granted: make(chan struct{})}
	q.enqueue(s.network, r)
	for ctx.Err() == nil {
		late, stop := q.o.Clock.After(q.o.Pressed)
		select {
		case <-r.granted:
			stop()
			s.bytes += n
			return nil
		case <-late:
			q.press()
		case <-ctx.Done():
		}
		stop()
	}
	if !q.withdraw(s.network, r) {
		q.give(s.network, n) // It was granted at the same time.
	}
	s.leave()
	return fault.Ended(ctx.Err(), "The request was canceled while it waited.")
}

// Shrink returns what is held beyond n bytes.
func (s *Share) Shrink(n int64) {
	rest := s.bytes - n
	if rest <= 0 {
		return
	}
	s.bytes = n
	if s.quota == nil {
		return
	}
	s.quota.give(s.network, rest)
	s.leave()
}

// join makes the share one of its network's.
func (s *Share) join() {
	if s.network != nil {
		return
	}
	q := s.quota
	q.mu.Lock()
	defer q.mu.Unlock()
	of := q.mu.networks[s.name]
	if of == nil {
		of = &network{name: s.name}
		q.mu.networks[s.name] = of
	}
	of.shares++
	s.network = of
}

// leave ends the share's reference to its network if it holds nothing.
func (s *Share) leave() {
	if s.network == nil || s.bytes > 0 {
		return
	}
	q, of := s.quota, s.network
	s.network = nil
	q.mu.Lock()
	defer q.mu.Unlock()
	if of.shares--; of.shares == 0 {
		delete(q.mu.networks, of.name)
	}
}

// enqueue adds a request to those of a network that wait, and grants it if there is room meanwhile.
func (q *Quota) enqueue(of *network, r *request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if of.waiting = append(of.waiting, r); len(of.waiting) == 1 {
		q.mu.order = append(q.mu.order, of)
	}
	q.waiting.Add(1)
	q.serveLocked()
}

// withdraw takes a request out of those that wait, and reports whether it was still there.
func (q *Quota) withdraw(of *network, r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.Contains(of.waiting, r) {
		return false
	}
	q.removeLocked(of, r)
	if len(of.waiting) == 0 {
		q.mu.order = slices.DeleteFunc(q.mu.order, func(other *network) bool { return other == of })
	}
	q.serveLocked() // It may have been the one that the others must not pass.
	return true
}

// removeLocked removes a request from those of a network that wait; mu is held.
func (q *Quota) removeLocked(of *network, r *request) {
	of.waiting = slices.DeleteFunc(of.waiting, func(other *request) bool { return other == r })
	q.waiting.Add(-1)
}
