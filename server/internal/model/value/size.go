package value

import "strings"

// The fixed parts of sizes (firebase.google.com/docs/firestore/storage-size).
const (
	nameOverhead = 16
	geoPointSize = 16
	numberSize   = 8
)

// Size returns the number of bytes that a value adds to a document's size.
func Size(v Value) int {
	switch x := v.(type) {
	case Null, Bool:
		return 1
	case String:
		return len(x) + 1
	case Bytes:
		return len(x)
	case Reference:
		return ReferenceSize(x)
	case GeoPoint:
		return geoPointSize
	case Array:
		n := 0
		for _, item := range x {
			n += Size(item)
		}
		return n
	case Map:
		n := 0
		for k, item := range x {
			n += len(k) + 1 + Size(item)
		}
		return n
	default:
		return numberSize // Int, Double, Timestamp.
	}
}

// ReferenceSize returns the size of the document name that a reference holds.
func ReferenceSize(r Reference) int {
	_, path, _ := strings.Cut(string(r), "/documents/")
	return NameSize(path)
}

// NameSize returns the size of a document's name, given its relative path: the sum of each id's bytes plus 1, plus 16.
func NameSize(path string) int { return nameOverhead + len(path) + 1 }
