package series

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/changelog"
)

// logFolder is the folder of the segments of logs. A segment is the object log/LOG/NUMBER-TO-UNTIL, with fields of
// package changelog.
const logFolder = "log/"

// segmentName is the form of the names of segments below logFolder.
var segmentName = pattern.New(`^([0-9A-Za-z]{8,64})/([0-9]{12})-([0-9]{20})-([0-9]{16})$`)

// Segment is a segment of a log, as its name describes it.
type Segment struct {
	Log        string
	Number, To uint64
	Until      int64
	object     target.Object
}

// segmentPath returns the name of a segment.
func segmentPath(s changelog.Segment) string {
	return fmt.Sprintf("%s%s/%012d-%020d-%016d", logFolder, s.Log, s.Number, s.To, s.Until)
}

// parseSegmentName returns the segment that an object has by its name. ok is false for the names of other objects.
func parseSegmentName(o target.Object) (s Segment, ok bool) {
	parts := segmentName.FindStringSubmatch(strings.TrimPrefix(o.Name, logFolder))
	if parts == nil {
		return s, false
	}
	s = Segment{Log: parts[1], object: o}
	var errs [3]error
	s.Number, errs[0] = strconv.ParseUint(parts[2], 10, 64)
	s.To, errs[1] = strconv.ParseUint(parts[3], 10, 64)
	s.Until, errs[2] = strconv.ParseInt(parts[4], 10, 64)
	return s, errors.Join(errs[:]...) == nil
}

// Segments returns the segments of a log in their order, or of all logs for an empty id.
func (s *Series) Segments(ctx context.Context, id string) ([]Segment, error) {
	folder := logFolder
	if id != "" {
		folder += id + "/"
	}
	objects, err := s.o.Target.List(ctx, folder)
	if err != nil {
		return nil, err
	}
	var all []Segment
	for _, o := range objects {
		if segment, ok := parseSegmentName(o); ok {
			all = append(all, segment)
		}
	}
	return all, nil // in the order of names
}

// LockLog locks the log of the series for a process that writes segments, until the lock is closed. It returns
// FailedPrecondition if the series is that of other data than those with the identity id. With shared set, it may take
// the lock from another process that ships the log of the same data.
func (s *Series) LockLog(ctx context.Context, id string, shared bool) (target.Lock, error) {
	owner := ""
	if shared {
		owner = id
	}
	lock, err := s.o.Target.Lock(ctx, target.Log, owner)
	if err != nil {
		return nil, err
	}
	if err := s.own(ctx, id); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// SealSegment returns the stored form of a segment with records, encrypted if the series has keys, and its sum.
func (s *Series) SealSegment(segment changelog.Segment, records []byte) (stored []byte, sum string, err error) {
	content := changelog.Compress(records)
	if s.o.Keys != nil {
		segment.Sealed = true
		if content, err = s.o.Keys.seal(content); err != nil {
			return nil, "", err
		}
	}
	return segment.Append(nil, content)
}

// PutSegment writes a segment in its stored form.
func (s *Series) PutSegment(ctx context.Context, segment changelog.Segment, stored []byte) error {
	return writeSmall(ctx, s.o.Target, segmentPath(segment), stored)
}

// readSegment reads a segment and compares it with its name. It returns DataLoss if it is damaged or missing.
func (s *Series) readSegment(ctx context.Context, of Segment) (segment changelog.Segment, content []byte, sum string, err error) {
	stored, err := readSmall(ctx, s.o.Target, of.object.Name, changelog.MaxSegment)
	if errors.Is(err, fs.ErrNotExist) {
		err = fault.Wrap(err, fault.DataLoss, "it is missing")
	}
	if err == nil {
		segment, content, sum, err = changelog.ParseSegment(stored)
	}
	if err == nil && segmentPath(segment) != of.object.Name {
		err = fault.E(fault.DataLoss, "its content is that of another segment")
	}
	if err != nil {
		err = fault.Wrap(err, fault.CodeOf(err), "the segment %s of the log: %s", of.object.Name, fault.Reason(err))
	}
	return segment, content, sum, err
}

// SumOf returns the sum of a segment.
func (s *Series) SumOf(ctx context.Context, of Segment) (string, error) {
	_, _, sum, err := s.readSegment(ctx, of)
	return sum, err
}

// chain reads the segments of a log in their order, and compares each with the one before it.
type chain struct {
	s *Series
	// segments are those that were not read yet.
	segments []Segment
	// next is the number of the operation that follows, number that of the next segment, and previous the sum of the last
	// one; zero before the first.
	next, number uint64
	previous     string
	// until is the time up to which the log was read.
	until int64
}

// chainFrom returns the chain of a log from the segment that has an operation.
func (s *Series) chainFrom(ctx context.Context, id string, from uint64) (*chain, error) {
	all, err := s.Segments(ctx, id)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(segment Segment) bool { return segment.To > from })
	if i < 0 {
		i = len(all)
	}
	return &chain{s: s, segments: all[i:], next: from}, nil
}

// errGap is in the chain of the error for a segment that is missing or damaged.
var errGap = errors.New("the log has a gap")

// step reads the next segment. ok is false at the end of the log.
func (c *chain) step(ctx context.Context) (segment changelog.Segment, content []byte, ok bool, err error) {
	if len(c.segments) == 0 {
		return segment, nil, false, nil
	}
	of := c.segments[0]
	segment, content, sum, err := c.s.readSegment(ctx, of)
	first := c.number == 0
	switch {
	case err == nil && first && segment.From > c.next, err == nil && !first && segment.Number > c.number:
		err = fault.E(fault.DataLoss, "segments before %s of the log are missing", of.object.Name)
	case err == nil && !first && (segment.Number != c.number || segment.Previous != c.previous || segment.From != c.next):
		err = fault.E(fault.DataLoss, "the segment %s of the log does not continue the one before it", of.object.Name)
	}
	if err != nil {
		if fault.Is(err, fault.DataLoss) {
			err = errors.Join(err, errGap)
		}
		return segment, nil, false, err
	}
	c.segments = c.segments[1:]
	c.next, c.number, c.previous, c.until = segment.To, segment.Number+1, sum, segment.Until
	return segment, content, true, nil
}

// CheckLog reads the segments of the log that continues a backup, up to the place of the next backup of the same log,
// or to its end. It returns the time up to which each second can be restored, and DataLoss, with the object, if a
// segment is missing or damaged. It needs no secret key.
func (s *Series) CheckLog(ctx context.Context, b Backup, next Place) (until time.Time, err error) {
	if b.Log == (Place{}) {
		return time.Time{}, nil
	}
	c, err := s.chainFrom(ctx, b.Log.Log, b.Log.From)
	if err != nil {
		return time.Time{}, err
	}
	for ok := true; ok && (next.Log != b.Log.Log || c.next <= next.To); {
		if _, _, ok, err = c.step(ctx); err != nil {
			break
		}
	}
	until = time.UnixMicro(c.until).UTC()
	if fault.Is(err, fault.DataLoss) {
		return until, fault.Wrap(err, fault.DataLoss, "%s: %s; %s", s.Path(b), fault.Reason(err), b.reaches(c.until))
	}
	return until, err
}

// reaches says which seconds can be restored if the log of a backup ends at a time.
func (b *Backup) reaches(until int64) string {
	if until < b.Log.At {
		return "no second after the backup itself can be restored by it"
	}
	return fmt.Sprintf("by this backup each second from %s up to %s can be restored", stamp(b.Log.At, true), stamp(until, false))
}

// stamp returns a time in microseconds as text for the operator, in seconds rounded up or down.
func stamp(at int64, up bool) string {
	t := time.UnixMicro(at).UTC()
	if whole := t.Truncate(time.Second); up && whole.Before(t) {
		t = whole.Add(time.Second)
	}
	return t.Format(time.RFC3339)
}
