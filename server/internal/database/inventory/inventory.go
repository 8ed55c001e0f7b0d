// Package inventory counts the keys of a store by kind, with checksums by which two stores can be compared.
package inventory

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"slices"
	"strings"

	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
)

// Count is the number of a store's keys of one kind.
type Count struct {
	// Kind is the purpose of the keys, such as "documents of p/(default): rooms".
	Kind string
	Keys int64
	// Bytes is the size of keys and values.
	Bytes int64
	// Sum is a checksum of all keys and values.
	Sum string
}

// count is a Count under construction.
type count struct {
	keys, bytes int64
	sum         hash.Hash
}

// Inventory counts keys. The keys of one kind must be added in order.
type Inventory struct {
	kinds map[string]*count
	// names are the databases by their numbers. The catalogue precedes all keys with a number.
	names map[uint32]string
}

// New returns an empty Inventory.
func New() *Inventory {
	return &Inventory{kinds: make(map[string]*count), names: make(map[uint32]string)}
}

// Add counts a key with its value.
func (n *Inventory) Add(key, value []byte) error {
	kind, err := n.kind(key, value)
	if err != nil {
		return err
	}
	c := n.kinds[kind]
	if c == nil {
		c = &count{sum: sha256.New()}
		n.kinds[kind] = c
	}
	c.keys++
	c.bytes += int64(len(key) + len(value))
	for _, part := range [][]byte{key, value} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		c.sum.Write(length[:]) // a hash takes everything
		c.sum.Write(part)
	}
	return nil
}

// Counts returns the counts in the order of kinds.
func (n *Inventory) Counts() []Count {
	out := make([]Count, 0, len(n.kinds))
	for kind, c := range n.kinds {
		out = append(out, Count{Kind: kind, Keys: c.keys, Bytes: c.bytes, Sum: hex.EncodeToString(c.sum.Sum(nil))})
	}
	slices.SortFunc(out, func(a, b Count) int { return cmp.Compare(a.Kind, b.Kind) })
	return out
}

// Databases returns the databases of which an inventory has documents, commits, indexes or definitions, in order.
func Databases(all []Count) []resource.Database {
	found := make(map[resource.Database]bool)
	for _, c := range all {
		for _, what := range append(slices.Collect(maps.Values(numbered)), documentsKind) {
			of, ok := strings.CutPrefix(c.Kind, what+" of ")
			if !ok {
				continue
			}
			if what == documentsKind {
				of, _, _ = strings.Cut(of, ": ")
			}
			if project, id, ok := strings.Cut(of, "/"); ok {
				found[resource.Database{Project: project, ID: id}] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b resource.Database) int { return cmp.Compare(a.String(), b.String()) })
}

// documentsKind begins the kinds of documents.
const documentsKind = "documents"

// Differing returns the kinds that differ between two inventories.
func Differing(a, b []Count) []string {
	all := make(map[string]Count)
	for _, c := range a {
		all[c.Kind] = c
	}
	var kinds []string
	for _, c := range b {
		if all[c.Kind] != c {
			kinds = append(kinds, c.Kind)
		}
		delete(all, c.Kind)
	}
	for kind := range all {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

// numbered are the kinds of keys, except those of documents, that have the number of a database after their first byte.
var numbered = map[byte]string{
	keys.KindChange: "commits", keys.KindDropped: "ends of the log of commits", keys.KindHistory: "segments of the history", keys.KindCopying: "copies that are not complete", keys.KindGroup: "members of collection groups", keys.KindDefinition: "index definitions",
}

// kind returns the purpose of a key. Package engine/keys has the layout of the engine's keys, whose first byte is their
// kind and whose next four are the number of a database. The keys of other packages begin with a word and a slash.
func (n *Inventory) kind(key, value []byte) (string, error) {
	if len(key) == 0 {
		return "", keys.ErrCorrupt
	}
	// A word may begin with the same letter, but continues with one.
	if key[0] == keys.KindCatalogue && len(key) > 1 && key[1] < 'A' {
		return "databases", n.name(key, value)
	}
	if string(key) == string(keys.Floor()) {
		return "greatest version", nil
	}
	if word, rest, ok := strings.Cut(string(key), "/"); ok && isWord(word) {
		return wordKind(word, rest), nil
	}
	if len(key) < 5 {
		return "", keys.ErrCorrupt
	}
	of := n.names[binary.BigEndian.Uint32(key[1:])]
	if key[0] == keys.KindDocument {
		path, err := keys.DocumentPath(key)
		if err != nil {
			return "", err
		}
		segments := strings.Split(path, "/")
		return documentsKind + " of " + of + ": " + segments[len(segments)-2], nil
	}
	if what := numbered[key[0]]; what != "" {
		return what + " of " + of, nil
	}
	return "", keys.ErrCorrupt
}

// name reads an entry of the catalogue.
func (n *Inventory) name(key, value []byte) error {
	project, rest, err := index.CutSegment(key[1:])
	if err != nil {
		return err
	}
	id, _, err := index.CutSegment(rest)
	if err != nil {
		return err
	}
	if len(value) < 4 {
		return keys.ErrCorrupt
	}
	n.names[binary.BigEndian.Uint32(value)] = project + "/" + id
	return nil
}

// isWord reports whether a text is a word with which packages other than the engine begin their keys.
func isWord(text string) bool {
	return len(text) > 1 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz") == ""
}

// wordKind returns the purpose of a key that begins with a word. The key of an account continues with project, tenant,
// kind and more, each terminated by a zero byte.
func wordKind(word, rest string) string {
	parts := strings.Split(rest, "\x00")
	switch {
	case word == "signing":
		return "signing keys"
	case word != "account" || len(parts) < 3:
		return word
	case parts[2] == "u":
		return "accounts of " + parts[0]
	case strings.HasPrefix(parts[2], "x"):
		return "records of accounts of " + parts[0]
	}
	return "names of accounts of " + parts[0]
}
