package eval

import "clave/server/internal/model/value"

// abstractMember evaluates v.name or v['name'] for an abstract value.
func abstractMember(v Value, name string) Value {
	switch x := v.(type) {
	case *Partial:
		if member, known := x.Fields[name]; known {
			return member
		}
	case *Field:
		if m, ok := x.Equal.(value.Map); ok {
			if member, has := m[name]; has {
				return Pin(member)
			}
			return missing(name)
		}
	}
	return Unknown{}
}

// atLeast is the number of keys of a map that has at least n.
func atLeast(n int) *Field {
	return &Field{Class: NumberClass, Low: &Bound{Value: value.Int(n), Inclusive: true}}
}

// abstractMethod evaluates v.name(args) if one of the values is abstract. The result fails if an argument can.
func abstractMethod(v Value, name string, args []Value) Value {
	result := methodOf(v, name, args)
	for _, a := range args {
		if canFail(a) {
			return join(result, &Failure{}, false)
		}
	}
	return result
}

// canFail reports whether a value may be a failure.
func canFail(v Value) bool {
	switch x := v.(type) {
	case Unknown, *Failure:
		return true
	case Bools:
		return x&CanFail != 0
	}
	return false
}

// methodOf evaluates v.name(args) if no argument fails.
func methodOf(v Value, name string, args []Value) Value {
	switch x := v.(type) {
	case *Partial:
		if name == "get" && len(args) == 2 {
			return x.get(args[0])
		}
		if name == "keys" && len(args) == 0 {
			return &keysOf{x}
		}
		if name == "size" && len(args) == 0 {
			return atLeast(len(x.Fields))
		}
	case *keysOf:
		return x.method(name, args)
	case *Field:
		if len(args) == 1 && (name == "hasAll" || name == "hasAny") {
			return x.has(name, args[0]).value()
		}
	}
	return Unknown{}
}

// get evaluates m.get(key, default) of a partially known map.
func (p *Partial) get(key Value) Value {
	path, ok := key.(value.Array)
	if !ok {
		path = value.Array{key}
	}
	var v Value = p
	for _, k := range path {
		name, ok := k.(value.String)
		m, partial := v.(*Partial)
		if !ok || !partial {
			return Unknown{}
		}
		v = abstractMember(m, string(name))
	}
	return v
}

// keysOf is the list of the keys of a partially known map.
type keysOf struct{ of *Partial }

// Kind implements value.Value.
func (*keysOf) Kind() value.Kind { return value.KindArray }

// method evaluates keys().name(args): hasAll and hasAny are certain for known keys.
func (k *keysOf) method(name string, args []Value) Value {
	if name == "size" && len(args) == 0 {
		return atLeast(len(k.of.Fields))
	}
	if len(args) != 1 {
		return Unknown{}
	}
	list, ok := args[0].(value.Array)
	if !ok || name != "hasAll" && name != "hasAny" {
		return Unknown{}
	}
	known := 0
	for _, item := range list {
		if s, ok := item.(value.String); ok && k.of.Fields[string(s)] != nil {
			known++
		}
	}
	if name == "hasAll" && known == len(list) || name == "hasAny" && known > 0 {
		return value.Bool(true)
	}
	return either
}
