package app

import (
	"context"
	"errors"

	"clave/server/internal/database/engine"
	"clave/server/internal/model/resource"
	"clave/server/internal/suite/triggers"
)

// eventSource supplies triggers with the engine's commits.
type eventSource struct{ engine *engine.Engine }

// Follow subscribes to the commits of a database.
func (s eventSource) Follow(db resource.Database) triggers.Subscription {
	return eventSubscription{s.engine.Subscribe(db)}
}

// eventSubscription adapts the engine's subscription to package triggers.
type eventSubscription struct{ *engine.Subscription }

// Next waits for commits and returns them. It returns triggers.ErrClosed once the subscription is closed,
// engine.ErrLagged if commits are lost, and ctx's error if ctx ends first.
func (s eventSubscription) Next(ctx context.Context) ([]triggers.Commit, error) {
	commits, err := s.Subscription.Next(ctx)
	if errors.Is(err, engine.ErrClosed) {
		return nil, triggers.ErrClosed
	}
	out := make([]triggers.Commit, len(commits))
	for i, c := range commits {
		out[i] = triggers.Commit{Version: c.Version, Changes: make([]triggers.Change, len(c.Changes))}
		for j, change := range c.Changes {
			out[i].Changes[j] = triggers.Change(change)
		}
	}
	return out, err
}

// settling waits until commits have reached triggers and live queries.
type settling struct {
	triggers *triggers.Dispatcher
	state    *state
}

// makeTriggers creates the delivery of events to the functions emulator.
func (a *App) makeTriggers(s *state) (*settling, error) {
	d, err := triggers.New(triggers.Options{Functions: a.config.Functions, Source: eventSource{s.engine}, Clock: a.o.Clock, Log: a.o.Log})
	if err != nil {
		return nil, err
	}
	s.service.OnLifecycleEvent(d.Account)
	a.add("triggers", d)
	a.settling = &settling{triggers: d, state: s}
	return a.settling, nil
}

// Settle waits until a project, or every project if project is empty, has no pending events and no commits that live
// queries have not delivered. Events may cause commits. It returns ctx's error if ctx ends first.
func (s *settling) Settle(ctx context.Context, project string) error {
	if err := s.triggers.Settle(ctx, project); err != nil {
		return err
	}
	return s.state.hub.Settle(ctx, project)
}

// Settle waits until the events of all commits have been delivered. It returns ctx's error if ctx ends first.
func (a *App) Settle(ctx context.Context) error {
	if a.settling == nil || a.config.Functions == "" {
		return nil
	}
	return a.settling.triggers.Settle(ctx, "")
}
