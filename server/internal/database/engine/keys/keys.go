// Package keys defines the keys of the store: documents, index entries, commits and the catalogue of databases.
package keys

import (
	"encoding/binary"
	"errors"
	"strings"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/index"
	"clave/server/internal/store"
)

// The first bytes of keys. The database's number follows in 4 bytes, except in the catalogue.
//
//	a project database            -> number and birth of a database
//	c number version              -> a commit: its changes, before and after
//	d number collection 01 id     -> a document
//	f number                      -> the version before which commits are dropped
//	g number collection-id path 01 -> nothing: a document below the root, for queries of collection groups
//	h number 01 version           -> a summary of the segment of the history that ends with a version (package past)
//	h number 02 version           -> the names of what has changed in that segment, as a filter
//	h number 03 version           -> the commits of that segment
//	i number …                    -> an index entry (package index)
//	m number                      -> the index definitions of the stored entries
//	n number                      -> nothing: a copy of a database that is not complete, and not in the catalogue
//	t                             -> the greatest version given to a commit or a reader, written every minute
const (
	KindCatalogue  byte = 'a'
	KindChange     byte = 'c'
	KindDocument   byte = 'd'
	KindDropped    byte = 'f'
	KindGroup      byte = 'g'
	KindHistory    byte = 'h'
	KindIndex      byte = 'i'
	KindDefinition byte = 'm'
	KindCopying    byte = 'n'
	KindFloor      byte = 't'
)

// PathEnd is the byte after a collection's path in keys.
const PathEnd = 0x01

// ErrCorrupt is the error of stored bytes that the engine did not write.
var ErrCorrupt = errors.New("engine: corrupt record")

// Append appends the prefix of a database's keys of one kind.
func Append(dst []byte, kind byte, number uint32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, kind), number)
}

// Prefix returns the prefix of a database's keys of one kind.
func Prefix(kind byte, number uint32) []byte { return Append(make([]byte, 0, 64), kind, number) }

// Floor returns the key of the greatest assigned version.
func Floor() []byte { return []byte{KindFloor} }

// Catalogue returns the key of a database's entry in the catalogue.
func Catalogue(project, id string) []byte {
	return index.AppendSegment(index.AppendSegment([]byte{KindCatalogue}, project), id)
}

// CatalogueRange returns the range of the catalogue's keys. Their second byte is a tag and never a letter, which
// separates them from the keys of other packages, such as account/….
func CatalogueRange() store.Range {
	return store.Range{From: []byte{KindCatalogue}, To: []byte{KindCatalogue, 'A'}}
}

// CopyingRange returns the range of the keys of copies that are not complete, as CatalogueRange does.
func CopyingRange() store.Range {
	return store.Range{From: []byte{KindCopying}, To: []byte{KindCopying, 'A'}}
}

// Document returns the key of the document with a relative path.
func Document(number uint32, path string) []byte {
	i := strings.LastIndexByte(path, '/')
	key := Append(make([]byte, 0, len(path)+24), KindDocument, number)
	key = append(index.AppendPath(key, path[:i]), PathEnd)
	return index.AppendSegment(key, path[i+1:])
}

// Group returns the key of a document in its collection group, or nil for a document at the root, which needs none.
func Group(number uint32, path string) []byte {
	last := strings.LastIndexByte(path, '/')
	collection := path[:last]
	i := strings.LastIndexByte(collection, '/')
	if i < 0 {
		return nil
	}
	key := Append(make([]byte, 0, len(path)+40), KindGroup, number)
	return append(index.AppendPath(index.AppendSegment(key, collection[i+1:]), path), PathEnd)
}

// Change returns the key of a commit.
func Change(number uint32, v clock.Version) []byte {
	return binary.BigEndian.AppendUint64(Append(make([]byte, 0, 13), KindChange, number), uint64(v))
}

// ChangeVersion returns the version in a commit's key.
func ChangeVersion(key []byte) (clock.Version, error) {
	if len(key) != 13 {
		return 0, ErrCorrupt
	}
	return clock.Version(binary.BigEndian.Uint64(key[5:])), nil
}

// HistoryPart is a part of the history. It follows the number in its keys.
type HistoryPart byte

// The parts of the history.
const (
	HistorySummary HistoryPart = 0x01
	HistoryFilter  HistoryPart = 0x02
	HistoryCommits HistoryPart = 0x03
)

// History returns the key of a part of the segment that ends with a version.
func History(number uint32, part HistoryPart, last clock.Version) []byte {
	return binary.BigEndian.AppendUint64(append(Append(make([]byte, 0, 14), KindHistory, number), byte(part)), uint64(last))
}

// HistoryRange returns the range of the keys of a part of the segments that end with a version or later.
func HistoryRange(number uint32, part HistoryPart, from clock.Version) store.Range {
	return store.Range{From: History(number, part, from), To: append(Prefix(KindHistory, number), byte(part)+1)}
}

// HistoryVersion returns the version in a key of the history.
func HistoryVersion(key []byte) (clock.Version, error) {
	if len(key) != 14 {
		return 0, ErrCorrupt
	}
	return clock.Version(binary.BigEndian.Uint64(key[6:])), nil
}

// IsHistorySummary reports whether a key is that of a summary.
func IsHistorySummary(key []byte) bool {
	return len(key) == 14 && key[0] == KindHistory && key[5] == byte(HistorySummary)
}

// DocumentPath returns the relative path in a document's key.
func DocumentPath(key []byte) (string, error) {
	if len(key) < 5 {
		return "", ErrCorrupt
	}
	collection, rest, err := index.DecodePath(key[5:])
	if err != nil {
		return "", err
	}
	id, _, err := index.CutSegment(rest)
	if err != nil {
		return "", err
	}
	return collection + "/" + id, nil
}
