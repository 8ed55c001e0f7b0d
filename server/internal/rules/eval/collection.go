package eval

import (
	"slices"
	"strings"

	"clave/server/internal/model/value"
)

// manyItems is the size of lists from which they are compared by keys instead of item by item.
const manyItems = 64

// listMethods are the methods of lists.
var listMethods = map[string]builtin{
	"size": {types("int"), overloads{{nil, func(args []Value) Value { return value.Int(len(args[0].(value.Array))) }}}},
	"hasAll": {types("bool"), overloads{{types("list"), func(args []Value) Value {
		return value.Bool(containsAll(args[0].(value.Array), args[1].(value.Array)))
	}}}},
	"hasOnly": {types("bool"), overloads{{types("list"), func(args []Value) Value {
		return value.Bool(containsAll(args[1].(value.Array), args[0].(value.Array)))
	}}}},
	"hasAny": {types("bool"), overloads{{types("list"), func(args []Value) Value {
		has := finder(args[0].(value.Array))
		for _, v := range args[1].(value.Array) {
			if has(v) {
				return value.Bool(true)
			}
		}
		return value.Bool(false)
	}}}},
	"concat": {types("list"), overloads{{types("list"), func(args []Value) Value {
		a, b := args[0].(value.Array), args[1].(value.Array)
		out := make(value.Array, 0, len(a)+len(b))
		return append(append(out, a...), b...)
	}}}},
	"removeAll": {types("list"), overloads{{types("list"), func(args []Value) Value {
		has := finder(args[1].(value.Array))
		out := value.Array{}
		for _, v := range args[0].(value.Array) {
			if !has(v) {
				out = append(out, v)
			}
		}
		return out
	}}}},
	"join":  {types("string"), overloads{{types("string"), join2}}},
	"toSet": {types("set"), overloads{{nil, func(args []Value) Value { return newSet(args[0].(value.Array)) }}}},
}

// finder returns a function that reports whether a list holds a value.
func finder(list value.Array) func(Value) bool {
	if len(list) <= manyItems {
		return func(v Value) bool {
			return slices.ContainsFunc(list, func(item value.Value) bool { return same(item, v) })
		}
	}
	// All items of one key are the same or, if they contain NaN, the same as nothing. So one of them is enough.
	byKey := make(map[string]Value, len(list))
	for _, v := range list {
		byKey[exactKey(v)] = v
	}
	return func(v Value) bool {
		item, ok := byKey[exactKey(v)]
		return ok && same(item, v)
	}
}

// containsAll reports whether a list holds all of the items.
func containsAll(list, items value.Array) bool {
	has := finder(list)
	for _, v := range items {
		if !has(v) {
			return false
		}
	}
	return true
}

// join2 is list.join(separator).
func join2(args []Value) Value {
	var b strings.Builder
	for i, v := range args[0].(value.Array) {
		if i > 0 {
			b.WriteString(string(args[1].(value.String)))
		}
		s, f := toString(v)
		if f != nil {
			return f
		}
		b.WriteString(s)
		if b.Len() > maxBytes {
			break // too great already
		}
	}
	return value.String(b.String())
}

// setMethods are the methods of sets. The predicates take lists too, the operations sets only.
var setMethods = map[string]builtin{
	"size":         {types("int"), overloads{{nil, func(args []Value) Value { return value.Int(len(args[0].(*Set).items)) }}}},
	"hasAll":       {types("bool"), setPredicate(func(s, t *Set) bool { return t.within(s) })},
	"hasOnly":      {types("bool"), setPredicate(func(s, t *Set) bool { return s.within(t) })},
	"hasAny":       {types("bool"), setPredicate(func(s, t *Set) bool { return s.meets(t) })},
	"union":        {types("set"), overloads{{types("set"), func(args []Value) Value { return args[0].(*Set).union(args[1].(*Set)) }}}},
	"intersection": {types("set"), overloads{{types("set"), func(args []Value) Value { return args[0].(*Set).pick(args[1].(*Set), true) }}}},
	"difference":   {types("set"), overloads{{types("set"), func(args []Value) Value { return args[0].(*Set).pick(args[1].(*Set), false) }}}},
}

// setPredicate creates a method that compares a set with a set or a list.
func setPredicate(holds func(s, t *Set) bool) overloads {
	return overloads{
		{types("set"), func(args []Value) Value { return value.Bool(holds(args[0].(*Set), args[1].(*Set))) }},
		{types("list"), func(args []Value) Value { return value.Bool(holds(args[0].(*Set), newSet(args[1].(value.Array)))) }},
	}
}
