package past

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// Overlay holds the differences between a version and the later state that is read: by path, the record of the document
// at the version (package records), or nil if it was absent.
type Overlay map[string][]byte

// ErrTooMany is the error for a caller of At whose hold accepts no more documents.
var ErrTooMany = errors.New("past: too many documents have changed")

// errComplete ends a search whose overlay has all paths.
var errComplete = errors.New("past: the overlay is complete")

// At returns the differences between a version of a database and the state of r, which has that version or a later one,
// for the paths of a scope that keep accepts, or for all of it if keep is nil. That of a collection or group can have
// others too. hold is called with the size in bytes of each of them; its error ends the search. A search for documents
// ends with the first change of the last one.
func At(ctx context.Context, r store.Reader, number uint32, scope Scope, at clock.Version, keep func(path string) bool, hold func(n int64) error) (Overlay, error) {
	last, err := Last(r, number)
	if err != nil || last <= at {
		return nil, err
	}
	o, left, only := make(Overlay), scope.names(), len(scope.Paths) > 0
	err = scanAll(ctx, r, number, left, at, last, func(_ clock.Version, images []records.Image) error {
		for _, i := range images {
			// Only the first change after the version has the document's record at the version.
			if _, known := o[i.Path]; known || keep != nil && !keep(i.Path) {
				continue
			}
			if _, sought := left[i.Path]; only && !sought {
				continue
			}
			if err := hold(int64(len(i.Before))); err != nil {
				return err
			}
			o[i.Path] = bytes.Clone(i.Before)
			if delete(left, i.Path); only && len(left) == 0 {
				return errComplete
			}
		}
		return nil
	})
	if errors.Is(err, errComplete) {
		err = nil
	}
	return o, err
}

// Has reports whether a document has changed since the version, so that the later state's record does not count.
func (o Overlay) Has(path string) bool {
	_, changed := o[path]
	return changed
}

// In returns the names of the overlay's documents in a collection, in order, beginning at an encoded id.
func (o Overlay) In(c resource.Collection, from []byte) []resource.Document {
	var out []resource.Document
	for path := range o {
		name := resource.Document{DB: c.DB, Path: path}
		if name.Collection() == c && bytes.Compare(index.AppendSegment(nil, name.ID()), from) >= 0 {
			out = append(out, name)
		}
	}
	slices.SortFunc(out, resource.CompareDocuments)
	return out
}

// Collections returns the ids of the collections below a document, or below the root, that contain documents of the
// overlay at any depth, and whether one of these documents existed at the version.
func (o Overlay) Collections(parent string) map[string]bool {
	out := make(map[string]bool)
	for path, record := range o {
		if id, ok := ChildCollection(parent, path); ok {
			out[id] = out[id] || record != nil
		}
	}
	return out
}

// ChildCollection returns the id of the collection directly below parent that contains a document's path. It returns
// false if the document is not below parent.
func ChildCollection(parent, path string) (string, bool) {
	rest := path
	if parent != "" {
		var ok bool
		if rest, ok = strings.CutPrefix(path, parent+"/"); !ok {
			return "", false
		}
	}
	id, _, ok := strings.Cut(rest, "/")
	return id, ok
}
