package engine

import (
	"context"
	"encoding/base64"
	"slices"

	"clave/server/document"
	"clave/server/fault"
	"clave/server/index"
	"clave/server/operation"
	"clave/server/query"
	"clave/server/resource"
)

// Sizes of a page.
const (
	defaultPage = 300
	maxPage     = 1000
)

// List lists documents. It returns InvalidArgument for an invalid page token. In a transaction it waits for the lock of
// the collection.
func (r *Reading) List(ctx context.Context, req operation.List) (operation.ListPage, error) {
	if err := r.holdCollection(ctx, req.Collection); err != nil {
		return operation.ListPage{}, err
	}
	inCollection := func(path string) bool { return r.db.document(path).Collection() == req.Collection }
	past, err := r.layer(ctx, inCollection)
	if err != nil {
		return operation.ListPage{}, err
	}
	size := req.PageSize
	if size <= 0 {
		size = defaultPage
	}
	size = min(size, maxPage)
	var from []byte
	if req.PageToken != "" {
		if from, err = parsePageToken(req.PageToken); err != nil {
			return operation.ListPage{}, err
		}
	}
	var page operation.ListPage
	err = r.listed(ctx, req, from, past, func(d *document.Document) bool {
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
func (r *Reading) listed(ctx context.Context, req operation.List, from []byte, past overlay,
	yield func(*document.Document) bool) error {
	path := req.Collection.Path()
	encoded := index.AppendPath(nil, path)
	steps := newSteps(r.view, r.db.number.Load(), encoded, req.ShowMissing)
	defer steps.close()
	if from != nil {
		steps.seek(from)
	}
	// Two ordered lists are merged: the documents of the view (steps), and those of the overlay (names), which may be
	// absent from the view. A name in both is yielded once: listedDocument prefers the overlay.
	names := past.in(r.db, req.Collection, from)
	for steps.next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		id, _, err := index.CutSegment(steps.segment)
		if err != nil {
			return err
		}
		for len(names) > 0 && resource.CompareIDs(names[0].ID(), id) <= 0 {
			name := names[0]
			names = names[1:]
			d, err := r.fetch(name, past)
			if err != nil {
				return err
			}
			if d != nil && name.ID() != id && !yield(d) {
				return nil
			}
		}
		d, err := r.listedDocument(req.Collection.Doc(id), steps.record, past)
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
	for _, name := range names {
		d, err := r.fetch(name, past)
		if err != nil {
			return err
		}
		if d != nil && !yield(d) {
			return nil
		}
	}
	return steps.err
}

// listedDocument returns the document of a record at the reading's version.
func (r *Reading) listedDocument(name resource.Document, record []byte, past overlay) (*document.Document, error) {
	if past.has(name.Path) {
		return r.fetch(name, past)
	}
	if record == nil {
		return nil, nil
	}
	return decodeDocument(name, record)
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
	below := func(path string) bool { _, ok := childCollection(parent, path); return ok }
	past, err := r.layer(ctx, below)
	if err != nil {
		return nil, err
	}
	w := &documentWalk{ctx: ctx, view: r.view, number: r.db.number.Load()}
	ids, err := w.collections(index.AppendPath(nil, parent))
	if err != nil || len(past) == 0 {
		return ids, err
	}
	return r.collectionsAt(ctx, parent, ids, past)
}

// collectionsAt corrects the present ids of collections for the reading's version: it removes collections all of whose
// documents were created since, and adds those all of whose documents were deleted since.
func (r *Reading) collectionsAt(ctx context.Context, parent string, ids []string, past overlay) ([]string, error) {
	var out []string
	touched := past.collections(parent)
	for _, id := range ids {
		// A present collection all of whose changed documents were absent at the version existed only if it has an unchanged document.
		there, known := touched[id]
		if known && !there {
			var err error
			if there, err = r.anyUnchanged(ctx, joinPath(parent, id), past); err != nil {
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
func (r *Reading) anyUnchanged(ctx context.Context, collection string, past overlay) (bool, error) {
	found := false
	w := &documentWalk{ctx: ctx, view: r.view, number: r.db.number.Load()}
	w.yield = func(path string, _ []byte) error {
		if !past.has(path) {
			found = true
			return errEnough
		}
		return nil
	}
	err := w.collection(collection, index.AppendPath(nil, collection), true)
	if found {
		return true, nil
	}
	return false, err
}
