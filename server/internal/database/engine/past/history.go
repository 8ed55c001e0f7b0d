package past

import (
	"bytes"
	"context"
	"fmt"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/limit/fair"
	"clave/server/internal/store"
)

// Bounds is the part of the history that a store has of a database.
type Bounds struct {
	// Begin is the version from which on the store has all commits, in the history or in the log.
	Begin clock.Version
	// Bytes is the size of the segments, and Segments their number.
	Bytes    int64
	Segments int
}

// History returns the bounds of a database's history, whose log has the commits from a version on.
func History(r store.Reader, number uint32, dropped clock.Version) (Bounds, error) {
	b := Bounds{Begin: dropped}
	end := clock.Version(0) // the version after the last segment
	err := Summaries(r, number, 0, func(s Summary) (bool, error) {
		if b.Segments == 0 || s.Begin != end {
			b.Begin = s.Begin // Between this segment and the one before it, commits are missing.
		}
		end = s.Last + 1
		b.Bytes += s.Size
		b.Segments++
		return true, nil
	})
	if end != dropped {
		b.Begin = dropped // A program without a history has dropped the commits between.
	}
	return b, err
}

// Summaries calls yield with the summaries of the segments that end with a version or later, the oldest first, while it
// returns true.
func Summaries(r store.Reader, number uint32, from clock.Version, yield func(Summary) (bool, error)) error {
	it := r.Scan(keys.HistoryRange(number, keys.HistorySummary, from))
	defer func() { _ = it.Close() }()
	for it.Next() {
		s, err := summaryAt(it)
		if err != nil {
			return err
		}
		if more, err := yield(s); err != nil || !more {
			return err
		}
	}
	return it.Err()
}

// summaryAt returns the summary at an iterator's position.
func summaryAt(it store.Iterator) (s Summary, err error) {
	last, err := keys.HistoryVersion(it.Key())
	var record []byte
	if err == nil {
		record, err = it.Value()
	}
	if err == nil {
		s, err = parseSummary(last, record)
	}
	if err != nil {
		err = fmt.Errorf("read the history: %w", err)
	}
	return s, err
}

// get returns a part of the segment that ends with a version, which must be there.
func get(r store.Reader, number uint32, part keys.HistoryPart, last clock.Version) ([]byte, error) {
	b, found, err := r.Get(keys.History(number, part, last))
	if err == nil && !found {
		err = keys.ErrCorrupt
	}
	if err != nil {
		return nil, fmt.Errorf("read the history up to %d: %w", last, err)
	}
	return b, nil
}

// Forget adds to a batch the deletion of the segments of a database that end before a version.
func Forget(batch *store.Batch, number uint32, before clock.Version) {
	for _, part := range []keys.HistoryPart{keys.HistorySummary, keys.HistoryFilter, keys.HistoryCommits} {
		batch.DeleteRange(keys.History(number, part, 0), keys.History(number, part, before))
	}
}

// ScanAll is Scan for the history and the log. It passes over segments without anything of a scope; the other segments
// may have other commits than those of the scope.
func ScanAll(ctx context.Context, r store.Reader, number uint32, scope Scope, after, upto clock.Version,
	yield func(v clock.Version, images []records.Image) error) error {
	return scanAll(ctx, r, number, scope.names(), after, upto, yield)
}

// scanAll is ScanAll for some names, of which yield may delete those that it no longer looks for.
func scanAll(ctx context.Context, r store.Reader, number uint32, some names, after, upto clock.Version,
	yield func(v clock.Version, images []records.Image) error) error {
	err := search(ctx, r, number, some, after, func(last clock.Version) (bool, error) {
		record, err := get(r, number, keys.HistorySummary, last)
		if err != nil {
			return false, err
		}
		s, err := parseSummary(last, record)
		if err != nil {
			return false, fmt.Errorf("read the history: %w", err)
		}
		return s.Last < upto, s.scan(ctx, r, number, after, upto, yield)
	})
	if err != nil {
		return err
	}
	return Scan(ctx, r, number, after, upto, yield)
}

// search calls yield with the last versions of the segments after a version in which one of some names may have
// changed, while it returns true.
func search(ctx context.Context, r store.Reader, number uint32, some names, after clock.Version, yield func(last clock.Version) (bool, error)) error {
	it := r.Scan(keys.HistoryRange(number, keys.HistoryFilter, after+1))
	defer func() { _ = it.Close() }()
	turn := fair.Of(ctx)
	for it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		last, err := keys.HistoryVersion(it.Key())
		if err != nil {
			return err
		}
		if some != nil {
			b, err := it.Value()
			if err != nil {
				return fmt.Errorf("read the history: %w", err)
			}
			if err := turn.Step(ctx, fair.Cost(len(b))); err != nil {
				return err
			}
			if !filter(b).mayHave(some) {
				continue
			}
		}
		if more, err := yield(last); err != nil || !more {
			return err
		}
	}
	return it.Err()
}

// scan calls yield with the images of those commits of a segment that are after one version and up to another.
func (s Summary) scan(ctx context.Context, r store.Reader, number uint32, after, upto clock.Version,
	yield func(v clock.Version, images []records.Image) error) error {
	packed, err := get(r, number, keys.HistoryCommits, s.Last)
	if err != nil {
		return err
	}
	if err := fair.Of(ctx).Step(ctx, fair.Cost(len(packed)+int(s.Raw))); err != nil {
		return err
	}
	err = s.unpack(packed, func(v clock.Version, record []byte) error {
		if v <= after || v > upto {
			return nil
		}
		images, err := records.Images(record)
		if err != nil {
			return err
		}
		return yield(v, images)
	})
	if err != nil {
		return fmt.Errorf("read the history up to %d: %w", s.Last, err)
	}
	return nil
}

// Backward calls yield with the images of all commits after a version, the latest first: those of the log, and then
// those of the history. Those of one commit are in its order.
func Backward(ctx context.Context, r store.Reader, number uint32, after clock.Version, yield func(images []records.Image) error) error {
	if err := backwardLog(ctx, r, number, after, yield); err != nil {
		return err
	}
	rng := keys.HistoryRange(number, keys.HistorySummary, after+1)
	rng.Reverse = true
	it := r.Scan(rng)
	defer func() { _ = it.Close() }()
	for it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, err := summaryAt(it)
		if err != nil {
			return err
		}
		var commits [][]records.Image
		err = s.scan(ctx, r, number, after, s.Last, func(_ clock.Version, images []records.Image) error {
			commits = append(commits, images)
			return nil
		})
		for i := len(commits) - 1; i >= 0 && err == nil; i-- {
			err = yield(commits[i])
		}
		if err != nil {
			return err
		}
	}
	return it.Err()
}

// backwardLog is Backward for the commits of the log.
func backwardLog(ctx context.Context, r store.Reader, number uint32, after clock.Version, yield func(images []records.Image) error) error {
	it := r.Scan(store.Range{From: keys.Change(number, after+1), To: keys.Change(number, -1), Reverse: true})
	defer func() { _ = it.Close() }()
	for it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := it.Value()
		if err != nil {
			return fmt.Errorf("read changes: %w", err)
		}
		images, err := records.Images(bytes.Clone(b))
		if err != nil {
			return fmt.Errorf("read changes: %w", err)
		}
		if err := yield(images); err != nil {
			return err
		}
	}
	return it.Err()
}
