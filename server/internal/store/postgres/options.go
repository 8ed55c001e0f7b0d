package postgres

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// Options configure a store.
type Options struct {
	// URL is PostgreSQL's address in the form of libpq: postgres://user:password@host:5432/database?sslmode=verify-full.
	// Variables such as PGPASSWORD and the file .pgpass are read too. The URL is never logged.
	URL string
	// Dir is the folder of the replica, which is created if absent and emptied if it can't be used. An empty Dir keeps the
	// replica in memory.
	Dir string
	// Local configures the replica.
	Local pebble.Options
	// Node is the name of this node, which must be unique among running nodes. Address is shown with it. Inner is the
	// address at which other nodes reach it.
	Node, Address, Inner string
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Lease is the time for which a leader leads without renewing; zero means 3 s.
	Lease time.Duration
	// Timeout is the time for which a leader waits for PostgreSQL before it stops leading; zero means 10 s.
	Timeout time.Duration
	// Retention is the time for which the log is kept after write-behind, for replicas that lag; zero means 10 min.
	Retention time.Duration
	// Derived reports whether Derive recreates a key from others; nil means none. Derive is called with a new replica that
	// has the others.
	Derived func(key []byte) bool
	Derive  func(ctx context.Context, s store.Store) error
	// Waiting is called with the leader's name when another node leads, each time that it changes. It may be nil.
	Waiting func(leader string)
	// Progress is called while a replica is built, with the number of keys so far and an estimate of their total. It may
	// be nil.
	Progress func(done, about int64)
	// Log receives messages for the operator; nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Lease == 0 {
		o.Lease = 3 * time.Second
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Retention == 0 {
		o.Retention = 10 * time.Minute
	}
	if o.Derived == nil {
		o.Derived = func([]byte) bool { return false }
	}
	if o.Derive == nil {
		o.Derive = func(context.Context, store.Store) error { return nil }
	}
	if o.Waiting == nil {
		o.Waiting = func(string) {}
	}
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Validate returns an error if a required option is missing.
func (o *Options) Validate() error {
	switch {
	case o.URL == "":
		return errors.New("pgstore: no URL")
	case o.Node == "":
		return errors.New("pgstore: no name for the node")
	}
	return nil
}
