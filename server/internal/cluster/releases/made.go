package releases

import (
	"context"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/release"
)

// Make makes a database that firebase.json does not name, with index definitions. It has no rules, so only service
// accounts use it until rules are released for it.
func (s *Service) Make(ctx context.Context, by, id string, made release.Made, defs index.Definitions) error {
	s.making.Lock() // not indexing: no other change of indexes is about this database
	defer s.making.Unlock()
	if _, known := s.o.Project.Made.Of(id); known || s.named(id) {
		return fault.E(fault.AlreadyExists, "Database already exists. Please use another database_id")
	}
	ctx = context.WithoutCancel(ctx)          // from here on the caller can't stop it
	s.o.Project.RemoveRules(s.o.Rulesets, id) // of a former database, if they were released while it was deleted
	file := &release.File{Name: "firestore.indexes.json", Text: string(index.Format(defs))}
	if _, err := s.swap(ctx, Request{By: by, Files: release.Files{id: {Indexes: file, Made: &made}}}); err != nil {
		return s.ended(err)
	}
	own := map[resource.Database]index.Definitions{{Project: s.o.Project.ID, ID: id}: defs}
	return s.ended(s.changeIndexes(ctx, own))
}

// Unmake deletes the database that was made at a time: it is gone for clients before a change of its indexes, which
// ends, and before drop is called, which removes what is stored of it. If that fails, or this process is killed before
// its end, a later call of Unmake continues. It returns NotFound for other databases.
func (s *Service) Unmake(ctx context.Context, by, id string, made time.Time, drop func(context.Context) error) error {
	ctx = context.WithoutCancel(ctx) // from here on the caller can't stop it
	if err := s.markDeleted(ctx, by, id, made); err != nil {
		return s.ended(err)
	}
	s.indexing.Lock() // the engine ends builds of a database that is marked
	defer s.indexing.Unlock()
	if of, known := s.o.Project.Made.Of(id); !known || !of.Deleted || !of.Time.Equal(made) {
		return errNotMade(id) // deleted by another call, after which the name may have been used again
	}
	if err := drop(ctx); err != nil {
		return s.ended(err)
	}
	return s.ended(s.put(ctx, func(r *release.Release) *release.Release { return r.Without(id, by, s.o.Clock.Now()) }))
}

// errNotMade returns the error for a database that was not made.
func errNotMade(id string) error {
	return fault.E(fault.NotFound, "The database %s was not made by this API.", id)
}

// markDeleted marks a database as deleted in the release, unless it is marked, and removes its rules.
func (s *Service) markDeleted(ctx context.Context, by, id string, made time.Time) error {
	s.making.Lock() // the name is not used again meanwhile
	defer s.making.Unlock()
	of, known := s.o.Project.Made.Of(id)
	switch {
	case !known || s.named(id) || !of.Time.Equal(made):
		return errNotMade(id)
	case of.Deleted:
		return nil
	}
	if err := s.put(ctx, func(r *release.Release) *release.Release { return r.Deleting(id, by, s.o.Clock.Now()) }); err != nil {
		return err
	}
	s.o.Project.RemoveRules(s.o.Rulesets, id)
	return nil
}

// put writes the release that follows the one in force, without a change of rules.
func (s *Service) put(ctx context.Context, next func(*release.Release) *release.Release) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := next(s.mu.current)
	if err := s.save(ctx, r); err != nil {
		return err
	}
	s.mu.current = r
	s.o.Project.Made.Use(r)
	return nil
}
