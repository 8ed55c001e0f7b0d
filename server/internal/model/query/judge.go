package query

import (
	"reflect"
	"strings"

	"clave/server/internal/model/value"
)

// Judge evaluates many queries for the same few documents. It keeps what depends on a document only, so that many
// filters of a large array or map do not each read all of it. The zero Judge is ready for use; a nil one keeps nothing,
// for a single query. It is not safe for concurrent use, and the documents must not change while it is used.
type Judge struct {
	// elements holds the keys of arrays' elements, by the address of the first element.
	elements map[*value.Value]map[any]struct{}
	// members holds the sorted names of maps' members, by the address of the map.
	members map[uintptr][]string
}

// large is the number of elements or members from which they are kept.
const large = 16

// contains reports whether a value is an array that has an element equal to item.
func (j *Judge) contains(v, item value.Value) bool {
	items, _ := v.(value.Array)
	if j == nil || len(items) < large {
		return inList(item, v)
	}
	set := j.elements[&items[0]]
	if set == nil {
		set = make(map[any]struct{}, len(items))
		for _, e := range items {
			set[value.Key(e)] = struct{}{}
		}
		if j.elements == nil {
			j.elements = make(map[*value.Value]map[any]struct{})
		}
		j.elements[&items[0]] = set
	}
	_, ok := set[value.Key(item)]
	return ok && ordered(item)
}

// compare is value.Compare, for a value of a document and another one.
func (j *Judge) compare(a, b value.Value) int {
	if j == nil || a.Kind() != b.Kind() {
		return value.Compare(a, b)
	}
	switch x := a.(type) {
	case value.Array:
		y := b.(value.Array)
		for i := range min(len(x), len(y)) {
			if c := j.compare(x[i], y[i]); c != 0 {
				return c
			}
		}
		return len(x) - len(y)
	case value.Map:
		if x.Kind() == value.KindVector {
			break
		}
		y := b.(value.Map)
		nx, ny := j.names(x), value.SortedKeys(y)
		for i := range min(len(nx), len(ny)) {
			if c := strings.Compare(nx[i], ny[i]); c != 0 {
				return c
			}
			if c := j.compare(x[nx[i]], y[ny[i]]); c != 0 {
				return c
			}
		}
		return len(nx) - len(ny)
	}
	return value.Compare(a, b)
}

// names returns the sorted names of a map's members.
func (j *Judge) names(m value.Map) []string {
	if len(m) < large {
		return value.SortedKeys(m)
	}
	at := reflect.ValueOf(m).Pointer()
	names := j.members[at]
	if names == nil {
		names = value.SortedKeys(m)
		if j.members == nil {
			j.members = make(map[uintptr][]string)
		}
		j.members[at] = names
	}
	return names
}
