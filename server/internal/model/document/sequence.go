package document

import (
	"slices"
	"unicode/utf16"

	"clave/server/internal/model/value"
)

// The official emulator makes the changes of a mask or of transforms in the order of a Java HashMap. Each field that
// changes, and each map around it, becomes the last member of its map. Rules can read the result: the order of
// map.values().

// step is a name at one level of the paths of a mask.
type step struct {
	hash   uint32
	path   value.FieldPath // of the mask, nil if only longer paths have the name
	inside *level
	// changed are the paths that change, in order.
	changed []value.FieldPath
}

// level is the names at one level of the paths of a mask, in the order of the paths.
type level struct {
	steps  []*step
	byName map[string]*step
}

// inOrder returns the paths that change, in the order in which the official emulator changes them. With all, those that
// do not change count, as in a mask; otherwise they do not, as in transforms.
func inOrder(paths []value.FieldPath, all bool, changes func(value.FieldPath) bool) []value.FieldPath {
	if len(paths) == 1 {
		if !changes(paths[0]) {
			return nil
		}
		return paths
	}
	root := &level{}
	for _, path := range paths {
		at := root
		for _, name := range path[:len(path)-1] {
			s := at.step(name)
			if s.inside == nil {
				s.inside = &level{}
			}
			at = s.inside
		}
		at.step(path[len(path)-1]).path = path
	}
	return root.changed(all, changes)
}

// step returns the step with a name.
func (l *level) step(name string) *step {
	s := l.byName[name]
	if s == nil {
		if l.byName == nil {
			l.byName = make(map[string]*step)
		}
		s = &step{hash: hash(name)}
		l.steps, l.byName[name] = append(l.steps, s), s
	}
	return s
}

// changed returns the paths that change, in order.
func (l *level) changed(all bool, changes func(value.FieldPath) bool) []value.FieldPath {
	steps := l.steps
	if all {
		slices.SortStableFunc(steps, func(a, b *step) int { return min(len(b.path), 1) - min(len(a.path), 1) })
		hashed(steps)
	}
	steps = slices.DeleteFunc(steps, func(s *step) bool {
		if s.path != nil && changes(s.path) {
			s.changed = append(s.changed, s.path)
		}
		if s.inside != nil {
			s.changed = append(s.changed, s.inside.changed(all, changes)...)
		}
		return len(s.changed) == 0
	})
	hashed(steps)
	var out []value.FieldPath
	for _, s := range steps {
		out = append(out, s.changed...)
	}
	return out
}

// hashed sorts steps as a HashMap iterates over their names that were put into it in the given order.
func hashed(steps []*step) {
	buckets := uint32(16)
	for len(steps) > int(buckets)*3/4 {
		buckets *= 2
	}
	slices.SortStableFunc(steps, func(a, b *step) int {
		return int(a.hash&(buckets-1)) - int(b.hash&(buckets-1))
	})
}

// hash returns the hash by which a HashMap chooses the bucket of a string.
func hash(name string) uint32 {
	var h uint32
	for _, r := range name {
		if utf16.RuneLen(r) == 2 {
			high, low := utf16.EncodeRune(r)
			h, r = 31*h+uint32(high), low
		}
		h = 31*h + uint32(r)
	}
	return h ^ h>>16
}
