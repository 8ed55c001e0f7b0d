package index

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/value"
)

// How the entries of a document are made. Entries visits all fields, including the members of maps. A field has an
// automatic entry by its whole value and, if it is an array, one for each distinct element (field). A document has an
// entry in a composite index of its collection's id if it has all fields of the index (composite). The entries are
// sorted by key, so that the entries of two states of a document can be compared in one pass, and a commit writes the
// differences only (package engine, edit.diff). All keys of a document share a few allocations (arena).

// The first bytes of keys of entries.
const (
	keyCollection = 'c'
	keyGroup      = 'g'
	keyComposite  = 'x'
	keyExpiry     = 't'
)

// The kinds of automatic entries.
const (
	byValue   = 'v'
	byElement = 'e'
)

// maxEntries is the number of entries that one document may have; an automatic entry counts for both orders.
const maxEntries = 40_000

// maxEntrySize is the maximum size of an entry in bytes, as recorded in production.
const maxEntrySize = 5_530

// maxIndexedName is the maximum size in bytes of a relative name in an entry, whatever its document holds. In a test
// production accepted 4,622 bytes and refused 5,000.
const maxIndexedName = 4_800

// Flags in an entry's value.
const (
	// flagTruncated marks that a component was cut at MaxComponent bytes.
	flagTruncated = 1
	// flagDouble, shifted by a component's number, marks that the component is a double and no integer.
	flagDouble = 2
	// maxFlagged is the number of components that have a flagDouble.
	maxFlagged = 7
)

// Entry is one key of an index, with its value. Key and Value belong to the set that contains the entry and must not be
// changed.
type Entry struct {
	Key, Value []byte
}

// Info is the content of an entry's value.
type Info struct {
	// NameLen is the number of bytes at the key's end that hold the document's name.
	NameLen int
	// Truncated reports that a component was cut.
	Truncated bool
	doubles   byte
}

// IsDouble reports whether component i was a double; known is false if the entry does not record it.
func (i Info) IsDouble(component int) (double, known bool) {
	if component >= maxFlagged {
		return false, false
	}
	return i.doubles&(flagDouble<<component) != 0, true
}

// ParseInfo reads an entry's value.
func ParseInfo(v []byte) (Info, error) {
	if len(v) < 2 {
		return Info{}, errBroken
	}
	n, size := binary.Uvarint(v[1:])
	if size <= 0 {
		return Info{}, errBroken
	}
	return Info{NameLen: int(n), Truncated: v[0]&flagTruncated != 0, doubles: v[0] &^ flagTruncated}, nil
}

// Entries returns the entries of a document, given by its relative path, in order of keys. Every key begins with
// prefix. It returns InvalidArgument when there are too many, or one is too large.
func (s *Set) Entries(prefix []byte, path string, fields value.Map) ([]Entry, error) {
	return new(Maker).Entries(s, prefix, path, fields, value.SortedKeys(fields))
}

// Maker makes the entries of many documents in less memory and time than Set.Entries. The zero value is ready. It must
// be used by one goroutine at a time.
type Maker struct {
	entries []Entry
	arena   []byte
}

// Entries returns what Set.Entries returns, in a slice that is valid until the next call. names are the names of the
// fields in order.
func (m *Maker) Entries(s *Set, prefix []byte, path string, fields value.Map, names []string) ([]Entry, error) {
	if len(path) > maxIndexedName {
		return nil, fault.E(fault.InvalidArgument, "Index entry is too large.")
	}
	b := builder{set: s, prefix: prefix, name: newName(path), arena: m.arena, entries: m.entries[:0]}
	if cap(b.entries) == 0 {
		b.entries = make([]Entry, 0, len(fields)+usualExtra)
	}
	defer func() { m.arena, m.entries = b.arena, b.entries }()
	b.group = s.groups[b.name.id]
	if err := b.fields(make(value.FieldPath, 0, usualDepth), fields, names); err != nil {
		return nil, err
	}
	if b.group != nil {
		for _, c := range b.group.composites {
			if err := b.composite(c, fields); err != nil {
				return nil, err
			}
		}
		if err := b.expiry(fields); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(b.entries, func(x, y Entry) int { return bytes.Compare(x.Key, y.Key) })
	return b.entries, nil
}

// EntriesIn returns the entries of a document in one composite index of its collection, as Entries does.
func (s *Set) EntriesIn(c *Composite, prefix []byte, path string, fields value.Map) ([]Entry, error) {
	b := builder{set: s, prefix: prefix, name: newName(path)}
	err := b.composite(c, fields)
	return b.entries, err
}

// name is a document's name in the forms that keys need.
type name struct {
	path       string
	id         string // of the collection
	collection []byte // its encoded path and end mark
	doc        []byte // the document's encoded id
	full       []byte // the document's whole encoded path and end mark
}

// newName encodes a document's path.
func newName(path string) name {
	i := strings.LastIndexByte(path, '/')
	collection := path[:i]
	n := name{path: path, id: collection[strings.LastIndexByte(collection, '/')+1:]}
	n.full = AppendPath(make([]byte, 0, len(path)+16), collection)
	end := len(n.full)
	n.full = AppendSegment(n.full, path[i+1:])
	n.doc = n.full[end:len(n.full):len(n.full)]
	n.full = append(n.full, tagEnd)
	n.collection = append(append(make([]byte, 0, end+1), n.full[:end]...), tagEnd)
	return n
}

// builder collects one document's entries.
type builder struct {
	set     *Set
	prefix  []byte
	name    name
	group   *group
	entries []Entry
	count   int
	arena   []byte
}

// The usual number of entries that a document has beyond those of its fields' values, and of levels of maps.
const (
	usualExtra = 4
	usualDepth = 4
)

// fields adds the automatic entries of a map's members, of which names are the names in order, and of the maps in them.
// It uses the memory behind parent.
func (b *builder) fields(parent value.FieldPath, m value.Map, names []string) error {
	for _, member := range names {
		path := append(parent, member)
		v := m[member]
		if err := b.field(path.String(), v); err != nil {
			return err
		}
		inner, ok := v.(value.Map)
		if ok && inner.Kind() == value.KindMap {
			if err := b.fields(path, inner, value.SortedKeys(inner)); err != nil {
				return err
			}
		}
	}
	return nil
}

// field adds the automatic entries of one field.
func (b *builder) field(path string, v value.Value) error {
	collection, wide := b.group.single(path)
	if collection.Ordered() {
		if err := b.automatic(keyCollection, path, byValue, v, collection); err != nil {
			return err
		}
	}
	if wide.Ordered() {
		if err := b.automatic(keyGroup, path, byValue, v, wide); err != nil {
			return err
		}
	}
	// An array has one entry by its whole value, as above, and one for each distinct element, for ARRAY_CONTAINS.
	array, ok := v.(value.Array)
	if !ok || !collection.Contains && !wide.Contains {
		return nil
	}
	for _, element := range distinct(array) {
		if collection.Contains {
			if err := b.automatic(keyCollection, path, byElement, element, collection); err != nil {
				return err
			}
		}
		if wide.Contains {
			if err := b.automatic(keyGroup, path, byElement, element, wide); err != nil {
				return err
			}
		}
	}
	return nil
}

// automatic adds one entry of a single field.
func (b *builder) automatic(scope byte, path string, kind byte, v value.Value, s Single) error {
	if kind == byElement || s.Ascending && s.Descending {
		b.count++
	}
	start := b.begin(len(path) + len(b.name.full) + 64)
	b.arena = b.set.appendAutomatic(b.arena, scope, b.name.collection, b.name.id, path, kind)
	components := len(b.arena)
	var flags byte
	var truncated bool
	b.arena, truncated = AppendValue(b.arena, v)
	if truncated {
		flags |= flagTruncated
	}
	if _, ok := v.(value.Double); ok {
		flags |= flagDouble
	}
	tail := b.name.doc
	if scope == keyGroup {
		tail = b.name.full
	}
	return b.end(start, components, tail, false, flags)
}

// appendAutomatic appends the prefix of the keys of one automatic index.
func (s *Set) appendAutomatic(dst []byte, scope byte, collection []byte, id, path string, kind byte) []byte {
	dst = append(dst, scope)
	if scope == keyGroup {
		dst = AppendSegment(dst, id)
	} else {
		dst = append(dst, collection...)
	}
	return append(appendText(dst, path), kind)
}

// composite adds a document's entries in one composite index.
func (b *builder) composite(c *Composite, fields value.Map) error {
	values := make([]value.Value, len(c.Fields))
	var elements value.Array
	at := -1
	for i, f := range c.Fields {
		if f.Mode == Vector {
			return nil // Vectors are compared by reading documents.
		}
		if c.paths[i].IsName() {
			continue
		}
		v, ok := fields.Get(c.paths[i])
		if !ok {
			return nil
		}
		if f.Mode == Contains {
			if elements, ok = v.(value.Array); !ok {
				return nil
			}
			at = i
			continue
		}
		values[i] = v
	}
	if at < 0 {
		return b.compound(c, values)
	}
	for _, element := range distinct(elements) {
		values[at] = element
		if err := b.compound(c, values); err != nil {
			return err
		}
	}
	return nil
}

// compound adds one entry of a composite index.
func (b *builder) compound(c *Composite, values []value.Value) error {
	start := b.begin(len(b.name.full) + 32*len(values))
	b.arena = c.appendPrefix(b.arena, b.name.collection)
	components := len(b.arena)
	var flags byte
	for i, v := range values {
		if v == nil {
			continue // The name.
		}
		from := len(b.arena)
		var truncated bool
		b.arena, truncated = AppendValue(b.arena, v)
		if truncated {
			flags |= flagTruncated
		}
		if _, ok := v.(value.Double); ok && i < maxFlagged {
			flags |= flagDouble << i
		}
		if c.Fields[i].Mode == Descending {
			invert(b.arena[from:])
		}
	}
	tail := b.name.doc
	if c.Group {
		tail = b.name.full
	}
	return b.end(start, components, tail, c.NameDescending(), flags)
}

// The sizes of arenas in bytes. Each is twice as large as the one before, up to the greatest.
const (
	leastArena    = 1 << 10
	greatestArena = 32 << 10
)

// begin starts a key in the arena, with room for about size bytes.
func (b *builder) begin(size int) int {
	if cap(b.arena)-len(b.arena) < size+len(b.prefix) {
		b.arena = make([]byte, 0, max(leastArena, min(2*cap(b.arena), greatestArena), 2*(size+len(b.prefix))))
	}
	start := len(b.arena)
	b.arena = append(b.arena, b.prefix...)
	return start
}

// end finishes a key with the document's name.
func (b *builder) end(start, components int, tail []byte, desc bool, flags byte) error {
	if b.count++; b.count > maxEntries {
		return fault.Named("INDEX_ENTRIES_COUNT_LIMIT_EXCEEDED", fault.InvalidArgument, "too many index entries for entity /%s", b.name.path)
	}
	from := len(b.arena)
	b.arena = append(b.arena, tail...)
	if desc {
		invert(b.arena[from:])
	}
	key := b.arena[start:len(b.arena):len(b.arena)]
	if from-components+len(b.name.path) > maxEntrySize {
		return fault.E(fault.InvalidArgument, "Index entry is too large.")
	}
	at := len(b.arena)
	b.arena = append(b.arena, flags)
	b.arena = binary.AppendUvarint(b.arena, uint64(len(tail)))
	b.entries = append(b.entries, Entry{Key: key, Value: b.arena[at:len(b.arena):len(b.arena)]})
	return nil
}

// distinct returns an array's elements without those that equal an earlier one, in the order of values.
func distinct(a value.Array) value.Array {
	if len(a) < 2 {
		return a
	}
	sorted := slices.Clone(a)
	slices.SortStableFunc(sorted, value.Compare)
	return slices.CompactFunc(sorted, value.Equal)
}

// Automatic returns the prefix of the keys of an automatic index of a field, including the encoding of an equal value
// if one is given. The index is that of the collection with the given encoded path and end mark, or, if group is set,
// that of all collections with its id.
func (s *Set) Automatic(dst []byte, group bool, collection []byte, id, path string, element bool) []byte {
	scope, kind := byte(keyCollection), byte(byValue)
	if group {
		scope = keyGroup
	}
	if element {
		kind = byElement
	}
	return s.appendAutomatic(dst, scope, collection, id, path, kind)
}

// Prefix appends the prefix of the keys of a composite index. collection is the encoded path of the collection and its
// end mark.
func (c *Composite) Prefix(dst, collection []byte) []byte { return c.appendPrefix(dst, collection) }
