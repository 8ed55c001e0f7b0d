package past

import (
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/s2"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/store"
)

// The history holds the commits that the log no longer has, in segments of many commits. A segment has three keys. Its
// commits are compressed together: for each one the version, as the difference from the one before, the length of the
// record, and the record. Its summary says which part of the history it covers, and its filter what may have changed
// there, so that a search for a document or a collection passes over most segments.
//
// A segment covers all versions from the first one to the last one, and the next segment begins with the version after
// that. So a missing segment is noticed: the history is complete only from the segment after it on (Bounds).

// Summary describes a segment.
type Summary struct {
	// Begin and Last are the first and the last version that the segment covers. Last is that of a commit.
	Begin, Last clock.Version
	// Commits is the number of commits, Raw the size of their records, and Size that of the segment in the store.
	Commits, Raw, Size int64
}

// appendSummary appends the record of a summary.
func appendSummary(dst []byte, s Summary) []byte {
	dst = binary.AppendUvarint(dst, uint64(s.Begin))
	for _, n := range []int64{s.Commits, s.Raw, s.Size} {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	return dst
}

// parseSummary decodes the summary of the segment that ends with a version.
func parseSummary(last clock.Version, record []byte) (Summary, error) {
	s := Summary{Last: last}
	var numbers [4]int64
	for i := range numbers {
		n, size := binary.Uvarint(record)
		if size <= 0 || n > 1<<62 {
			return Summary{}, keys.ErrCorrupt
		}
		numbers[i], record = int64(n), record[size:]
	}
	s.Begin, s.Commits, s.Raw, s.Size = clock.Version(numbers[0]), numbers[1], numbers[2], numbers[3]
	if s.Begin > s.Last || len(record) > 0 {
		return Summary{}, keys.ErrCorrupt
	}
	return s, nil
}

// Segment is a segment under construction.
type Segment struct {
	summary Summary
	raw     []byte
	hashes  map[uint64]struct{}
	// collection is the last collection that was added to hashes.
	collection []byte
	packed     []byte
}

// NewSegment returns an empty segment that covers the versions from begin on. It uses the memory of a former one, which
// may be nil.
func NewSegment(former *Segment, begin clock.Version) *Segment {
	s := &Segment{hashes: make(map[uint64]struct{})}
	if former != nil {
		s = former
		clear(s.hashes)
	}
	s.summary, s.raw, s.collection = Summary{Begin: begin, Last: begin - 1}, s.raw[:0], s.collection[:0]
	return s
}

// Add adds the record of a commit, whose version must be greater than the ones before. It returns keys.ErrCorrupt for a
// record that can't be decoded.
func (s *Segment) Add(v clock.Version, record []byte) error {
	if err := records.Paths(record, s.note); err != nil {
		return fmt.Errorf("commit %d: %w", v, err)
	}
	s.raw = binary.AppendUvarint(s.raw, uint64(v-s.summary.Last))
	s.raw = binary.AppendUvarint(s.raw, uint64(len(record)))
	s.raw = append(s.raw, record...)
	s.summary.Last = v
	s.summary.Commits++
	s.summary.Raw += int64(len(record))
	return nil
}

// note adds a document that has changed to the segment's filter, with its collection and the collection's group.
func (s *Segment) note(path []byte) {
	s.hashes[hashOf(scopePath, path)] = struct{}{}
	collection := path[:max(lastSlash(path), 0)]
	if string(collection) == string(s.collection) {
		return
	}
	s.collection = append(s.collection[:0], collection...)
	s.hashes[hashOf(scopeCollection, collection)] = struct{}{}
	s.hashes[hashOf(scopeGroup, collection[lastSlash(collection)+1:])] = struct{}{}
}

// Empty reports whether the segment has no commits.
func (s *Segment) Empty() bool { return s.summary.Commits == 0 }

// Size returns the size of the segment's commits before compression.
func (s *Segment) Size() int { return len(s.raw) }

// Last returns the last version that the segment covers.
func (s *Segment) Last() clock.Version { return s.summary.Last }

// Move adds to a batch the segment, and the deletion of its commits from the log of the database with a number. The
// batch must be applied before the segment's memory is used again. It returns the size of the segment in the store.
func (s *Segment) Move(batch *store.Batch, number uint32) int64 {
	s.packed = s2.Encode(s.packed[:cap(s.packed)], s.raw)
	names, last := newFilter(s.hashes), s.summary.Last
	const keySizes = 3 * 14
	s.summary.Size = int64(len(s.packed) + len(names) + keySizes)
	batch.Set(keys.History(number, keys.HistorySummary, last), appendSummary(nil, s.summary))
	batch.Set(keys.History(number, keys.HistoryFilter, last), names)
	batch.Set(keys.History(number, keys.HistoryCommits, last), s.packed)
	SetDropped(batch, number, s.summary.Last+1)
	return s.summary.Size
}

// unpack calls yield with the records of a segment's commits in order. yield may keep them.
func (s Summary) unpack(packed []byte, yield func(v clock.Version, record []byte) error) error {
	if n, err := s2.DecodedLen(packed); err != nil || int64(n) < s.Raw || int64(n) > s.Raw+s.Commits*2*binary.MaxVarintLen64 {
		return keys.ErrCorrupt
	}
	raw, err := s2.Decode(nil, packed)
	if err != nil {
		return keys.ErrCorrupt
	}
	v := s.Begin - 1
	for len(raw) > 0 {
		step, size := binary.Uvarint(raw)
		if size <= 0 || step == 0 || step > uint64(s.Last-v) {
			return keys.ErrCorrupt
		}
		v += clock.Version(step)
		var record []byte
		if record, raw, err = records.Cut(raw[size:]); err != nil {
			return err
		}
		if err := yield(v, record); err != nil {
			return err
		}
	}
	if v != s.Last {
		return keys.ErrCorrupt
	}
	return nil
}
