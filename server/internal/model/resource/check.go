package resource

import (
	"strings"
	"unicode/utf8"

	"clave/server/internal/base/fault"
)

// Limits of names (firebase.google.com/docs/firestore/quotas).
const (
	maxSegment = 1500
	maxDepth   = 100
	maxName    = 6 * 1024
)

// kinds are the names of a path's ids in error texts, alternating.
var kinds = [2]string{"collection", "resource"}

// CheckPath checks a relative path, of a document or a collection, against the limits of names. It returns
// InvalidArgument.
func CheckPath(path string) error { return checkPath("Document", path, 0) }

// checkPath checks the path that begins at a position in a name; what is the term for the name in error texts.
func checkPath(what, name string, start int) error {
	path := name[start:]
	if len(path) > maxName {
		return fault.E(fault.InvalidArgument, "The key path is longer than %d bytes.", maxName)
	}
	if strings.Count(path, "/") >= 2*maxDepth {
		return fault.E(fault.InvalidArgument, "Key path is too long. Cannot exceed %d elements.", maxDepth)
	}
	at := start
	for i := 0; ; i++ { // The ids of collections are at even places.
		id, _, more := strings.Cut(name[at:], "/")
		kind := kinds[i%2]
		switch {
		case id == "":
			return fault.E(fault.InvalidArgument, "%s name \"%s\" lacks a %s id at index %d.", what, name, kind, at)
		case id == "." || id == "..":
			return fault.E(fault.InvalidArgument, "%s name \"%s\" contains a %s id \"%s\" at index %d.", what, name, kind, id, at)
		case i%2 == 0:
			if err := CheckCollectionID(id); err != nil {
				return err
			}
		default:
			if err := checkDocumentID(id); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
		at += len(id) + 1
	}
}

// CheckCollectionID checks a collection's id, which must not be empty. It returns InvalidArgument.
func CheckCollectionID(id string) error {
	switch {
	case strings.Contains(id, "/"):
		return fault.E(fault.InvalidArgument, "Collection id \"%s\" is invalid because it contains \"/\".", id)
	case !utf8.ValidString(id):
		return fault.E(fault.InvalidArgument, "Collection id %q is not valid UTF-8.", id)
	case len(id) > maxSegment:
		return fault.E(fault.InvalidArgument, "The key path element kind is longer than %d bytes.", maxSegment)
	case id == "." || id == ".." || reserved(id):
		return fault.E(fault.InvalidArgument, "Collection id \"%s\" is invalid because it is reserved.", id)
	}
	return nil
}

// CheckDocumentID checks a document's id, which must not be empty. It returns InvalidArgument.
func CheckDocumentID(id string) error {
	switch {
	case strings.Contains(id, "/"):
		return fault.E(fault.InvalidArgument, "Resource id \"%s\" is invalid because it contains \"/\".", id)
	case id == "." || id == "..":
		return fault.E(fault.InvalidArgument, "Resource id \"%s\" is invalid because it is reserved.", id)
	}
	return checkDocumentID(id)
}

// checkDocumentID checks a document's id in a name.
func checkDocumentID(id string) error {
	switch {
	case !utf8.ValidString(id):
		return fault.E(fault.InvalidArgument, "Resource id %q is not valid UTF-8.", id)
	case len(id) > maxSegment:
		return fault.E(fault.InvalidArgument, "The key path element name is longer than %d bytes.", maxSegment)
	case !reserved(id):
		return nil
	}
	if n, numeric := NumericID(id); numeric && n != 0 {
		return nil
	}
	if digits, ok := strings.CutPrefix(id[2:len(id)-2], "id"); ok && isInteger(digits) {
		return fault.E(fault.InvalidArgument, "Resource id \"%s\" is invalid because it is not a 64 bit integer.", id)
	}
	return fault.E(fault.InvalidArgument, "Resource id \"%s\" is invalid because it is reserved.", id)
}

// isInteger reports whether a text is the decimal form of an integer of any size other than 0.
func isInteger(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && s[0] != '0' && strings.Trim(s, "0123456789") == ""
}

// reserved reports whether an id has the form __x__, where x is not empty: the official emulator accepts ____.
func reserved(id string) bool {
	return len(id) > 4 && strings.HasPrefix(id, "__") && strings.HasSuffix(id, "__")
}
