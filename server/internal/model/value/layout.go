package value

import (
	"encoding/binary"
	"slices"
)

// Layout is the order in which a writer gave the members of a map, and those of the maps inside it. The zero Layout is
// the order of the names (SortedKeys) in all of them. Equality, order and sizes of maps do not depend on it. It is
// immutable.
type Layout struct {
	branch *Branch
	packed string // the stored form, if it is not unpacked
}

// Branch is the layout of one map or array. nil is the order of the names, in the maps inside it, too.
type Branch struct {
	names  []string           // all members in order; nil for the order of the names
	inside map[string]*Branch // the layouts of members
	items  Items              // the layouts of an array's elements
}

// LayoutOf returns the layout of a map with a branch.
func LayoutOf(b *Branch) Layout { return Layout{branch: b} }

// Sorted reports whether all members are in the order of their names.
func (l Layout) Sorted() bool { return l.branch == nil && l.packed == "" }

// Branch returns the layout of the map that l belongs to: the order of the names if l does not belong to it.
func (l Layout) Branch(m Map) *Branch {
	if l.packed == "" {
		return l.branch
	}
	u := unpacker{d: decoder{b: []byte(l.packed)}}
	b := u.branch(m, maxDecodeDepth)
	if u.d.failed || len(u.d.b) > 0 {
		return nil
	}
	return b
}

// Names returns the names of a map's members in order. They must not be changed.
func (b *Branch) Names(m Map) []string {
	if b == nil || len(b.names) != len(m) {
		return SortedKeys(m)
	}
	return b.names
}

// At returns the layout of the value at a path.
func (b *Branch) At(path FieldPath) *Branch {
	for _, name := range path {
		if b == nil {
			return nil
		}
		b = b.inside[name]
	}
	return b
}

// Item returns the layout of an element of an array.
func (b *Branch) Item(i int) *Branch {
	if b == nil {
		return nil
	}
	return b.items[i]
}

// Each calls do for a map, and for those inside it, whose members are not in the order of their names.
func (b *Branch) Each(v Value, do func(m Map, names []string)) {
	if b == nil {
		return
	}
	switch x := v.(type) {
	case Map:
		if b.names != nil {
			do(x, b.Names(x))
		}
		for name, inner := range b.inside {
			inner.Each(x[name], do)
		}
	case Array:
		for i, inner := range b.items {
			if i < len(x) {
				inner.Each(x[i], do)
			}
		}
	}
}

// Items are the layouts of the elements of an array that have one. The zero value is ready for an empty array.
type Items map[int]*Branch

// Put sets the layout of an element that had none, which can be nil.
func (x *Items) Put(i int, b *Branch) {
	if b == nil {
		return
	}
	if *x == nil {
		*x = make(Items)
	}
	(*x)[i] = b
}

// Branch returns the layout of the array.
func (x Items) Branch() *Branch {
	if len(x) == 0 {
		return nil
	}
	return &Branch{items: x}
}

// Filler fills a map with members in the order of a writer. The zero value is ready for an empty map.
type Filler struct {
	few      [usualNames]string // the first names
	more     []string           // the others
	count    int
	unsorted bool
	inside   map[string]*Branch
}

// usualNames is the number of names for which there is space without an allocation.
const usualNames = 8

// small is a branch with space for its names.
type small struct {
	branch Branch
	names  [usualNames]string
}

// Put puts a member with its layout into the map, which is the same in all calls.
func (f *Filler) Put(m Map, name string, v Value, inner *Branch) {
	f.add(name)
	if m[name] = v; inner != nil {
		if f.inside == nil {
			f.inside = make(map[string]*Branch)
		}
		f.inside[name] = inner
	} else if f.inside != nil {
		delete(f.inside, name)
	}
}

// add adds a name.
func (f *Filler) add(name string) {
	if f.count > 0 && name <= f.last() {
		if name == f.last() {
			return // Its first place counts.
		}
		f.unsorted = true
	}
	if f.count < usualNames {
		f.few[f.count] = name
	} else {
		f.more = append(f.more, name)
	}
	f.count++
}

// last returns the last name.
func (f *Filler) last() string {
	if len(f.more) > 0 {
		return f.more[len(f.more)-1]
	}
	return f.few[f.count-1]
}

// Branch returns the layout of the map. The filler must not be used afterwards.
func (f *Filler) Branch(m Map) *Branch {
	switch {
	case !f.unsorted:
		return Members(nil, f.inside)
	case f.count == len(m) && f.count <= usualNames:
		made := &small{names: f.few}
		made.branch = Branch{names: made.names[:f.count], inside: f.inside}
		return &made.branch
	}
	names := append(append(make([]string, 0, f.count), f.few[:min(f.count, usualNames)]...), f.more...)
	if len(names) > len(m) { // A name came twice; its first place counts.
		seen := make(map[string]bool, len(m))
		names = slices.DeleteFunc(names, func(name string) bool {
			twice := seen[name]
			seen[name] = true
			return twice
		})
	}
	return Members(names, f.inside)
}

// Members returns the layout of a map whose members have the given order, nil for that of their names, and layouts of
// their own.
func Members(names []string, inside map[string]*Branch) *Branch {
	if slices.IsSorted(names) {
		names = nil
	}
	if len(inside) == 0 {
		inside = nil
	}
	if names == nil && inside == nil {
		return nil
	}
	return &Branch{names: names, inside: inside}
}

// The stored form of a Layout is empty, or that of its branch: a uvarint of twice the number of branches inside, plus 1
// if the order follows; the order; and for each branch inside, by place among the sorted names, the uvarint distance of
// its place from the last one's, and its own form.
//
// The order of at most mostNumbered names is the number of their permutation in the factorial system, as a uvarint.
// That of more names is the place of each name among the sorted ones, as uvarints.

// mostNumbered is the maximum number of names whose permutations all have numbers of 64 bits.
const mostNumbered = 20

// StoredLayout returns the layout of a stored form. It shares no memory with b.
func StoredLayout(b []byte) Layout { return Layout{packed: string(b)} }

// AppendStored appends the stored form of the layout of a map. sorted are the names of its members in order
// (SortedKeys).
func (l Layout) AppendStored(dst []byte, m Map, sorted []string) []byte {
	if l.packed != "" || l.branch == nil {
		return append(dst, l.packed...)
	}
	return l.branch.append(dst, m, sorted)
}

// append appends the stored form of the layout of a map.
func (b *Branch) append(dst []byte, m Map, sorted []string) []byte {
	header := uint64(len(b.inside)) << 1
	if b.names != nil {
		header |= 1
	}
	dst = binary.AppendUvarint(dst, header)
	if len(b.names) <= mostNumbered {
		if b.names != nil {
			dst = binary.AppendUvarint(dst, permutation(b.names, sorted))
		}
	} else {
		for _, name := range b.names {
			place, _ := slices.BinarySearch(sorted, name)
			dst = binary.AppendUvarint(dst, uint64(place))
		}
	}
	if len(b.inside) == 0 {
		return dst
	}
	last := 0
	for place, name := range sorted {
		if inner := b.inside[name]; inner != nil {
			dst = inner.appendValue(binary.AppendUvarint(dst, uint64(place-last)), m[name])
			last = place
		}
	}
	return dst
}

// permutation returns the number of the order of names among all orders of the sorted ones.
func permutation(names, sorted []string) (number uint64) {
	var places [mostNumbered]int
	for i, name := range names {
		places[i] = slices.Index(sorted, name) // Most have other lengths: this is faster than a binary search.
	}
	for i := range names {
		less := 0
		for _, place := range places[i+1 : len(names)] {
			if place < places[i] {
				less++
			}
		}
		number = number*uint64(len(names)-i) + uint64(less)
	}
	return number
}

// ordered returns the names in the order with a number. ok is false if there is none.
func ordered(number uint64, sorted []string) (names []string, ok bool) {
	var less [mostNumbered]int
	for i := len(sorted) - 1; i >= 0; i-- {
		base := uint64(len(sorted) - i)
		less[i] = int(number % base)
		number /= base
	}
	left := slices.Clone(sorted)
	names = make([]string, 0, len(sorted))
	for i := range sorted {
		names = append(names, left[less[i]])
		left = slices.Delete(left, less[i], less[i]+1)
	}
	return names, number == 0
}

// appendValue appends the stored form of the layout of a map or an array.
func (b *Branch) appendValue(dst []byte, v Value) []byte {
	if m, ok := v.(Map); ok {
		return b.append(dst, m, SortedKeys(m))
	}
	items, _ := v.(Array)
	dst = binary.AppendUvarint(dst, uint64(len(b.items))<<1)
	last := 0
	for i, item := range items {
		if inner := b.items[i]; inner != nil {
			dst = inner.appendValue(binary.AppendUvarint(dst, uint64(i-last)), item)
			last = i
		}
	}
	return dst
}

// unpacker reads stored layouts. It fails for those that do not belong to the value.
type unpacker struct{ d decoder }

// branch reads the layout of a value with at most depth levels.
func (u *unpacker) branch(v Value, depth int) *Branch {
	header := u.d.uvarint()
	if u.d.failed || depth == 0 {
		u.d.fail()
		return nil
	}
	switch x := v.(type) {
	case Map:
		return u.members(x, header, depth)
	case Array:
		var items Items
		u.inside(header>>1, len(x), func(i int) { items.Put(i, u.branch(x[i], depth-1)) })
		return items.Branch()
	}
	u.d.fail()
	return nil
}

// members reads the layout of a map.
func (u *unpacker) members(m Map, header uint64, depth int) *Branch {
	sorted := SortedKeys(m)
	var names []string
	if header&1 != 0 {
		names = u.names(sorted)
	}
	if header>>1 == 0 {
		return Members(names, nil)
	}
	inside := make(map[string]*Branch)
	u.inside(header>>1, len(m), func(i int) {
		if b := u.branch(m[sorted[i]], depth-1); b != nil {
			inside[sorted[i]] = b
		}
	})
	return Members(names, inside)
}

// names reads the order of names. It fails if they are not the sorted ones, each once.
func (u *unpacker) names(sorted []string) []string {
	if len(sorted) <= mostNumbered {
		names, ok := ordered(u.d.uvarint(), sorted)
		if !ok {
			u.d.fail()
		}
		return names
	}
	out, seen := make([]string, len(sorted)), make([]bool, len(sorted))
	for i := range out {
		place := u.d.uvarint()
		if u.d.failed || place >= uint64(len(sorted)) || seen[place] {
			u.d.fail()
			return nil
		}
		out[i], seen[place] = sorted[place], true
	}
	return out
}

// inside reads the layouts of n of count members.
func (u *unpacker) inside(n uint64, count int, read func(place int)) {
	place := uint64(0)
	for range n {
		distance := u.d.uvarint()
		if u.d.failed || distance >= uint64(count)-place {
			u.d.fail()
			return
		}
		place += distance
		read(int(place))
	}
}
