package app

import (
	"context"
	"errors"
	"slices"

	"clave/server/internal/base/process"
)

// components are parts of a server, or of a stack within it. Those with a method Run are started by their type, so the
// wiring need not list which ones have it. TestEveryRunIsStarted fails if one was not added.
type components struct {
	all []any
	// parts are run together and stopped in reverse order.
	parts []process.Part
	// closers are called in reverse order once everything has stopped.
	closers []func() error
}

// runner is a component that works in the background until ctx is done.
type runner interface {
	Run(ctx context.Context) error
}

// add registers a component, under a name for logs.
func (c *components) add(name string, component any) {
	c.all = append(c.all, component)
	if r, ok := component.(runner); ok {
		c.run(name, r.Run)
	}
}

// run adds work that belongs to no component.
func (c *components) run(name string, run func(ctx context.Context) error) {
	c.parts = append(c.parts, process.Part{Name: name, Run: run})
}

// onClose adds a function that is called at the end.
func (c *components) onClose(closer func() error) { c.closers = append(c.closers, closer) }

// close closes everything in reverse order.
func (c *components) close() error {
	var all []error
	for _, closer := range slices.Backward(c.closers) {
		all = append(all, closer())
	}
	c.closers = nil
	return errors.Join(all...)
}
