package transfer

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"slices"

	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// The kinds of what a Tally counts.
const (
	KindDocuments = "documents"
	KindAccounts  = "accounts"
)

// Count is the number of the documents of a collection, or of the accounts of a tenant.
type Count struct {
	Kind string `json:"kind"`
	// Database is the database of documents; empty for accounts.
	Database string `json:"database,omitempty"`
	// Name is the id of the collection, wherever it is, or that of the tenant; empty for accounts without a tenant.
	Name   string `json:"name"`
	Number int64  `json:"number"`
	// Sum is a checksum that does not depend on an order.
	Sum string `json:"sha256"`
}

// Refused is a document or an account that Clave would not store.
type Refused struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// maxRefused is the number of refused documents and accounts that a Tally describes.
const maxRefused = 1000

// set is the number of the members of a set and the sum of their SHA-256 modulo 2^256, which does not depend on their
// order: exports have an order of their own.
type set struct {
	number int64
	sum    [4]uint64
}

// add adds a member.
func (s *set) add(member []byte) {
	digest := sha256.Sum256(member)
	var carry uint64
	for i := len(s.sum) - 1; i >= 0; i-- {
		s.sum[i], carry = bits.Add64(s.sum[i], binary.BigEndian.Uint64(digest[8*i:]), carry)
	}
	s.number++
}

// text returns the sum.
func (s *set) text() string {
	var b []byte
	for _, word := range s.sum {
		b = binary.BigEndian.AppendUint64(b, word)
	}
	return hex.EncodeToString(b)
}

// kind is what a set of a Tally counts.
type kind struct{ kind, database, name string }

// accountName is the name of an account.
type accountName struct{ tenant, uid string }

// Tally counts documents and accounts with checksums by which a source can be compared with a target, and has what is
// refused.
type Tally struct {
	sets map[kind]*set
	// Refused are descriptions of what is refused, and RefusedNumber is their number, which may be greater.
	Refused       []Refused
	RefusedNumber int64
	// Providers are the numbers of the accounts that sign in with identity providers, by the id of the provider.
	Providers map[string]int64
	// refused are the refused accounts, twice those that are in the source twice, and seen those that a pass has read.
	refused, twice, seen map[accountName]bool
	// partial are the accounts of which a source does not have all that a target has.
	partial map[accountName]lacks
}

// newTally returns an empty Tally.
func newTally() *Tally {
	return &Tally{
		sets: make(map[kind]*set), Providers: make(map[string]int64),
		refused: make(map[accountName]bool), twice: make(map[accountName]bool), seen: make(map[accountName]bool), partial: make(map[accountName]lacks),
	}
}

// add adds a member to a set.
func (t *Tally) add(k kind, member []byte) {
	s := t.sets[k]
	if s == nil {
		s = &set{}
		t.sets[k] = s
	}
	s.add(member)
}

// document adds a document.
func (t *Tally) document(name resource.Document, fields value.Map) {
	member := append([]byte(name.Path), 0)
	t.add(kind{KindDocuments, name.DB.ID, name.Collection().ID}, value.AppendBinary(member, fields))
}

// refuse records something that is refused.
func (t *Tally) refuse(r Refused) {
	if t.RefusedNumber++; t.RefusedNumber <= maxRefused {
		t.Refused = append(t.Refused, r)
	}
}

// Counts returns the counts in their order.
func (t *Tally) Counts() []Count {
	all := make([]Count, 0, len(t.sets))
	for k, s := range t.sets {
		all = append(all, Count{Kind: k.kind, Database: k.database, Name: k.name, Number: s.number, Sum: s.text()})
	}
	slices.SortFunc(all, Count.Compare)
	return all
}

// Compare compares what is counted: documents before accounts, then by database and name.
func (c Count) Compare(o Count) int {
	return cmp.Or(-cmp.Compare(c.Kind, o.Kind), cmp.Compare(c.Database, o.Database), cmp.Compare(c.Name, o.Name))
}

// Fingerprint returns a checksum of all counts.
func (t *Tally) Fingerprint() string {
	digest := sha256.New()
	for _, c := range t.Counts() {
		for _, text := range []string{c.Kind, c.Database, c.Name, c.Sum} {
			digest.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text)))) // a hash takes everything
			digest.Write([]byte(text))
		}
		digest.Write(binary.BigEndian.AppendUint64(nil, uint64(c.Number)))
	}
	return hex.EncodeToString(digest.Sum(nil))
}
