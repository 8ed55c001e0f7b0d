package eval

import (
	"reflect"

	"clave/server/internal/model/value"
)

// write records the order of a map's keys.
func (e *Evaluator) write(m value.Map, keys []string) {
	if e.written == nil {
		e.written = make(map[uintptr]writtenMap)
	}
	e.written[reflect.ValueOf(m).Pointer()] = writtenMap{m, keys}
}

// found records a document that was looked up, for values().
func (e *Evaluator) found(d *Document) {
	switch {
	case d.Layout.Sorted():
	case e.ordered:
		d.Layout.Branch(d.Data).Each(d.Data, e.write)
	default:
		e.documents = append(e.documents, d)
	}
}

// order begins recording the order of the keys in documents, those that were read before included.
func (e *Evaluator) order() {
	e.ordered = true
	for _, v := range [...]Value{e.Request.Resource, e.Request.New} {
		if d, ok := v.(*Document); ok {
			e.found(d)
		}
	}
	for _, d := range e.documents {
		e.found(d)
	}
	e.documents = nil
}

// mapValues evaluates m.values(). As in the official emulator, the values of a map literal are in the order of the
// text, and those of a document's map in the order in which its writers gave them. All others are in the order of the
// keys.
func (e *Evaluator) mapValues(m value.Map) Value {
	if !e.ordered {
		e.order()
	}
	keys := e.written[reflect.ValueOf(m).Pointer()].keys
	if keys == nil {
		keys = sortedKeys(m)
	}
	out := make(value.Array, len(keys))
	for i, k := range keys {
		out[i] = m[k]
	}
	return out
}
