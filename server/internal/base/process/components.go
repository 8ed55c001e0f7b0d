package process

import (
	"context"
	"errors"
	"slices"
)

// Components are parts of a program, or of a stack within it. Those with a method Run are started by their type, so the
// wiring need not list which ones have it. The zero Components has none.
type Components struct {
	// All holds the components that were added.
	All []any
	// Parts are run together and stopped in reverse order.
	Parts []Part
	// closers are called in reverse order once everything has stopped.
	closers []func() error
}

// Runner is a component that works in the background until ctx is done.
type Runner interface {
	Run(ctx context.Context) error
}

// Add registers a component, under a name for logs.
func (c *Components) Add(name string, component any) {
	c.All = append(c.All, component)
	if r, ok := component.(Runner); ok {
		c.Start(name, r.Run)
	}
}

// Start adds work that belongs to no component.
func (c *Components) Start(name string, run func(ctx context.Context) error) {
	c.Parts = append(c.Parts, Part{Name: name, Run: run})
}

// OnClose adds a function that is called at the end.
func (c *Components) OnClose(closer func() error) { c.closers = append(c.closers, closer) }

// Close closes everything in reverse order.
func (c *Components) Close() error {
	var all []error
	for _, closer := range slices.Backward(c.closers) {
		all = append(all, closer())
	}
	c.closers = nil
	return errors.Join(all...)
}
