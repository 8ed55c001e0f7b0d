package engine

import (
	"clave/server/document"
	"clave/server/value"
)

// join combines the writes of one document into one mutation, and gives their results its outcome: a document that ends
// as it began has not changed.
func (s *commitState) join(writes []document.Write) {
	for _, d := range s.order {
		if d.before != nil && d.after != nil && d.before.CreateTime == d.after.CreateTime && value.Identical(d.before.Fields, d.after.Fields) {
			d.after = d.before
		}
	}
	for i, w := range writes {
		if w.Op == document.Verify {
			continue
		}
		s.results[i].UpdateTime = 0
		if d := s.docs[w.Name.Path]; d.after != nil {
			s.results[i].UpdateTime = d.after.UpdateTime
		}
	}
}
