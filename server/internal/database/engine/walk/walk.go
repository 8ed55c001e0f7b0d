// Package walk walks over stored documents in the order of names, along the hierarchy of collections: over a collection
// (Steps), or over all that is below a document (Documents). It skips everything that it need not visit, so that the
// ids of collections cost one key each.
package walk

import (
	"bytes"
	"context"

	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/index"
	"clave/server/internal/limit/fair"
	"clave/server/internal/store"
)

// Documents walks over all documents below a document, or below the root, in the order of names. Each document of a
// collection is followed by the documents below it, and then comes the next collection. Paths are relative to the
// database's documents.
type Documents struct {
	// Reader has the documents, and Number is their database's.
	Reader store.Reader
	Number uint32
	// Yield is called for each document with its path and record. Its error ends the walk. IDs does not call it.
	Yield func(path string, record []byte) error
}

// Below walks over all documents below a document, or the root. If flat, it walks only over the collections directly
// below it.
func (w *Documents) Below(ctx context.Context, path string, flat bool) error {
	encoded := index.AppendPath(nil, path)
	ids, err := w.IDs(ctx, encoded)
	if err != nil {
		return err
	}
	for _, id := range ids {
		collection := index.AppendSegment(bytes.Clone(encoded), id)
		if err := w.Collection(ctx, JoinPath(path, id), collection, !flat); err != nil {
			return err
		}
	}
	return nil
}

// IDs returns the ids of the collections directly below a document, in order. It reads one key for each
// collection.
func (w *Documents) IDs(ctx context.Context, encoded []byte) ([]string, error) {
	prefix := append(keys.Prefix(keys.KindDocument, w.Number), encoded...)
	it := w.Reader.Scan(store.Prefix(prefix))
	defer func() { _ = it.Close() }()
	turn := fair.Of(ctx)
	var out []string
	for ok := it.Next(); ok; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := turn.Step(ctx, 1); err != nil {
			return nil, err
		}
		rest := it.Key()[len(prefix):]
		n := index.SkipSegment(rest)
		id, _, err := index.CutSegment(rest)
		if err != nil {
			return nil, err
		}
		out = append(out, id)
		ok = it.Seek(store.PrefixEnd(append(bytes.Clone(prefix), rest[:n]...)))
	}
	return out, it.Err()
}

// Collection walks over a collection's documents, and over the documents below them if deep.
func (w *Documents) Collection(ctx context.Context, path string, encoded []byte, deep bool) error {
	steps := NewSteps(w.Reader, w.Number, encoded, deep)
	defer func() { _ = steps.Close() }() // The end below returns its error.
	turn := fair.Of(ctx)
	for steps.Next() {
		id, err := steps.ID(ctx, turn)
		if err != nil {
			return err
		}
		doc := JoinPath(path, id)
		if steps.Record != nil {
			if err := w.Yield(doc, steps.Record); err != nil {
				return err
			}
		}
		if deep && steps.Parent {
			if err := w.Below(ctx, doc, false); err != nil {
				return err
			}
		}
	}
	return steps.Close()
}

// JoinPath joins a path, which may be empty, and an id.
func JoinPath(path, id string) string {
	if path == "" {
		return id
	}
	return path + "/" + id
}
