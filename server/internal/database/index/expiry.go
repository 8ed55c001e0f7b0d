package index

import (
	"bytes"
	"slices"
	"time"

	"clave/server/internal/model/value"
)

// A TTL policy names a field of a collection group. A document of the group whose field is a timestamp expires at that
// time; without the field, or with another type in it, it never does (firebase.google.com/docs/firestore/ttl). Each
// document that expires has an entry under its time, so that those that have expired are found without the others. It
// is no index for queries: the field may be exempt from those.

// expiry adds the entry of the document's time of expiry.
func (b *builder) expiry(fields value.Map) error {
	if b.group.expiry == nil {
		return nil
	}
	at, ok := b.set.Expiry(b.name.id, fields)
	if !ok {
		return nil
	}
	start := b.begin(len(b.name.full) + 32)
	b.arena = appendExpiry(b.arena, b.name.id)
	components := len(b.arena)
	b.arena, _ = AppendValue(b.arena, at)
	return b.end(start, components, b.name.full, false, 0)
}

// Expiry returns the time at which a document of a collection id expires. ok is false if it does not.
func (s *Set) Expiry(id string, fields value.Map) (at value.Timestamp, ok bool) {
	g := s.groups[id]
	if g == nil || g.expiry == nil {
		return at, false
	}
	v, _ := fields.Get(g.expiry)
	at, ok = v.(value.Timestamp)
	return at, ok
}

// Expiring returns the collection ids that have a TTL policy, in order.
func (s *Set) Expiring() []string {
	var out []string
	for id, g := range s.groups {
		if g.expiry != nil {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// Expired appends to prefix the ends of the range of keys of the documents of a collection id that have expired at a
// time.
func (s *Set) Expired(prefix []byte, id string, at time.Time) Span {
	from := appendExpiry(slices.Clip(prefix), id)
	upto, _ := AppendValue(bytes.Clone(from), value.TimestampOf(at))
	return Span{From: from, To: end(upto)}
}

// ExpiredPath returns the document's path of an entry that Expired has found.
func ExpiredPath(e Entry) (string, error) {
	info, err := ParseInfo(e.Value)
	if err != nil || info.NameLen > len(e.Key) {
		return "", errBroken
	}
	path, _, err := DecodePath(e.Key[len(e.Key)-info.NameLen:])
	return path, err
}

// appendExpiry appends the prefix of the keys of times of expiry of a collection id.
func appendExpiry(dst []byte, id string) []byte { return AppendSegment(append(dst, keyExpiry), id) }
