package index

// RegionLen returns the length of the part of an entry's key, without the prefix of the database, that all entries of
// the same index have: the index of a field in a collection, that of a field in a collection group, or a composite
// index. It returns 0 for other bytes, and for times of expiry, which no query reads.
func RegionLen(key []byte) int {
	if len(key) == 0 {
		return 0
	}
	n := 0
	switch key[0] {
	case keyCollection:
		n = CollectionLen(key[1:])
	case keyGroup:
		n = SkipSegment(key[1:])
	case keyComposite:
		return min(len(CompositePrefix(nil, 0)), len(key))
	}
	if n == 0 {
		return 0
	}
	n++
	field, ok := skipText(key[n:])
	if n += field; !ok || n == len(key) {
		return 0
	}
	return n + 1 // with the kind
}

// CollectionLen returns the length of the encoded path of a collection and its end mark at the front of b, or 0 if
// there is none.
func CollectionLen(b []byte) int {
	for n := 0; n < len(b); {
		if b[n] == tagEnd {
			return n + 1
		}
		segment := SkipSegment(b[n:])
		if segment == 0 {
			return 0
		}
		n += segment
	}
	return 0
}
