package resource

import (
	"cmp"
	"strconv"
	"strings"
)

// NumericID returns the number of an id of the form __id123__, as imported Datastore entities have, and
// whether it has that form.
func NumericID(id string) (int64, bool) {
	if len(id) < 7 || !strings.HasPrefix(id, "__id") || !strings.HasSuffix(id, "__") {
		return 0, false
	}
	digits := id[4 : len(id)-2]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != digits {
		return 0, false
	}
	return n, true
}

// ComparePaths orders relative paths as Firestore orders names: segment by segment, numeric ids by number before all
// other ids, others by their UTF-8 bytes; a path comes before the paths that it is a prefix of.
func ComparePaths(a, b string) int {
	for a != "" && b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, "/")
		y, b, _ = strings.Cut(b, "/")
		if c := CompareIDs(x, y); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// CompareIDs orders two ids.
func CompareIDs(a, b string) int {
	x, xNumeric := NumericID(a)
	y, yNumeric := NumericID(b)
	switch {
	case xNumeric && yNumeric:
		return cmp.Compare(x, y)
	case xNumeric:
		return -1
	case yNumeric:
		return 1
	}
	return strings.Compare(a, b)
}

// CompareDocuments orders full document names: by project, database and path.
func CompareDocuments(a, b Document) int {
	if c := strings.Compare(a.DB.Project, b.DB.Project); c != 0 {
		return c
	}
	if c := strings.Compare(a.DB.ID, b.DB.ID); c != 0 {
		return c
	}
	return ComparePaths(a.Path, b.Path)
}
