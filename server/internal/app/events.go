package app

import (
	"context"
	"os"
	"time"

	"clave/server/internal/events"
)

// deliverEvents creates the delivery of events to services, and the socket for its commands.
func (a *App) deliverEvents(ctx context.Context, s *state) error {
	if a.config.Events == "" {
		return nil
	}
	specs, err := events.ReadFile(a.config.Events, a.config.Project, os.Getenv)
	if err != nil {
		return err
	}
	service, err := events.New(ctx, events.Options{
		Specs: specs, Source: events.EngineSource{Engine: s.Engine}, Store: s.store, Clock: a.o.Clock, Log: a.o.Log,
		Mint: func(audience string) (string, time.Time, error) {
			return s.Tokens.MintDelivery(a.config.Project, audience)
		},
	})
	if err != nil {
		return err
	}
	a.components.Add("events", service)
	s.deliveries = service
	// Without a data folder the commands can't find the socket.
	if a.config.Memory {
		return nil
	}
	socket, err := service.Listen(a.config.DataDir)
	a.serve("event commands", "clave events works only while the server is stopped", socket, err)
	return nil
}
