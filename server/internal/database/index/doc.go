// Package index defines ordered keys: it encodes values and names so that the order of the bytes is the order of the
// values, returns the index entries of a document, and parses index definitions (firestore.indexes.json).
//
// A value's encoding begins with a byte for its type, is free of prefixes (no encoding begins another), and can be
// inverted bit by bit for descending order. A component of a key is truncated at MaxComponent bytes; a truncated
// component still sorts correctly, except against those with the same first MaxComponent bytes, which look equal. An
// entry that contains one is marked (Truncated), and readers compare the documents instead.
//
//	null 05 · false 08 · true 09 · NaN 10 · number 11 + 8 bytes of the double not above it, and where doubles no
//	longer distinguish integers 2 bytes of distance · timestamp 18 + seconds 8 + nanos 4 · string 20 + text ·
//	bytes 28 + text · reference 30 + segments + 01 · geopoint 38 + 2 doubles · array 40 + (02 + element)* + 01 ·
//	vector 44 + length 4 + doubles · map 50 + (02 + name + value)* + 01
//
// A text is its bytes with 00 written as 00 ff, and ends with 00 01. A segment of a name is 10 + 8 bytes for a numeric
// id, and 20 + text otherwise. A path ends with 01, so it sorts before the paths of which it is a prefix. The package
// is pure: it depends neither on storage nor on versions.
package index
