// Package scan executes the scans of a query's plan: it reads ranges of index entries or documents, and merges the
// scans in the query's order. It reads no document by its name; the caller does that with the hits.
package scan

import (
	"bytes"
	"context"

	"clave/server/internal/database/engine/planner"
	"clave/server/internal/database/index"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/store"
)

// How the parts of a query are merged. A filter with OR or IN has several alternatives, each with its own scan in the
// query's order (scan.go). Rows merges them: it holds the current hit of each scan with its order key, and returns the
// least. An order key encodes the query's order in bytes, with the name last. Two scans at the same document have the
// same key, so the document is returned once.
//
// One scan reads the intersection of its accesses, since each of them covers only some of the equalities (scan.go).
//
// Values are truncated in keys (index.MaxComponent), so different documents may have keys that are equal up to the
// truncated value. The engine's run collects adjacent hits of this kind and sorts them by their documents.

// Rows merges the hits of several alternatives in the query's order, each document once.
type Rows struct {
	scans []*scan
	heads [][]byte // the order keys at the scans' positions; nil at the end
	last  []byte   // the order key that was returned last
	at    int      // the scan whose hit was returned last, or -1
	err   error
}

// New opens scans of the alternatives of a query's plan. It adds the entries that are read to stats. The caller closes
// the Rows.
func New(ctx context.Context, r store.Reader, alts []*planner.Alternative, q *query.Query, stats *request.Stats) *Rows {
	rows := &Rows{at: -1}
	for _, a := range alts {
		rows.scans = append(rows.scans, newScan(ctx, r, a, q, stats))
	}
	if len(rows.scans) > 1 {
		rows.heads = make([][]byte, len(rows.scans))
		for i := range rows.scans {
			rows.move(i)
		}
	}
	return rows
}

// move advances one scan.
func (r *Rows) move(i int) {
	r.heads[i] = nil
	if r.scans[i].next() {
		r.heads[i] = r.scans[i].hit.orderKey()
	} else if err := r.scans[i].err; err != nil && r.err == nil {
		r.err = err
	}
}

// Next returns the next hit, or nil at the end or after an error, which Close returns. The hit is valid until the next
// call.
func (r *Rows) Next() *Hit {
	if len(r.scans) == 1 {
		if !r.scans[0].next() {
			r.err = r.scans[0].err
			return nil
		}
		return &r.scans[0].hit
	}
	for r.err == nil {
		if r.at >= 0 {
			r.move(r.at)
		}
		if r.at = -1; r.err != nil {
			return nil // and not the hit of another scan, as if this one were at its end
		}
		for i, head := range r.heads {
			if head != nil && (r.at < 0 || bytes.Compare(head, r.heads[r.at]) < 0) {
				r.at = i
			}
		}
		if r.at < 0 {
			return nil
		}
		if !bytes.Equal(r.heads[r.at], r.last) {
			r.last = r.heads[r.at]
			return &r.scans[r.at].hit
		}
	}
	return nil
}

// Park parks the iterators while a result is taken, unless hits of other scans wait to be merged.
func (r *Rows) Park() {
	if len(r.scans) == 1 {
		for _, it := range r.scans[0].its {
			it.Park()
		}
	}
}

// Close closes the scans and returns the error that ended them early, if there was one. It may be called again.
func (r *Rows) Close() error {
	for _, s := range r.scans {
		if s.close(); s.err != nil && r.err == nil {
			r.err = s.err
		}
	}
	return r.err
}

// orderKey returns bytes that sort in the query's order and end with the document's name.
func (h *Hit) orderKey() []byte {
	key, _ := h.OrderPrefix()
	tail := h.Tail()
	if h.Alt.Shape.Desc {
		tail = index.Invert(bytes.Clone(tail))
	}
	return append(key, tail...)
}

// OrderPrefix returns the fields' part of the order key. cut is the length up to and including the first truncated
// field, or -1 if there is none.
func (h *Hit) OrderPrefix() (key []byte, cut int) {
	cut = -1
	fields := make([][]byte, 0, 4)
	whole := make([]bool, 0, 4)
	h.Fields(func(_ int, b []byte, ok bool) bool {
		fields, whole = append(fields, b), append(whole, ok)
		return true
	})
	stored := h.Alt.Accesses[0].Descending
	// The alternatives of a query have different constants, and may store fields in different directions. The key has
	// every field of the query's order, including constant ones, each in the query's direction: bytes that are stored in
	// the opposite direction are inverted.
	for _, p := range h.Alt.Shape.Parts {
		from := len(key)
		inverted := p.Desc
		switch {
		case p.Constant != nil:
			key = append(key, p.Constant.Encoded...)
		// This is the name, which ends every order; orderKey appends it.
		case p.At == len(fields):
			return key, cut
		default:
			key = append(key, fields[p.At]...)
			inverted = stored[p.At] != p.Desc
			if !whole[p.At] && cut < 0 {
				cut = len(key)
			}
		}
		if inverted {
			index.Invert(key[from:])
		}
	}
	return key, cut
}
