package engine

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"clave/server/engine/keys"
	"clave/server/index"
	"clave/server/storage"
)

// documentWalk walks over all documents below a document, or below the root, in the order of names. Each document of a
// collection is followed by the documents below it, and then comes the next collection.
type documentWalk struct {
	ctx    context.Context
	view   *view
	number uint32
	// yield is called for each document with its path and record.
	yield func(path string, record []byte) error
}

// below walks over all documents below a document, or the root. If flat, it walks only over the collections directly
// below it.
func (w *documentWalk) below(path string, flat bool) error {
	encoded := index.AppendPath(nil, path)
	ids, err := w.collections(encoded)
	if err != nil {
		return err
	}
	for _, id := range ids {
		collection := index.AppendSegment(bytes.Clone(encoded), id)
		if err := w.collection(joinPath(path, id), collection, !flat); err != nil {
			return err
		}
	}
	return nil
}

// collections returns the ids of the collections directly below a document, in order. It reads one key for each
// collection.
func (w *documentWalk) collections(encoded []byte) ([]string, error) {
	prefix := append(keys.Prefix(keys.KindDocument, w.number), encoded...)
	it := w.view.snap.Scan(storage.Prefix(prefix))
	defer func() { _ = it.Close() }()
	var out []string
	for ok := it.Next(); ok; {
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
		rest := it.Key()[len(prefix):]
		n := index.SkipSegment(rest)
		id, _, err := index.CutSegment(rest)
		if err != nil {
			return nil, err
		}
		out = append(out, id)
		ok = it.Seek(storage.PrefixEnd(append(bytes.Clone(prefix), rest[:n]...)))
	}
	return out, it.Err()
}

// collection walks over a collection's documents, and over the documents below them if deep.
func (w *documentWalk) collection(path string, encoded []byte, deep bool) error {
	steps := newSteps(w.view, w.number, encoded, deep)
	defer steps.close()
	for steps.next() {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		id, _, err := index.CutSegment(steps.segment)
		if err != nil {
			return err
		}
		doc := joinPath(path, id)
		if steps.record != nil {
			if err := w.yield(doc, steps.record); err != nil {
				return err
			}
		}
		if deep && steps.parent {
			if err := w.below(doc, false); err != nil {
				return err
			}
		}
	}
	return steps.err
}

// joinPath joins a path, which may be empty, and an id.
func joinPath(path, id string) string {
	if path == "" {
		return id
	}
	return path + "/" + id
}

// steps walks over the document ids of a collection in order: those of documents, and those of absent documents that
// have collections.
type steps struct {
	docs, parents       storage.Iterator
	docsAt, parentsAt   []byte // the keys' part after the prefix; nil at the end
	docPrefix, parentsP int
	parentPrefix        []byte
	// segment, record and parent are the current id, its document's record or nil, and whether it has collections.
	segment []byte
	record  []byte
	parent  bool
	err     error
}

// newSteps opens a walk over a collection given by its encoded path. Without parents it visits only documents.
func newSteps(v *view, number uint32, encoded []byte, parents bool) *steps {
	prefix := append(keys.Prefix(keys.KindDocument, number), encoded...)
	docPrefix := append(bytes.Clone(prefix), keys.PathEnd)
	s := &steps{docPrefix: len(docPrefix), parentsP: len(prefix), parentPrefix: prefix}
	s.docs = v.snap.Scan(storage.Prefix(docPrefix))
	s.moveDocs(s.docs.Next())
	if parents {
		s.parents = v.snap.Scan(storage.Range{From: append(bytes.Clone(prefix), keys.PathEnd+1), To: storage.PrefixEnd(prefix)})
		s.moveParents(s.parents.Next())
	}
	return s
}

// seek moves to the first id at or after a segment.
func (s *steps) seek(segment []byte) {
	s.moveDocs(s.docs.Seek(append(bytes.Clone(s.parentPrefix), append([]byte{keys.PathEnd}, segment...)...)))
	if s.parents != nil {
		s.moveParents(s.parents.Seek(append(bytes.Clone(s.parentPrefix), segment...)))
	}
}

// moveDocs records the position of the documents' iterator.
func (s *steps) moveDocs(ok bool) {
	s.docsAt = nil
	if ok {
		s.docsAt = s.docs.Key()[s.docPrefix:]
	}
}

// moveParents records the position of the parents' iterator.
func (s *steps) moveParents(ok bool) {
	s.parentsAt = nil
	if ok {
		rest := s.parents.Key()[s.parentsP:]
		s.parentsAt = rest[:index.SkipSegment(rest)]
	}
}

// next moves to the next id.
func (s *steps) next() bool {
	// c is negative if the next id has a document and no collections, positive if it has collections and no document, and
	// 0 if it has both.
	c := 0
	switch {
	case s.err != nil || s.docsAt == nil && s.parentsAt == nil:
		return false
	case s.docsAt == nil:
		c = 1
	case s.parentsAt == nil:
		c = -1
	default:
		c = bytes.Compare(s.docsAt, s.parentsAt)
	}
	s.record, s.parent = nil, c >= 0
	if c <= 0 {
		s.segment = bytes.Clone(s.docsAt)
		v, err := s.docs.Value()
		if err != nil {
			s.err = err
			return false
		}
		s.record = bytes.Clone(v)
		s.moveDocs(s.docs.Next())
	}
	if c >= 0 {
		s.segment = bytes.Clone(s.parentsAt)
		// The seek skips everything below this id.
		end := storage.PrefixEnd(append(bytes.Clone(s.parentPrefix), s.segment...))
		s.moveParents(s.parents.Seek(end))
	}
	return true
}

// close closes the iterators and stores the error of the walk in err.
func (s *steps) close() {
	for _, it := range []storage.Iterator{s.docs, s.parents} {
		if it == nil {
			continue
		}
		if err := it.Err(); err != nil && s.err == nil {
			s.err = err
		}
		_ = it.Close()
	}
}

// errEnough ends a walk early.
var errEnough = errors.New("enough")

// childCollection returns the id of the collection directly below parent that contains a document's path.
func childCollection(parent, path string) (string, bool) {
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
