package locks

// How cycles of waiting owners are found. Thousands of commits may wait for one document, and each of them waits for
// all before it. A search must therefore not look at all pairs of them: it visits each place of a queue and each holder
// of a lock once.

// awaited reports whether a request may wait for an owner that waits itself. Only then can it be in a cycle. The table
// is locked.
func (t *Table) awaited(o *Owner) bool {
	r := o.waiting
	if r.lock == nil || len(o.ranges) > 0 || o.intents != nil {
		return true
	}
	if q := r.lock.queue; q[len(q)-1] != r {
		return true
	}
	for _, l := range o.held {
		if len(l.queue) > 0 {
			return true
		}
	}
	return false
}

// search looks for a cycle through an owner in the graph of waiting owners. The table is locked meanwhile.
type search struct {
	t    *Table
	to   *Owner
	seen map[*Owner]bool
	// places counts the places of each queue, from its beginning, that were visited. holders has the locks whose holders
	// were visited, with the holder that was omitted because it requested the lock again, or nil.
	places  map[*docLock]int
	holders map[*docLock]*Owner
}

// newSearch returns a search for cycles through an owner.
func newSearch(t *Table, to *Owner) *search {
	return &search{t: t, to: to, seen: make(map[*Owner]bool), places: make(map[*docLock]int), holders: make(map[*docLock]*Owner)}
}

// from returns the owners on a path from an owner to the one that is searched for, or nil.
func (s *search) from(o *Owner) []*Owner {
	if o.waiting == nil || s.seen[o] {
		return nil
	}
	s.seen[o] = true
	r := o.waiting
	if r.lock != nil {
		return s.throughDocument(r)
	}
	for _, b := range s.t.blockers(r) {
		if way := s.through(o, b); way != nil {
			return way
		}
	}
	return nil
}

// through returns the path from an owner that waits for another one, or nil.
func (s *search) through(o, b *Owner) []*Owner {
	if b == s.to {
		return []*Owner{o}
	}
	if way := s.from(b); way != nil {
		return append(way, o)
	}
	return nil
}

// throughDocument returns the path from the owner of a request for a document, or nil. The request waits for
// conflicting holders of the lock, and for the requests before it.
func (s *search) throughDocument(r *request) []*Owner {
	l := r.lock
	for _, o := range s.holdersFor(r) {
		if way := s.through(r.o, o); way != nil {
			return way
		}
	}
	for at := s.places[l]; at < len(l.queue) && l.queue[at].order < r.order; at = max(at+1, s.places[l]) {
		s.places[l] = at + 1
		if way := s.through(r.o, l.queue[at].o); way != nil {
			return way
		}
	}
	return nil
}

// holdersFor returns the holders that a request conflicts with, without those that were visited.
func (s *search) holdersFor(r *request) []*Owner {
	l := r.lock
	if r.mode == Shared || len(l.holders) == 1 { // An exclusive holder is the only one.
		if len(l.holders) == 1 && l.holders[0].o != r.o && (r.mode == Exclusive || l.holders[0].mode == Exclusive) {
			return []*Owner{l.holders[0].o}
		}
		return nil
	}
	omitted, visited := s.holders[l]
	if visited {
		if omitted == nil || omitted == r.o {
			return nil
		}
		s.holders[l] = nil
		return []*Owner{omitted}
	}
	s.holders[l] = nil
	out := make([]*Owner, 0, len(l.holders))
	for _, h := range l.holders {
		if h.o == r.o {
			s.holders[l] = h.o
			continue
		}
		out = append(out, h.o)
	}
	return out
}

// blockers returns the owners that a request about ranges waits for.
func (t *Table) blockers(r *request) []*Owner {
	if r.seen != nil {
		return t.rangeBlockers(r)
	}
	return t.announceBlockers(r)
}
