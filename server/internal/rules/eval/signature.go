package eval

import (
	"slices"
	"sync"

	"clave/server/internal/rules/check"
)

// receivers are the types with methods, in the order in which the official compiler lists types.
var receivers = []struct {
	name    string
	methods map[string]builtin
}{
	{"string", stringMethods},
	{"bytes", bytesMethods},
	{"list", listMethods},
	{"set", setMethods},
	{"map", mapMethods},
	{"map_diff", diffMethods},
	{"duration", durationMethods},
	{"timestamp", timestampMethods},
	{"latlng", latlngMethods},
	{"path", pathMethods},
}

// Builtins returns the signatures of the built-in functions and methods for the checker.
var Builtins = sync.OnceValue(func() check.Builtins {
	all := check.Builtins{Functions: make(map[string]check.Signature), Methods: make(map[string]check.Signature)}
	for name, f := range functions {
		all.Functions[name] = f.extend(check.Signature{})
	}
	for _, r := range receivers {
		for name, m := range r.methods {
			s := all.Methods[name]
			s.On = append(s.On, r.name)
			all.Methods[name] = m.extend(s)
		}
	}
	return all
})

// extend returns a signature that also allows the overloads of a built-in. The checker looks methods up by their names
// alone, so that a method of several types has one signature. All overloads of a name have the same number of
// parameters.
func (b builtin) extend(s check.Signature) check.Signature {
	s.Returns = union(s.Returns, b.returns)
	for _, o := range b.overloads {
		if s.Params == nil {
			s.Params = make([]check.Types, len(o.types))
		}
		for i, t := range o.types {
			switch t {
			case "any":
			case "float":
				s.Params[i] = union(s.Params[i], accepted(b, i))
			default:
				s.Params[i] = union(s.Params[i], check.Types{t})
			}
		}
	}
	return s
}

// accepted returns the types that a parameter of type float takes: an int does too, which the official compiler names
// second where no overload of its own takes ints.
func accepted(b builtin, i int) check.Types {
	for _, o := range b.overloads {
		if o.types[i] == "int" {
			return check.Types{"float"}
		}
	}
	return check.Types{"float", "int"}
}

// union returns the types of a and those of b that a lacks.
func union(a, b check.Types) check.Types {
	out := slices.Clone(a)
	for _, t := range b {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
