package value

import (
	"slices"
	"strings"

	"clave/server/internal/base/fault"
)

// FieldPath names a field: its own name and those of the maps around it, outermost first.
type FieldPath []string

// NamePath is the path that names the document itself, __name__.
var NamePath = FieldPath{"__name__"}

// ParseFieldPath parses names joined by dots; a name that is not a simple word is quoted with backticks and may contain
// \` and \\, but no other backslash. It returns InvalidArgument with Firestore's text.
func ParseFieldPath(s string) (FieldPath, error) {
	if simple(s) {
		return FieldPath{s}, nil
	}
	var path FieldPath
	rest := s
	for {
		name, after, ok := cutName(rest)
		if !ok {
			return nil, badPath(s)
		}
		path = append(path, name)
		if after == "" {
			return path, nil
		}
		if after[0] != '.' {
			return nil, badPath(s)
		}
		rest = after[1:]
	}
}

// badPath is the error for a text that is not a field path.
func badPath(s string) error {
	return fault.E(fault.InvalidArgument, "Invalid property path \"%s\". Unquoted property paths must match regex "+
		"([a-zA-Z_][a-zA-Z_0-9]*), and quoted property paths must match regex (`(?:[^`\\\\]|(?:\\\\.))+`)", s)
}

// cutName cuts the first name off a path; after begins with a dot or is empty in a good path.
func cutName(s string) (name, after string, ok bool) {
	if s == "" || s[0] != '`' {
		i := strings.IndexByte(s, '.')
		if i < 0 {
			i = len(s)
		}
		return s[:i], s[i:], simple(s[:i])
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '`':
			return b.String(), s[i+1:], b.Len() > 0
		case '\\':
			i++
			if i == len(s) || s[i] != '`' && s[i] != '\\' {
				return "", "", false
			}
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", false
}

// simple reports whether a name needs no quotes.
func simple(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// quoter escapes a name for backticks.
var quoter = strings.NewReplacer("\\", "\\\\", "`", "\\`")

// String returns the path as ParseFieldPath reads it, quoting where needed. It is one text for one path, so it
// serves as a map's key.
func (p FieldPath) String() string {
	if len(p) == 1 && simple(p[0]) {
		return p[0]
	}
	var b strings.Builder
	for i, name := range p {
		if i > 0 {
			b.WriteByte('.')
		}
		if simple(name) {
			b.WriteString(name)
		} else {
			b.WriteString("`" + quoter.Replace(name) + "`")
		}
	}
	return b.String()
}

// IsName reports whether the path is __name__.
func (p FieldPath) IsName() bool { return len(p) == 1 && p[0] == NamePath[0] }

// Equal reports whether two paths are the same.
func (p FieldPath) Equal(q FieldPath) bool { return slices.Equal(p, q) }

// Compare orders paths name by name, by UTF-8 bytes; a prefix comes first.
func (p FieldPath) Compare(q FieldPath) int { return slices.Compare(p, q) }

// HasPrefix reports whether p is q or below it.
func (p FieldPath) HasPrefix(q FieldPath) bool {
	return len(p) >= len(q) && slices.Equal(p[:len(q)], q)
}

// Get returns the value at a path, and whether there is one. A path can't name elements of arrays and vectors.
func (m Map) Get(path FieldPath) (Value, bool) {
	if len(path) == 0 {
		return nil, false
	}
	for _, name := range path[:len(path)-1] {
		next, ok := m[name].(Map)
		if !ok || isVector(next) {
			return nil, false
		}
		m = next
	}
	v, ok := m[path[len(path)-1]]
	return v, ok
}

// Set returns the map with v at the path. It creates missing maps on the path and replaces values that are not maps.
// The receiver is not changed. The result shares everything outside the path with it.
func (m Map) Set(path FieldPath, v Value) Map {
	out := m.clone()
	if len(path) == 1 {
		out[path[0]] = v
		return out
	}
	inner, _ := m[path[0]].(Map)
	if isVector(inner) {
		inner = nil
	}
	out[path[0]] = inner.Set(path[1:], v)
	return out
}

// Delete returns the map without the field at the path, but with the maps around it. The receiver is not changed.
func (m Map) Delete(path FieldPath) Map {
	if _, ok := m.Get(path); !ok {
		return m
	}
	out := m.clone()
	if len(path) == 1 {
		delete(out, path[0])
		return out
	}
	inner, _ := m[path[0]].(Map)
	out[path[0]] = inner.Delete(path[1:])
	return out
}

// clone returns a copy of the outermost level.
func (m Map) clone() Map {
	out := make(Map, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	return out
}
