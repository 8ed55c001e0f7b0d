package clock

import (
	"sync"
	"time"
)

// Version is a commit version: microseconds since the Unix epoch. Update times,
// commit times, read times and resume tokens are versions; those of live queries are the moment After a version.
type Version int64

// After returns the moment after a version, which no commit has: consecutive versions differ by at least two
// microseconds. A snapshot at a version is complete up to that moment.
func (v Version) After() Version { return v + 1 }

// VersionOf returns the version of a moment, rounded down to the microsecond.
func VersionOf(t time.Time) Version { return Version(t.UnixMicro()) }

// Time returns the moment of the version, in UTC.
func (v Version) Time() time.Time { return time.UnixMicro(int64(v)).UTC() }

// Versions issues strictly increasing commit versions, even if the machine's clock goes back.
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

// Next returns a new version, at least the present microsecond and at least 2 greater than every earlier one, so that
// no version equals the moment After another.
func (v *Versions) Next() Version {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.mu.last = max(v.mu.last.After()+1, VersionOf(v.clock.Now()))
	return v.mu.last
}

// Last returns the greatest version issued so far.
func (v *Versions) Last() Version {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.mu.last
}
