package events

import (
	"context"
	"errors"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/resource"
	"clave/server/internal/suite/triggers"
)

// EngineSource supplies the commits in the log of an engine.
type EngineSource struct{ Engine *engine.Engine }

// Latest returns the latest version of a database.
func (s EngineSource) Latest(db resource.Database) clock.Version { return s.Engine.Latest(db) }

// Oldest returns a version after which the log has all commits.
func (s EngineSource) Oldest(db resource.Database) clock.Version { return s.Engine.Oldest(db) }

// Follow subscribes to the commits after a version.
func (s EngineSource) Follow(db resource.Database, after clock.Version) Subscription {
	return engineSubscription{triggers.EngineSubscription{Subscription: s.Engine.Follow(db, after)}}
}

// engineSubscription is a subscription to the log of an engine.
type engineSubscription struct{ triggers.EngineSubscription }

// Next waits for commits. It returns ErrLost if the log no longer has the next one.
func (s engineSubscription) Next(ctx context.Context) ([]triggers.Commit, error) {
	commits, err := s.EngineSubscription.Next(ctx)
	if errors.Is(err, engine.ErrLagged) {
		return nil, ErrLost
	}
	return commits, err
}
