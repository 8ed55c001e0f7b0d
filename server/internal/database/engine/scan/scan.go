package scan

import (
	"bytes"
	"context"

	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/planner"
	"clave/server/internal/database/index"
	"clave/server/internal/limit/fair"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/store"
)

// Hit is a key that an alternative has found. Its bytes are valid until the scan moves.
type Hit struct {
	// Alt is the alternative.
	Alt *planner.Alternative
	// suffix is the key after the prefix: the fields of the order and the tail, as they are stored.
	suffix  []byte
	nameLen int
	// Truncated is set if a value was truncated, so that the document has to be read.
	Truncated bool
	// Info is the value of the index entry, if the keys are entries of fields.
	Info index.Info
	// Record is the document's record, if the keys are documents.
	Record []byte
}

// Tail returns the document's name in the form of the query's scope.
func (h *Hit) Tail() []byte {
	t := h.suffix[len(h.suffix)-h.nameLen:]
	if h.Alt.Accesses[0].NameDescending {
		t = index.Invert(bytes.Clone(t))
	}
	if h.Alt.GroupPrefix != nil {
		t = append(append(bytes.Clone(h.Alt.GroupPrefix), t...), keys.PathEnd)
	}
	return t
}

// Fields yields the fields of the order as they are stored, with their number and whether they are complete.
func (h *Hit) Fields(yield func(i int, b []byte, whole bool) bool) {
	at := 0
	for i, desc := range h.Alt.Accesses[0].Descending {
		n, whole := index.SkipValue(h.suffix[at:len(h.suffix)-h.nameLen], desc)
		if !yield(i, h.suffix[at:at+n], whole) {
			return
		}
		at += n
	}
}

// How an alternative is read. Each access has an iterator over its keys in one range after the other. After their
// prefixes the keys of all accesses have the same form (the suffix): the fields of the order and the document's name. A
// document is found if every access has its suffix.
//
// advance finds the next common suffix by a zig-zag join. It moves the first iterator, and then seeks each iterator in
// turn to the furthest suffix so far, until all are at the same one. Keys that only some accesses have are skipped by
// these seeks. The ranges restrict the first field of the order; passes checks the other fields.

// scan reads an alternative.
type scan struct {
	ctx    context.Context
	alt    *planner.Alternative
	r      store.Reader
	stats  *request.Stats
	turn   *fair.Turn
	ranges []index.Span
	its    []store.Iterator
	// fresh is set until the iterators are first read.
	fresh  bool
	checks []check
	hit    Hit
	err    error
}

// check is a restriction on a field of the order that the ranges don't enforce.
type check struct {
	at    int
	spans []index.Span
}

// newScan opens a scan.
func newScan(ctx context.Context, r store.Reader, a *planner.Alternative, q *query.Query, stats *request.Stats) *scan {
	s := &scan{ctx: ctx, alt: a, r: r, stats: stats, turn: fair.Of(ctx)}
	s.hit.Alt = a
	if !a.Shape.None {
		s.ranges = a.Ranges(q)
	}
	for i := 1; i <= len(a.Shape.Order); i++ {
		if a.Shape.Restricted(i) {
			s.checks = append(s.checks, check{at: i, spans: a.AsStored(a.Shape.Span(i), i)})
		}
	}
	return s
}

// next moves to the next key that all accesses have.
func (s *scan) next() bool {
	for s.err == nil {
		if s.its == nil && !s.openRange() {
			return false
		}
		found := s.advance()
		if s.err != nil {
			return false
		}
		if !found {
			s.closeRange()
			continue
		}
		if s.load(); s.err == nil && s.passes() {
			return true
		}
	}
	return false
}

// openRange opens the iterators of the next range.
func (s *scan) openRange() bool {
	if len(s.ranges) == 0 {
		return false
	}
	r := s.ranges[0]
	s.ranges = s.ranges[1:]
	for _, a := range s.alt.Accesses {
		rng := store.Range{From: append(bytes.Clone(a.Prefix), r.From...), Reverse: s.alt.Reverse}
		if r.To == nil {
			rng.To = store.PrefixEnd(a.Prefix)
		} else {
			rng.To = append(bytes.Clone(a.Prefix), r.To...)
		}
		s.its = append(s.its, s.r.Scan(rng))
	}
	s.fresh = true
	return true
}

// closeRange closes the iterators.
func (s *scan) closeRange() {
	for _, it := range s.its {
		if err := it.Err(); err != nil && s.err == nil {
			s.err = err
		}
		_ = it.Close()
	}
	s.its = nil
}

// step counts a key, and reports whether the scan continues.
func (s *scan) step() bool {
	s.stats.EntriesRead++
	if s.err = s.ctx.Err(); s.err == nil {
		s.err = s.turn.Step(s.ctx, 1)
	}
	return s.err == nil
}

// advance advances the first iterator, and then all of them to the next common suffix.
func (s *scan) advance() bool {
	if !s.its[0].Next() || !s.step() {
		return false
	}
	if len(s.its) == 1 {
		return true
	}
	// same counts the iterators at target. An iterator without such a key is at a later one, which becomes the target.
	target := s.suffix(0)
	for at, same := 1%len(s.its), 1; same < len(s.its); at = (at + 1) % len(s.its) {
		if !s.its[at].Seek(append(bytes.Clone(s.alt.Accesses[at].Prefix), target...)) {
			return false
		}
		if !s.step() {
			return false
		}
		if got := s.suffix(at); !bytes.Equal(got, target) {
			target, same = got, 1
		} else {
			same++
		}
	}
	return true
}

// suffix returns a copy of an iterator's current key after its prefix.
func (s *scan) suffix(i int) []byte {
	return bytes.Clone(s.its[i].Key()[len(s.alt.Accesses[i].Prefix):])
}

// load sets the hit at the iterators' position.
func (s *scan) load() {
	a := &s.alt.Accesses[0]
	s.hit.suffix = s.its[0].Key()[len(a.Prefix):]
	s.hit.Truncated, s.hit.Record = false, nil
	switch {
	case a.Documents:
		s.hit.nameLen = len(s.hit.suffix)
		s.hit.Record, s.err = s.its[0].Value()
	case a.NamesOnly:
		s.hit.nameLen = len(s.hit.suffix)
	default:
		for i, it := range s.its {
			v, err := it.Value()
			if err != nil {
				s.err = err
				return
			}
			info, err := index.ParseInfo(v)
			if err != nil {
				s.err = err
				return
			}
			s.hit.Truncated = s.hit.Truncated || info.Truncated
			if i == 0 {
				s.hit.Info, s.hit.nameLen = info, info.NameLen
			}
		}
	}
}

// passes reports whether the hit's fields are within their restrictions.
func (s *scan) passes() bool {
	if len(s.checks) == 0 {
		return true
	}
	checks, ok := s.checks, true
	s.hit.Fields(func(i int, b []byte, _ bool) bool {
		if len(checks) > 0 && checks[0].at == i {
			ok = index.AnyHas(checks[0].spans, b)
			checks = checks[1:]
		}
		return ok
	})
	if ok && len(checks) > 0 {
		ok = index.AnyHas(checks[0].spans, s.hit.suffix[len(s.hit.suffix)-s.hit.nameLen:])
	}
	return ok
}

// close closes the scan and stores its error in err.
func (s *scan) close() { s.closeRange() }
