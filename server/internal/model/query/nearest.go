package query

import (
	"cmp"
	"math"
	"slices"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// Neighbours collects the documents whose vectors are nearest to a query's.
type Neighbours struct {
	nearest *Nearest
	found   []neighbour
}

// neighbour is a document and its distance.
type neighbour struct {
	doc      *document.Document
	distance float64
}

// NewNeighbours returns a set for the nearest documents of a search.
func NewNeighbours(n *Nearest) *Neighbours { return &Neighbours{nearest: n} }

// Add adds a document, and returns the one that is not among the nearest any more, or nil. It is the document itself if
// that is too far away, or if its field is not a vector of the search's dimension.
func (s *Neighbours) Add(d *document.Document) (dropped *document.Document) {
	v, ok := d.Fields.Get(s.nearest.Path)
	if !ok {
		return d
	}
	m, _ := v.(value.Map)
	numbers, ok := value.AsVector(m)
	if !ok || len(numbers) != len(s.nearest.Vector) {
		return d
	}
	distance := s.nearest.distance(numbers)
	if s.nearest.beyond(distance) {
		return d
	}
	n := neighbour{doc: d, distance: distance}
	i, _ := slices.BinarySearchFunc(s.found, n, s.compare)
	if i >= s.nearest.Limit {
		return d
	}
	if len(s.found) == s.nearest.Limit {
		dropped = s.found[len(s.found)-1].doc
		s.found = s.found[:len(s.found)-1]
	}
	s.found = slices.Insert(s.found, i, n)
	return dropped
}

// compare orders the nearest first, then by name. An undefined distance, such as the angle of a vector of zeros, is the
// greatest.
func (s *Neighbours) compare(a, b neighbour) int {
	c := cmp.Compare(a.distance, b.distance)
	if math.IsNaN(a.distance) || math.IsNaN(b.distance) {
		c = -c
	}
	if s.nearest.Measure == DotProduct {
		c = -c
	}
	if c != 0 {
		return c
	}
	return resource.CompareDocuments(a.doc.Name, b.doc.Name)
}

// Documents returns the nearest documents, nearest first, with their distance in the requested field.
func (s *Neighbours) Documents() []*document.Document {
	out := make([]*document.Document, len(s.found))
	for i, n := range s.found {
		out[i] = n.doc
		if len(s.nearest.ResultField) > 0 {
			d := *n.doc
			d.Fields = d.Fields.Set(s.nearest.ResultField, value.Double(n.distance))
			out[i] = &d
		}
	}
	return out
}

// beyond reports whether a distance exceeds the threshold or is undefined.
func (n *Nearest) beyond(distance float64) bool {
	switch {
	case n.Threshold == nil:
		return false
	case n.Measure == DotProduct:
		return !(distance >= *n.Threshold)
	default:
		return !(distance <= *n.Threshold)
	}
}

// distance returns the distance to a vector of the same dimension.
func (n *Nearest) distance(v []float64) float64 {
	var product, squares, a, b float64
	for i, x := range v {
		y := n.Vector[i]
		product += x * y
		squares += (x - y) * (x - y)
		a += x * x
		b += y * y
	}
	switch n.Measure {
	case DotProduct:
		return product
	case Cosine:
		return 1 - product/math.Sqrt(a*b)
	default:
		return math.Sqrt(squares)
	}
}
