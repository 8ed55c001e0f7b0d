package series

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup/target"
)

// keptName is the object that says from which operation on each log is kept. It distinguishes segments that were
// removed from those that are lost.
const keptName = "log.json"

// kept has for each log the number of the first operation that is kept, by its id.
type kept struct {
	From map[string]uint64 `json:"from"`
}

// readKept reads from where on the logs are kept. Without the object, or if it is damaged, all are.
func (s *Series) readKept(ctx context.Context) (kept, error) {
	var k kept
	text, err := readSmall(ctx, s.o.Target, keptName, maxSmall)
	switch {
	case ctx.Err() != nil:
		return kept{}, ctx.Err()
	case err != nil || json.Unmarshal(text, &k) != nil:
		return kept{}, nil
	}
	return k, nil
}

// pruneLogs removes the segments that are not needed to restore times of the days that keep names, at least one: those
// before the newest backup that is older, and those of logs that no backup begins any more.
func (s *Series) pruneLogs(ctx context.Context, lock target.Lock, keep Keep, now time.Time) error {
	all, err := s.List(ctx)
	if err != nil {
		return err
	}
	lists, err := s.o.Target.List(ctx, manifestFolder)
	if err != nil || len(all) == 0 || len(lists) == 0 {
		return err
	}
	segments, err := s.Segments(ctx, "")
	if err != nil {
		return err
	}
	newest := slices.MaxFunc(lists, func(a, b target.Object) int { return a.Modified.Compare(b.Modified) }).Modified
	from := keep.logs(all, segments, now)
	if err := lock.Held(); err != nil {
		return err
	}
	text, err := json.Marshal(kept{from})
	if err != nil {
		return err
	}
	if err := writeSmall(ctx, s.o.Target, keptName, append(text, '\n')); err != nil {
		return err
	}
	for i, segment := range segments {
		first, begun := from[segment.Log]
		// The server compares its log with the last segment when it starts.
		last := i+1 == len(segments) || segments[i+1].Log != segment.Log
		needed := begun && (last && first < math.MaxUint64 || segment.To > first)
		begins := !begun && !segment.object.Modified.Before(newest) // A backup may still begin the log.
		if needed || begins {
			continue
		}
		if err := lock.Held(); err != nil {
			return err
		}
		if err := s.o.Target.Remove(ctx, segment.object.Name); err != nil {
			return err
		}
	}
	return nil
}

// logs returns for each log that a backup begins the number of the first operation that is kept at a time. That of a
// log that has ended before the days that are kept is the greatest one.
func (k Keep) logs(all []Backup, segments []Segment, now time.Time) map[string]uint64 {
	horizon := now.Add(-time.Duration(max(k.Days, 1)) * 24 * time.Hour)
	from, until := make(map[string]uint64), make(map[string]int64)
	for _, segment := range segments {
		until[segment.Log] = max(until[segment.Log], segment.Until)
	}
	newest := ""
	for _, b := range all { // from the oldest to the newest
		if b.Log == (Place{}) {
			continue
		}
		newest = b.Log.Log
		if _, ok := from[newest]; !ok || k != (Keep{}) && !b.Log.Time().After(horizon) {
			from[newest] = b.Log.From
		}
	}
	for id := range from {
		if k != (Keep{}) && id != newest && until[id] < horizon.UnixMicro() {
			from[id] = math.MaxUint64
		}
	}
	return from
}

// errRemoved is the error for a backup whose log was removed.
func (s *Series) errRemoved(b Backup) error {
	return fault.E(fault.FailedPrecondition, "no log continues %s, or it was removed as old, so it can only be restored as it is, without --at", s.Path(b))
}
