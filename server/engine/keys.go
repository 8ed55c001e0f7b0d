package engine

import (
	"encoding/binary"
	"errors"
	"strings"

	"clave/server/clock"
	"clave/server/index"
	"clave/server/storage"
)

// The first bytes of keys. After it stands the database's number in 4 bytes, but for the catalogue.
//
//	a project database            -> number and birth of a database
//	c number version              -> a commit: its changes, before and after
//	d number collection 01 id     -> a document
//	f number                      -> the version before which commits are dropped
//	g number collection-id path 01 -> nothing: a document below the root, for queries of collection groups
//	i number …                    -> an index entry (package index)
//	m number                      -> the index definitions that the entries are of
//	t                             -> the greatest version given, as of the last note
const (
	keyCatalogue  = 'a'
	keyChange     = 'c'
	keyDocument   = 'd'
	keyForgotten  = 'f'
	keyGroup      = 'g'
	keyIndex      = 'i'
	keyDefinition = 'm'
	keyFloor      = 't'
)

// pathEnd is the byte after a collection's path in keys.
const pathEnd = 0x01

// errCorrupt is the error of stored bytes that this room did not write.
var errCorrupt = errors.New("engine: corrupt record")

// appendKey appends the beginning of a database's keys of one kind.
func appendKey(dst []byte, kind byte, number uint32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, kind), number)
}

// keyOf returns the beginning of a database's keys of one kind.
func keyOf(kind byte, number uint32) []byte { return appendKey(make([]byte, 0, 64), kind, number) }

// floorKey is the key of the greatest version given.
func floorKey() []byte { return []byte{keyFloor} }

// catalogueKey is the key of a database's entry in the catalogue.
func catalogueKey(project, id string) []byte {
	return index.AppendSegment(index.AppendSegment([]byte{keyCatalogue}, project), id)
}

// catalogueRange are the keys of the catalogue. An id begins with a tag, which is no letter: other rooms keep their
// records in the same store under words, and one of these, account/…, begins as the catalogue does.
func catalogueRange() storage.Range {
	return storage.Range{From: []byte{keyCatalogue}, To: []byte{keyCatalogue, 'A'}}
}

// documentKey is the key of the document with a relative path.
func documentKey(number uint32, path string) []byte {
	i := strings.LastIndexByte(path, '/')
	key := appendKey(make([]byte, 0, len(path)+24), keyDocument, number)
	key = append(index.AppendPath(key, path[:i]), pathEnd)
	return index.AppendSegment(key, path[i+1:])
}

// groupKey is the key of a document in its collection group, or nil for a document at the root, which needs none.
func groupKey(number uint32, path string) []byte {
	last := strings.LastIndexByte(path, '/')
	collection := path[:last]
	i := strings.LastIndexByte(collection, '/')
	if i < 0 {
		return nil
	}
	key := appendKey(make([]byte, 0, len(path)+40), keyGroup, number)
	return append(index.AppendPath(index.AppendSegment(key, collection[i+1:]), path), pathEnd)
}

// changeKey is the key of a commit.
func changeKey(number uint32, v clock.Version) []byte {
	return binary.BigEndian.AppendUint64(appendKey(make([]byte, 0, 13), keyChange, number), uint64(v))
}

// changeVersion reads the version in a commit's key.
func changeVersion(key []byte) (clock.Version, error) {
	if len(key) != 13 {
		return 0, errCorrupt
	}
	return clock.Version(binary.BigEndian.Uint64(key[5:])), nil
}

// pathOfDocumentKey reads the relative path in a document's key.
func pathOfDocumentKey(key []byte) (string, error) {
	if len(key) < 5 {
		return "", errCorrupt
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
