package versions

import (
	"context"

	"clave/server/internal/base/fault"
)

// Clone creates a version with the files and the configuration of a finalized one, and finalizes it if finalize is set.
func (s *Site) Clone(ctx context.Context, source, by string, finalize bool) (Version, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch v := s.mu.versions[source]; {
	case v == nil:
		return Version{}, errNoVersion(source)
	case v.Status != Finalized:
		return Version{}, errNotFinalized(source)
	}
	from, err := s.read(source)
	if err != nil {
		return Version{}, err
	}
	if err := s.makeRoomLocked(source); err != nil {
		return Version{}, err
	}
	r := &record{Version: Version{ID: newID(), Status: Created, Config: from.Config, Created: s.now(), CreatedBy: by}, Files: from.Files}
	if finalize {
		if err := s.finish(ctx, r, by); err != nil {
			return Version{}, err
		}
	}
	return r.Version, s.writeLocked(r)
}

// errNotFinalized returns the error for a version that must be finalized first.
func errNotFinalized(id string) error {
	return fault.E(fault.FailedPrecondition, "The version %s is not finalized.", id)
}
