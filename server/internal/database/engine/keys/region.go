package keys

import "clave/server/internal/database/index"

// maxRegion is the maximum length of a region's prefix in bytes.
const maxRegion = 256

// Region returns the length of the prefix of a key that names its region: the log of a database, the documents of a
// collection, an index. Keys of different regions are written in different orders: those of the log always at its end,
// those of an index anywhere in it.
func Region(key []byte) int {
	prefix := len(Prefix(0, 0))
	if len(key) <= prefix {
		return len(key)
	}
	n := 0
	switch rest := key[prefix:]; key[0] {
	case KindDocument:
		n = index.CollectionLen(rest)
	case KindGroup:
		n = index.SkipSegment(rest)
	case KindIndex:
		n = index.RegionLen(rest)
	}
	if prefix+n > maxRegion {
		return prefix
	}
	return prefix + n
}
