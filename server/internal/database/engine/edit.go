package engine

import (
	"bytes"
	"slices"

	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
)

// edit holds the operations for one document's change: its record and its index entries.
type edit struct {
	ops []store.Op
	// record is the document's new record, nil when it is deleted.
	record []byte
	// cost is the size of the change that counts against a commit's limit.
	cost int
	err  error
}

// editor computes the edits of documents one after the other. Their operations and records share memory: a large batch
// makes thousands of small slices otherwise.
type editor struct {
	number uint32
	prefix []byte // of all index entries of the database
	set    *index.Set
	order  value.Order
	maker  index.Maker
	// ops and records are buffers; what lies beyond their lengths is free.
	ops     []store.Op
	records []byte
}

// The greatest shared pieces of memory: of operations, and of records in bytes. Each piece is twice as large as the one
// before until then.
const (
	greatestOps     = 64 * opsPerDocument
	greatestRecords = 32 << 10
)

// make returns the edit of a document.
func (m *editor) make(d *docState) edit {
	if cap(m.ops)-len(m.ops) < opsPerDocument {
		m.ops = make([]store.Op, 0, max(opsPerDocument, min(2*cap(m.ops), greatestOps)))
	}
	free := m.ops[len(m.ops):]
	e := edit{ops: free}
	var names []string
	if d.after != nil {
		names = m.order.Names(d.after.Fields)
		e.record = m.record(d.after, names)
		e.set(d.key, e.record)
		e.cost += len(e.record)
	} else {
		e.delete(d.key)
	}
	group := keys.Group(m.number, d.name.Path)
	switch {
	case group == nil || (d.before == nil) == (d.after == nil):
	case d.after != nil:
		e.set(group, nil)
	default:
		e.delete(group)
	}
	m.entries(&e, d, names)
	if len(e.ops) <= cap(free) { // Otherwise they are in memory of their own.
		m.ops = m.ops[:len(m.ops)+len(e.ops)] // Nothing is appended to the operations of one edit of several.
	}
	return e
}

// record returns a document's record.
func (m *editor) record(d *document.Document, names []string) []byte {
	if size := records.UsualSize(d); cap(m.records)-len(m.records) < size {
		m.records = make([]byte, 0, max(size, min(2*cap(m.records), greatestRecords)))
	}
	from := len(m.records)
	m.records = records.Append(m.records, d, names)
	return slices.Clip(m.records[from:])
}

// set adds a key with a value.
func (e *edit) set(key, value []byte) {
	e.ops = append(e.ops, store.Op{Kind: store.Set, Key: key, Value: value})
}

// delete adds the deletion of a key.
func (e *edit) delete(key []byte) {
	e.ops = append(e.ops, store.Op{Kind: store.Delete, Key: key})
}

// entries adds the changes of a document's index entries to its edit. names are the names of its fields after the
// change in order.
func (m *editor) entries(e *edit, d *docState, names []string) {
	var before, after []index.Entry
	var err error
	if d.before != nil {
		if before, err = m.set.Entries(m.prefix, d.name.Path, d.before.Fields); err != nil {
			before = nil // The stored document has entries. A limit that was introduced later must not make it unchangeable.
		}
	}
	if d.after != nil {
		if after, e.err = m.maker.Entries(m.set, m.prefix, d.name.Path, d.after.Fields, names); e.err != nil {
			return
		}
	}
	e.diff(before, after)
}

// diff adds the changes from one sorted list of entries to another. It merges the lists in the order of keys: it
// deletes a key that only before has, and sets one that only after has or whose value differs. Equal entries cost
// nothing.
func (e *edit) diff(before, after []index.Entry) {
	for len(before) > 0 || len(after) > 0 {
		c := 0
		switch {
		case len(before) == 0:
			c = 1
		case len(after) == 0:
			c = -1
		default:
			c = bytes.Compare(before[0].Key, after[0].Key)
		}
		switch {
		case c < 0:
			e.delete(before[0].Key)
			e.cost += 2 * len(before[0].Key)
			before = before[1:]
			continue
		case c > 0 || !bytes.Equal(before[0].Value, after[0].Value):
			e.set(after[0].Key, after[0].Value)
			e.cost += 2 * len(after[0].Key)
		}
		if c == 0 {
			before = before[1:]
		}
		after = after[1:]
	}
}

// leastColumns is the minimum number of columns for a goroutine.
const leastColumns = 4

// columns returns the operations of edits: the first of each, then the second of each, and so on, each column in the
// order of keys. Documents of one collection mostly have the same fields, so a column mostly belongs to one index, and
// the store writes adjacent keys faster than scattered ones. No two edits have a key in common.
func columns(edits []edit) []store.Op {
	if len(edits) == 1 {
		return edits[0].ops
	}
	n := 0
	rows := make([][]store.Op, len(edits))
	for i := range edits {
		n += len(edits[i].ops)
		rows[i] = edits[i].ops
	}
	out, starts := appendColumns(make([]store.Op, 0, n), rows)
	inShares(len(starts)-1, leastColumns, func(from, to int) {
		for at := from; at < to; at++ {
			slices.SortFunc(out[starts[at]:starts[at+1]], func(a, b store.Op) int { return bytes.Compare(a.Key, b.Key) })
		}
	})
	return out
}

// appendColumns appends the operations of rows: the first of each, then the second of each, and so on. starts are the
// positions of the columns, and the end of the last one.
func appendColumns(dst []store.Op, rows [][]store.Op) (out []store.Op, starts []int) {
	deepest := 0
	for _, row := range rows {
		deepest = max(deepest, len(row))
	}
	starts = make([]int, 0, deepest+1)
	for at := range deepest {
		starts = append(starts, len(dst))
		for _, row := range rows {
			if at < len(row) {
				dst = append(dst, row[at])
			}
		}
	}
	return dst, append(starts, len(dst))
}
