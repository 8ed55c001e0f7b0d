// Package commands has the commands on the data of a server: on a data folder, or on the PostgreSQL of several nodes.
// If a server runs on them, the commands use it.
package commands

import (
	"io"
	"log/slog"

	"clave/server/internal/app/config"
	"clave/server/internal/app/datastore"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/process"
	"clave/server/internal/limit/heap"
)

// Options hold what commands need besides their configuration.
type Options struct {
	// Log receives failures; nil means slog's default.
	Log *slog.Logger
	// Notices receives lines for the operator, such as what was exported; nil discards them.
	Notices io.Writer
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Notices == nil {
		o.Notices = io.Discard
	}
}

// opener returns an opener of the store of a configuration. closers receives what is to be done after the store is
// closed, and importing are the paths of imports.
func (o *Options) opener(c *config.Config, closers *process.Components, importing ...string) *datastore.Opener {
	return datastore.New(c, datastore.Options{
		Importing: importing, Memory: heap.PlanFor(0, false), Clock: clock.System(), Log: o.Log, Notices: o.Notices, Closers: closers,
	})
}
