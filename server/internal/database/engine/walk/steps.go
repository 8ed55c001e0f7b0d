package walk

import (
	"bytes"
	"context"

	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/index"
	"clave/server/internal/limit/fair"
	"clave/server/internal/store"
)

// Steps walks over the document ids of a collection in order: those of documents, and those of absent documents that
// have collections.
type Steps struct {
	docs, parents       store.Iterator
	docsAt, parentsAt   []byte // the keys' part after the prefix; nil at the end
	docPrefix, parentsP int
	parentPrefix        []byte
	// Segment is the current id as it is encoded in keys. Record is its document's record, or nil if the document is
	// absent. Parent is set if it has collections.
	Segment []byte
	Record  []byte
	Parent  bool
	err     error
}

// NewSteps opens a walk over a collection given by its encoded path. Without parents it visits only documents.
func NewSteps(r store.Reader, number uint32, encoded []byte, parents bool) *Steps {
	prefix := append(keys.Prefix(keys.KindDocument, number), encoded...)
	docPrefix := append(bytes.Clone(prefix), keys.PathEnd)
	s := &Steps{docPrefix: len(docPrefix), parentsP: len(prefix), parentPrefix: prefix}
	s.docs = r.Scan(store.Prefix(docPrefix))
	s.moveDocs(s.docs.Next())
	if parents {
		s.parents = r.Scan(store.Range{From: append(bytes.Clone(prefix), keys.PathEnd+1), To: store.PrefixEnd(prefix)})
		s.moveParents(s.parents.Next())
	}
	return s
}

// Seek moves to the first id at or after a segment.
func (s *Steps) Seek(segment []byte) {
	s.moveDocs(s.docs.Seek(append(bytes.Clone(s.parentPrefix), append([]byte{keys.PathEnd}, segment...)...)))
	if s.parents != nil {
		s.moveParents(s.parents.Seek(append(bytes.Clone(s.parentPrefix), segment...)))
	}
}

// moveDocs records the position of the documents' iterator.
func (s *Steps) moveDocs(ok bool) {
	if s.docsAt = nil; ok {
		s.docsAt = s.docs.Key()[s.docPrefix:]
	} else {
		s.ended(s.docs)
	}
}

// moveParents records the position of the parents' iterator.
func (s *Steps) moveParents(ok bool) {
	if s.parentsAt = nil; ok {
		rest := s.parents.Key()[s.parentsP:]
		s.parentsAt = rest[:index.SkipSegment(rest)]
	} else {
		s.ended(s.parents)
	}
}

// ended records the error of an iterator that has no further key, so that the ids of the other one do not follow as if
// this one were at its end.
func (s *Steps) ended(it store.Iterator) {
	if err := it.Err(); err != nil && s.err == nil {
		s.err = err
	}
}

// Next moves to the next id. At the end, and after an error, which Close returns, it returns false.
func (s *Steps) Next() bool {
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
	s.Record, s.Parent = nil, c >= 0
	if c <= 0 {
		s.Segment = bytes.Clone(s.docsAt)
		v, err := s.docs.Value()
		if err != nil {
			s.err = err
			return false
		}
		s.Record = bytes.Clone(v)
		s.moveDocs(s.docs.Next())
	}
	if c >= 0 {
		s.Segment = bytes.Clone(s.parentsAt)
		// The seek skips everything below this id.
		end := store.PrefixEnd(append(bytes.Clone(s.parentPrefix), s.Segment...))
		s.moveParents(s.parents.Seek(end))
	}
	return true
}

// ID returns the current id. It counts the cost of the step for the call's turn, and returns the error of ctx if that
// has ended, and the errors of fair.Turn.Step.
func (s *Steps) ID(ctx context.Context, turn *fair.Turn) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err := turn.Step(ctx, fair.Cost(len(s.Record))); err != nil {
		return "", err
	}
	id, _, err := index.CutSegment(s.Segment)
	return id, err
}

// Close closes the iterators and returns the error that ended the walk early, if there was one. It may be called again.
func (s *Steps) Close() error {
	for _, it := range []store.Iterator{s.docs, s.parents} {
		if it == nil {
			continue
		}
		s.ended(it)
		_ = it.Close() // Err has returned all errors of a read.
	}
	s.docs, s.parents = nil, nil
	return s.err
}
