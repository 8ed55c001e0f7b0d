package triggers

import (
	"context"
	"errors"

	"clave/server/internal/database/engine"
	"clave/server/internal/model/resource"
)

// EngineSource supplies the commits of an engine.
type EngineSource struct{ Engine *engine.Engine }

// Follow subscribes to the commits of a database.
func (s EngineSource) Follow(db resource.Database) Subscription {
	return EngineSubscription{s.Engine.Subscribe(db)}
}

// EngineSubscription is a subscription to the commits of an engine.
type EngineSubscription struct{ *engine.Subscription }

// Next waits for commits and returns them. It returns ErrClosed once the subscription is closed, engine.ErrLagged if
// commits are lost, and ctx's error if ctx ends first.
func (s EngineSubscription) Next(ctx context.Context) ([]Commit, error) {
	commits, err := s.Subscription.Next(ctx)
	if errors.Is(err, engine.ErrClosed) {
		return nil, ErrClosed
	}
	out := make([]Commit, len(commits))
	for i, c := range commits {
		out[i] = Commit{Version: c.Version, Changes: make([]Change, len(c.Changes))}
		for j, change := range c.Changes {
			out[i].Changes[j] = Change(change)
		}
	}
	return out, err
}

// Settling waits until commits have reached triggers and live queries.
type Settling struct {
	Triggers *Dispatcher
	// Queries waits until live queries have delivered the commits of a project, or of every project if it is empty.
	Queries interface {
		Settle(ctx context.Context, project string) error
	}
}

// Settle waits until a project, or every project if project is empty, has no pending events and no commits that live
// queries have not delivered. Events may cause commits. It returns ctx's error if ctx ends first.
func (s *Settling) Settle(ctx context.Context, project string) error {
	if err := s.Triggers.Settle(ctx, project); err != nil {
		return err
	}
	return s.Queries.Settle(ctx, project)
}
