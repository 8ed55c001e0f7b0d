package clock

import (
	"sync"
	"time"
)

// Version is a commit version: microseconds since the Unix epoch. A document's update time, a commit's time,
// a read time and a resume token all are one (architecture §3), but for those of live queries, which are the moment After.
type Version int64

// After returns the moment after a version, which no commit has: versions are given two microseconds apart. What was read at a
// version can say that it is complete up to then.
func (v Version) After() Version { return v + 1 }

// VersionOf returns the version of a moment, rounded down to the microsecond.
func VersionOf(t time.Time) Version { return Version(t.UnixMicro()) }

// Time returns the moment of the version, in UTC.
func (v Version) Time() time.Time { return time.UnixMicro(int64(v)).UTC() }

// Versions gives commit versions that never go back and never repeat, even when the machine's clock does.
type Versions struct {
	clock Clock
	mu    struct {
		sync.Mutex
		last Version
	}
}

// NewVersions returns a source of versions greater than last.
func NewVersions(c Clock, last Version) *Versions {
	v := &Versions{clock: c}
	v.mu.last = last
	return v
}

// Next returns a new version, at least the present microsecond and so much greater than every earlier one that the moment
// After each is nobody's.
func (v *Versions) Next() Version {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.mu.last = max(v.mu.last.After()+1, VersionOf(v.clock.Now()))
	return v.mu.last
}

// Last returns the greatest version given so far.
func (v *Versions) Last() Version {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.mu.last
}
