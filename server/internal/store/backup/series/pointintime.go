package series

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/changelog"
)

// Reach is a period of which each second can be restored: from a backup to the end of its log.
type Reach struct {
	From, Until time.Time
}

// Reaches returns the periods of which each second can be restored by the backups of a list and their logs, from the
// oldest to the newest. It reads only the names of segments: a damaged segment makes a period shorter.
func (s *Series) Reaches(ctx context.Context, all []Backup) ([]Reach, error) {
	segments, err := s.Segments(ctx, "")
	if err != nil {
		return nil, err
	}
	until := make(map[string]int64)
	for _, segment := range segments {
		until[segment.Log] = max(until[segment.Log], segment.Until)
	}
	var reaches []Reach
	known := make(map[string]bool)
	for _, b := range all {
		end := until[b.Log.Log]
		if b.Damage != "" || b.Log == (Place{}) || known[b.Log.Log] || end < b.Log.At {
			continue
		}
		known[b.Log.Log] = true
		reaches = append(reaches, Reach{From: b.Log.Time(), Until: time.UnixMicro(end).UTC()})
	}
	return reaches, nil
}

// Before returns the newest backup by which the state at a time can be restored: one from before it, with a place in a
// log. It returns FailedPrecondition if there is none.
func (s *Series) Before(ctx context.Context, at time.Time) (Backup, error) {
	all, err := s.List(ctx)
	if err != nil {
		return Backup{}, err
	}
	first := time.Time{}
	for _, b := range slices.Backward(all) {
		if b.Damage != "" || b.Log == (Place{}) {
			continue
		}
		if !b.Log.Time().After(at) {
			return b, nil
		}
		first = b.Log.Time()
	}
	if first.IsZero() {
		return Backup{}, fault.E(fault.FailedPrecondition, "%s has no backup that a log continues, so no time between backups can be restored; clave backups list --from %s shows the backups", s, s)
	}
	return Backup{}, fault.E(fault.FailedPrecondition, "%s can restore no time before %s, the first backup that a log continues", s, stamp(first.UnixMicro(), true))
}

// RestoreAt is Restore with the state at a time: it applies the log to the store that prepare has verified, and calls
// verify with the result. It returns an error that says up to which second it can restore if the log does not reach
// the time.
func (s *Series) RestoreAt(ctx context.Context, b Backup, at time.Time, data string, o RestoreAtOptions) error {
	if b.Log == (Place{}) {
		return s.errRemoved(b)
	}
	if at.Before(b.Log.Time()) {
		return fault.E(fault.FailedPrecondition, "%s is newer than %s: it can restore each second from %s; omit its name, or name an older backup", s.Path(b), at.UTC().Format(time.RFC3339Nano), stamp(b.Log.At, true))
	}
	c, err := s.chainFrom(ctx, b.Log.Log, b.Log.From)
	if err != nil {
		return err
	}
	if n := len(c.segments); n == 0 || c.segments[n-1].Until < at.UnixMicro() {
		until := int64(0)
		if n > 0 {
			until = c.segments[n-1].Until
		}
		return fault.E(fault.FailedPrecondition, "the log that continues %s does not reach %s: %s", s.Path(b), at.UTC().Format(time.RFC3339Nano), b.reaches(until))
	}
	return s.Restore(ctx, b, data, func(store string, inventory json.RawMessage) error {
		if err := o.Prepare(store, inventory); err != nil {
			return err
		}
		if err := s.replay(ctx, b, c, at.UnixMicro(), store); err != nil {
			return err
		}
		return o.Verify(store)
	})
}

// RestoreAtOptions are what RestoreAt does with the restored store.
type RestoreAtOptions struct {
	// Prepare verifies the store of the backup with its inventory, as for Restore.
	Prepare func(store string, inventory json.RawMessage) error
	// Verify verifies the result.
	Verify func(store string) error
}

// replay applies the batches of a log up to a time to the store in a folder.
func (s *Series) replay(ctx context.Context, b Backup, c *chain, at int64, folder string) (err error) {
	to, err := s.o.Open(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Sync(), to.Close()) }()
	for c.until < at {
		until := c.until
		segment, content, ok, err := c.step(ctx)
		if err == nil && !ok {
			err = fault.E(fault.DataLoss, "the end of the log is missing")
		}
		if err == nil {
			err = s.apply(ctx, segment, content, at, b.Log.From, to)
		}
		if fault.Is(err, fault.DataLoss) || errors.Is(err, errGap) {
			return fault.Wrap(err, fault.DataLoss, "%s; %s", fault.Reason(err), b.reaches(until))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errReached ends the reading of a segment at the wanted time.
var errReached = errors.New("the time is reached")

// apply applies the batches of a segment from an operation on and up to a time.
func (s *Series) apply(ctx context.Context, segment changelog.Segment, content []byte, at int64, from uint64, to Store) (err error) {
	if segment.Sealed {
		if content, err = s.o.Keys.openAll(content, changelog.MaxSegment); err != nil {
			return err
		}
	}
	records, err := changelog.Decompress(content)
	if err == nil {
		err = changelog.Records(records, segment.From, segment.To, func(r changelog.Record) error {
			switch {
			case r.At.UnixMicro() > at:
				return errReached
			case r.Seq < from: // The backup has it.
				return nil
			case ctx.Err() != nil:
				return ctx.Err()
			}
			return to.ApplyUnsynced(&store.Batch{Ops: r.Ops})
		})
	}
	if errors.Is(err, errReached) {
		return nil
	}
	return err
}
