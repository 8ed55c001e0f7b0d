package app

import (
	"context"

	"clave/server/internal/suite/triggers"
)

// makeTriggers creates the delivery of events to the functions emulator.
func (a *App) makeTriggers(s *state) (*triggers.Settling, error) {
	d, err := triggers.New(triggers.Options{Functions: a.config.Functions, Source: triggers.EngineSource{Engine: s.Engine}, Clock: a.o.Clock, Log: a.o.Log})
	if err != nil {
		return nil, err
	}
	s.Service.OnLifecycleEvent(d.Account)
	a.components.Add("triggers", d)
	a.settling = &triggers.Settling{Triggers: d, Queries: s.Hub}
	return a.settling, nil
}

// Settle waits until the events of all commits have been delivered. It returns ctx's error if ctx ends first.
func (a *App) Settle(ctx context.Context) error {
	if a.settling == nil || a.config.Functions == "" {
		return nil
	}
	return a.settling.Triggers.Settle(ctx, "")
}
