package query

import (
	"encoding/binary"
	"math"

	"clave/server/internal/model/value"
)

// Fingerprint returns a string that is equal for two normalized queries exactly if the queries are equal. It is a key
// for maps and must not be stored.
func (q *Query) Fingerprint() string {
	b := printText(nil, q.DB.Project)
	b = printText(b, q.DB.ID)
	b = printText(b, q.Parent)
	for _, f := range q.From {
		b = append(printText(append(b, 'F'), f.Collection), printBool(f.AllDescendants))
	}
	b = printFilter(append(b, 'W'), q.Where)
	for _, o := range q.OrderBy {
		b = append(printText(append(b, 'O'), o.Path.String()), printBool(o.Desc))
	}
	b = printCursor(append(b, 'S'), q.Start)
	b = printCursor(append(b, 'E'), q.End)
	b = binary.AppendVarint(append(b, 'L'), int64(q.Limit))
	b = binary.AppendVarint(b, int64(q.Offset))
	b = append(b, printBool(q.HasSelect))
	for _, path := range q.Select {
		b = printText(b, path.String())
	}
	return string(printNearest(append(b, 'N'), q.Nearest))
}

// printBool prints a boolean.
func printBool(v bool) byte {
	if v {
		return 1
	}
	return 0
}

// printText prints a text so that it can't run into the next.
func printText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// printFilter prints a filter.
func printFilter(b []byte, f Filter) []byte {
	switch x := f.(type) {
	case *And:
		return printFilters(append(b, 'a'), x.Filters)
	case *Or:
		return printFilters(append(b, 'o'), x.Filters)
	case Field:
		b = printText(append(b, 'f', byte(x.Op)), x.Path.String())
		return value.AppendBinary(b, x.Value)
	case Unary:
		return printText(append(b, 'u', byte(x.Op)), x.Path.String())
	default:
		return append(b, '-')
	}
}

// printFilters prints several filters.
func printFilters(b []byte, filters []Filter) []byte {
	b = binary.AppendUvarint(b, uint64(len(filters)))
	for _, f := range filters {
		b = printFilter(b, f)
	}
	return b
}

// printCursor prints a cursor.
func printCursor(b []byte, c *Cursor) []byte {
	if c == nil {
		return append(b, '-')
	}
	b = binary.AppendUvarint(append(b, '+', printBool(c.Before)), uint64(len(c.Values)))
	for _, v := range c.Values {
		b = value.AppendBinary(b, v)
	}
	return b
}

// printNearest prints the search for vectors.
func printNearest(b []byte, n *Nearest) []byte {
	if n == nil {
		return append(b, '-')
	}
	b = printText(append(b, '+', byte(n.Measure)), n.Path.String())
	b = printText(b, n.ResultField.String())
	b = binary.AppendVarint(b, int64(n.Limit))
	if n.Threshold != nil {
		b = binary.LittleEndian.AppendUint64(append(b, '+'), math.Float64bits(*n.Threshold))
	}
	for _, x := range n.Vector {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}
