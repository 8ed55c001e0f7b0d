package engine

import (
	"bytes"
	"context"
	"slices"

	"clave/server/clock"
	"clave/server/index"
	"clave/server/resource"
)

// How the past is read. The store has only the latest documents and index entries, and the log of commits (history.go). The state at a version V is
// a view of V or later with an overlay: for each document that changed after V, its record before the first of these changes. A reading ignores
// these documents in the view and merges their records from the overlay into the results, in order (run.ordered, Reading.listed, collectionsAt).

// overlay holds the differences between a version and the later view that is read: by path, the record of the document
// at the version, or nil if it was absent.
type overlay map[string][]byte

// maxOverlay is the maximum number of changed documents that a reading holds. If there are more, each call reads those
// that it needs.
const maxOverlay = 20_000

// overlayAt returns the differences between a version and a view of that version or later, for the paths that keep
// accepts, or for all if it is nil. It returns errEnough if there are more than most, unless most is negative.
func overlayAt(ctx context.Context, v *view, db *database, at clock.Version, keep func(path string) bool, most int) (overlay, error) {
	last, err := lastVersion(v.snap, db.number.Load())
	if err != nil || last <= at {
		return nil, err
	}
	o := make(overlay)
	err = scanChanges(ctx, v.snap, db.number.Load(), at, last, func(_ clock.Version, images []image) error {
		for _, i := range images {
			// Only the first change after the version has the document's record at the version.
			if _, known := o[i.path]; known || keep != nil && !keep(i.path) {
				continue
			}
			o[i.path] = bytes.Clone(i.before)
			if len(o) > most && most >= 0 {
				return errEnough
			}
		}
		return nil
	})
	return o, err
}

// has reports whether a document has changed since the version, so that the view's record does not count.
func (o overlay) has(path string) bool {
	_, changed := o[path]
	return changed
}

// in returns the names of the overlay's documents in a collection, in order, beginning at an encoded id.
func (o overlay) in(db *database, c resource.Collection, from []byte) []resource.Document {
	var out []resource.Document
	for path := range o {
		name := db.document(path)
		if name.Collection() == c && bytes.Compare(index.AppendSegment(nil, name.ID()), from) >= 0 {
			out = append(out, name)
		}
	}
	slices.SortFunc(out, resource.CompareDocuments)
	return out
}

// collections returns the ids of the collections below a document, or below the root, that contain documents of the overlay at any depth, and
// whether one of these documents existed at the version.
func (o overlay) collections(parent string) map[string]bool {
	out := make(map[string]bool)
	for path, record := range o {
		if id, ok := childCollection(parent, path); ok {
			out[id] = out[id] || record != nil
		}
	}
	return out
}
