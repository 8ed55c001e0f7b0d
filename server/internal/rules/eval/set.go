package eval

import (
	"slices"

	"clave/server/internal/model/value"
)

// Set is a set. Unlike in lists, 1 and 1.0 are the same member. It is immutable.
type Set struct {
	items map[string]Value
	order []string // keys in the order of insertion
}

// newSet creates a set of a list's items.
func newSet(items []Value) *Set {
	s := &Set{items: make(map[string]Value, len(items))}
	for _, v := range items {
		s.add(key(v), v)
	}
	return s
}

// stringSet creates a set of texts.
func stringSet(items []string) *Set {
	s := &Set{items: make(map[string]Value, len(items))}
	for _, v := range items {
		s.add(key(value.String(v)), value.String(v))
	}
	return s
}

// add adds an item while the set is being made.
func (s *Set) add(k string, v Value) {
	if _, ok := s.items[k]; !ok {
		s.items[k] = v
		s.order = append(s.order, k)
	}
}

// Items returns the set's items in the order of insertion.
func (s *Set) Items() []Value {
	items := make([]Value, len(s.order))
	for i, k := range s.order {
		items[i] = s.items[k]
	}
	return items
}

// sorted returns the keys in order.
func (s *Set) sorted() []string {
	keys := slices.Clone(s.order)
	slices.Sort(keys)
	return keys
}

// has reports whether v is in the set.
func (s *Set) has(v Value) bool {
	_, ok := s.items[key(v)]
	return ok
}

// within reports whether all of s is in t.
func (s *Set) within(t *Set) bool {
	for k := range s.items {
		if _, ok := t.items[k]; !ok {
			return false
		}
	}
	return true
}

// meets reports whether s and t share an item.
func (s *Set) meets(t *Set) bool {
	for k := range s.items {
		if _, ok := t.items[k]; ok {
			return true
		}
	}
	return false
}

// equal reports whether two sets have the same items.
func (s *Set) equal(t *Set) bool { return len(s.items) == len(t.items) && s.within(t) }

// pick returns the items of s that are in t, or those that are not.
func (s *Set) pick(t *Set, in bool) *Set {
	out := &Set{items: make(map[string]Value)}
	for _, k := range s.order {
		if _, ok := t.items[k]; ok == in {
			out.add(k, s.items[k])
		}
	}
	return out
}

// union returns the items of both.
func (s *Set) union(t *Set) *Set {
	out := &Set{items: make(map[string]Value, len(s.items)+len(t.items))}
	for _, k := range s.order {
		out.add(k, s.items[k])
	}
	for _, k := range t.order {
		out.add(k, t.items[k])
	}
	return out
}

// Diff holds the differences of two maps, by their top-level keys.
type Diff struct {
	added, removed, changed, unchanged []string
}

// newDiff compares a map with an older one. Numbers compare by value.
func newDiff(now, old value.Map) *Diff {
	d := &Diff{}
	for _, k := range sortedKeys(now) {
		w, ok := old[k]
		switch {
		case !ok:
			d.added = append(d.added, k)
		case same(now[k], w) || key(now[k]) == key(w):
			d.unchanged = append(d.unchanged, k)
		default:
			d.changed = append(d.changed, k)
		}
	}
	for _, k := range sortedKeys(old) {
		if _, ok := now[k]; !ok {
			d.removed = append(d.removed, k)
		}
	}
	return d
}

// Statuses returns the change of each key, in the terms of the official emulator's JSON.
func (d *Diff) Statuses() map[string]string {
	out := make(map[string]string)
	for status, keys := range map[string][]string{
		"ADDED": d.added, "REMOVED": d.removed, "CHANGED": d.changed, "UNCHANGED": d.unchanged,
	} {
		for _, k := range keys {
			out[k] = status
		}
	}
	return out
}
