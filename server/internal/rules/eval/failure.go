package eval

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"clave/server/internal/model/value"
)

// failf creates a failure.
func failf(format string, args ...any) *Failure {
	return &Failure{Text: fmt.Sprintf(format, args...)}
}

// missing is the failure of a key that a map lacks.
func missing(key string) *Failure {
	return &Failure{Text: "Property " + key + " is undefined on object."}
}

// typeError is the failure of a value of another type than those expected.
func typeError(got Value, expected string) *Failure {
	if _, null := got.(value.Null); null && expected == "map,path" {
		return &Failure{Text: "Null value error."}
	}
	return &Failure{Text: "Type error. Received: [" + TypeName(got) + "] Expected: [" + expected + "]."}
}

// unsupported is the failure of an operation that the given types don't have.
func unsupported(received, expected string) *Failure {
	return &Failure{Text: "Unsupported operation error. Received: " + received + ". Expected: " + expected + "."}
}

// notFound is the failure of a function that does not exist.
func notFound(name string) *Failure {
	return &Failure{Text: "Function not found error: Name: [" + name + "]."}
}

// outOfBounds is the failure of an index past the end.
func outOfBounds(i int64, size int) *Failure {
	return failf("Index out of bound error. Index: [%d] , size: [%d].", i, size)
}

// overflow is the failure of whole numbers that grow too large.
func overflow() *Failure {
	return &Failure{Text: "Integer value is out of the [-9223372036854775808, 9223372036854775807] range."}
}

// sortedKeys returns a map's keys in order.
func sortedKeys(m value.Map) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// unescapePath undoes percent-encoding, where it is one.
func unescapePath(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	if t, err := url.PathUnescape(s); err == nil {
		return t
	}
	return s
}
