package engine

import (
	"context"
	"encoding/base64"
	"slices"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/past"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/database/engine/walk"
	"clave/server/internal/database/index"
	"clave/server/internal/limit/fair"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
)

// Sizes of a page.
const (
	defaultPage = 300
	maxPage     = 1000
)

// List lists documents. It returns InvalidArgument for an invalid page token. In a transaction it waits for the lock of
// the collection.
func (r *Reading) List(ctx context.Context, req request.List) (request.ListPage, error) {
	if err := r.holdCollection(ctx, req.Collection); err != nil {
		return request.ListPage{}, err
	}
	inCollection := func(path string) bool { return r.db.document(path).Collection() == req.Collection }
	overlay, err := r.layer(ctx, past.Scope{Collection: req.Collection.Path()}, inCollection)
	if err != nil {
		return request.ListPage{}, err
	}
	size := req.PageSize
	if size <= 0 {
		size = defaultPage
	}
	size = min(size, maxPage)
	var from []byte
	if req.PageToken != "" {
		if from, err = parsePageToken(req.PageToken); err != nil {
			return request.ListPage{}, err
		}
	}
	defer r.turn.Rest()
	if err := r.turn.Start(ctx); err != nil {
		return request.ListPage{}, err
	}
	var page request.ListPage
	err = listed(ctx, req, from, r.state(overlay), func(d *document.Document) bool {
		if len(page.Documents) == size {
			page.Next = pageToken(d.Name.ID())
			return false
		}
		page.Documents = append(page.Documents, d)
		return true
	})
	return page, err
}

// holdCollection locks a collection in a transaction with locks, and records it in an optimistic one.
func (r *Reading) holdCollection(ctx context.Context, c resource.Collection) error {
	if r.txn == nil || r.txn.readOnly {
		return nil
	}
	q, err := (&query.Query{DB: r.db.name, Parent: c.Parent, From: []query.From{{Collection: c.ID}}, Limit: query.NoLimit}).Normalize()
	if err != nil {
		return err
	}
	hold, err := r.lockQuery(ctx, q)
	if err == nil {
		r.noteQuery(hold, q, nil)
	}
	return err
}

// listed calls yield with the documents of a collection, beginning at an encoded id, while yield returns true.
func listed(ctx context.Context, req request.List, from []byte, s *past.State, yield func(*document.Document) bool) error {
	path := req.Collection.Path()
	encoded := index.AppendPath(nil, path)
	steps := walk.NewSteps(s.Reader, s.Number, encoded, req.ShowMissing)
	defer func() { _ = steps.Close() }() // The end below returns its error.
	if from != nil {
		steps.Seek(from)
	}
	// Two ordered lists are merged: the stored documents (steps), and those of the overlay (names), which may be
	// absent from the store. A name in both is yielded once: listedDocument prefers the overlay.
	names := s.Overlay.In(req.Collection, from)
	turn := fair.Of(ctx)
	for steps.Next() {
		id, err := steps.ID(ctx, turn)
		if err != nil {
			return err
		}
		for len(names) > 0 && resource.CompareIDs(names[0].ID(), id) <= 0 {
			name := names[0]
			names = names[1:]
			d, err := s.Get(name)
			if err != nil {
				return err
			}
			if d != nil && name.ID() != id && !yield(d) {
				return nil
			}
		}
		d, err := listedDocument(req.Collection.Doc(id), steps.Record, s)
		if err != nil {
			return err
		}
		if d == nil && req.ShowMissing {
			d = &document.Document{Name: req.Collection.Doc(id)}
		}
		if d != nil && !yield(d) {
			return nil
		}
	}
	if err := steps.Close(); err != nil {
		return err // The overlay's other documents may complete a page, which would lack stored ones.
	}
	for _, name := range names {
		d, err := s.Get(name)
		if err != nil {
			return err
		}
		if d != nil && !yield(d) {
			return nil
		}
	}
	return nil
}

// listedDocument returns the document of a stored record as it is in a state.
func listedDocument(name resource.Document, record []byte, s *past.State) (*document.Document, error) {
	if s.Overlay.Has(name.Path) {
		return s.Get(name)
	}
	if record == nil {
		return nil, nil
	}
	return records.Decode(name, record)
}

// pageToken returns the token of a page that begins with an id.
func pageToken(id string) string {
	return base64.RawURLEncoding.EncodeToString(index.AppendSegment([]byte{tokenMark}, id))
}

// tokenMark is the prefix of page tokens, which distinguishes them from other strings.
const tokenMark = 0xc1

// parsePageToken returns the encoded id that a token begins with.
func parsePageToken(token string) ([]byte, error) {
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b) < 2 || b[0] != tokenMark || index.SkipSegment(b[1:]) != len(b)-1 {
		return nil, fault.E(fault.InvalidArgument, "invalid page token")
	}
	return b[1:], nil
}

// CollectionIDs returns the ids of the collections below a document, given by its relative path, or below the root, in
// order.
func (r *Reading) CollectionIDs(ctx context.Context, parent string) ([]string, error) {
	below := func(path string) bool { _, ok := past.ChildCollection(parent, path); return ok }
	overlay, err := r.layer(ctx, past.Scope{}, below)
	if err != nil {
		return nil, err
	}
	w := &walk.Documents{Reader: r.view.snap, Number: r.db.number.Load()}
	ids, err := w.IDs(ctx, index.AppendPath(nil, parent))
	if err != nil || len(overlay) == 0 {
		return ids, err
	}
	return r.collectionsAt(ctx, parent, ids, overlay)
}

// collectionsAt corrects the present ids of collections for the reading's version: it removes collections all of whose
// documents were created since, and adds those all of whose documents were deleted since.
func (r *Reading) collectionsAt(ctx context.Context, parent string, ids []string, overlay past.Overlay) ([]string, error) {
	var out []string
	touched := overlay.Collections(parent)
	for _, id := range ids {
		// A present collection all of whose changed documents were absent at the version existed only if it has an unchanged
		// document.
		there, known := touched[id]
		if known && !there {
			var err error
			if there, err = r.anyUnchanged(ctx, walk.JoinPath(parent, id), overlay); err != nil {
				return nil, err
			}
		}
		if !known || there {
			touched[id] = true
		}
	}
	for id, there := range touched {
		if there {
			out = append(out, id)
		}
	}
	slices.SortFunc(out, resource.CompareIDs)
	return out, nil
}

// anyUnchanged reports whether a collection contains, at any depth, a document that has not changed since the version.
func (r *Reading) anyUnchanged(ctx context.Context, collection string, overlay past.Overlay) (bool, error) {
	found := false
	w := &walk.Documents{Reader: r.view.snap, Number: r.db.number.Load()}
	w.Yield = func(path string, _ []byte) error {
		if !overlay.Has(path) {
			found = true
			return errEnough
		}
		return nil
	}
	err := w.Collection(ctx, collection, index.AppendPath(nil, collection), true)
	if found {
		return true, nil
	}
	return false, err
}
