package resource

import (
	"strings"
	"unicode/utf8"

	"clave/server/fault"
)

// Limits of names (firebase.google.com/docs/firestore/quotas).
const (
	maxSegment = 1500
	maxDepth   = 100
	maxName    = 6 * 1024
)

// CheckPath checks a relative path, of a document or a collection, against the limits of names. It answers
// InvalidArgument.
func CheckPath(path string) error {
	if len(path) > maxName {
		return fault.E(fault.InvalidArgument, "The key path element name is longer than 1500 bytes.")
	}
	segments := strings.Split(path, "/")
	if len(segments) > 2*maxDepth {
		return fault.E(fault.InvalidArgument, "Document path exceeds the maximum depth of %d collections.", maxDepth)
	}
	for i, s := range segments {
		if err := CheckSegment(s, i); err != nil {
			return err
		}
	}
	return nil
}

// CheckSegment checks one collection or document id; index is its place in the path, for the message. It
// answers InvalidArgument.
func CheckSegment(id string, index int) error {
	switch {
	case id == "":
		return fault.E(fault.InvalidArgument, "Invalid resource name: path component %d is empty.", index)
	case !utf8.ValidString(id):
		return fault.E(fault.InvalidArgument, "Resource id at index %d is not valid UTF-8.", index)
	case id == "." || id == "..":
		return fault.E(fault.InvalidArgument, "Resource id %q at index %d is not allowed.", id, index)
	case len(id) > maxSegment:
		return fault.E(fault.InvalidArgument, "The key path element name is longer than 1500 bytes.")
	case reserved(id):
		return fault.E(fault.InvalidArgument, "Resource id %q is invalid because it is reserved.", id)
	}
	return nil
}

// reserved reports whether an id has the form __x__ and is not a numeric id.
func reserved(id string) bool {
	if len(id) < 4 || !strings.HasPrefix(id, "__") || !strings.HasSuffix(id, "__") {
		return false
	}
	_, numeric := NumericID(id)
	return !numeric
}
