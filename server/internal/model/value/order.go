package value

// Order returns the names of maps' members in order. If a map has the same names as the one before, as documents of a
// collection mostly do, it need not sort them. The zero value is ready. It must be used by one goroutine at a time.
type Order struct{ last []string }

// Names returns what SortedKeys returns. The slice remains valid, and must not be changed.
func (o *Order) Names(m Map) []string {
	if !o.same(m) {
		o.last = SortedKeys(m)
	}
	return o.last
}

// same reports whether a map has the last names and no others.
func (o *Order) same(m Map) bool {
	if len(m) != len(o.last) {
		return false
	}
	for _, name := range o.last {
		if _, ok := m[name]; !ok {
			return false
		}
	}
	return true
}
