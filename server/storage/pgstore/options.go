package pgstore

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"clave/server/clock"
	"clave/server/storage"
	"clave/server/storage/pebblestore"
)

// Options are what a store is made of.
type Options struct {
	// URL is where PostgreSQL is and who connects, as libpq has it: postgres://user:password@host:5432/database?sslmode=verify-full.
	// Variables such as PGPASSWORD and the file .pgpass count. It is never logged.
	URL string
	// Dir is the folder of the replica, which is made when absent and emptied when it can't be used. Empty keeps the replica in memory.
	Dir string
	// Local tunes the replica.
	Local pebblestore.Options
	// Node names this node among the others; no two that run have the same name. Address is shown beside it, and Inner is where other
	// nodes reach it.
	Node, Address, Inner string
	// Clock returns the time; the machine's when nil.
	Clock clock.Clock
	// Lease is how long a leader that does not renew stays one; 3 s when zero.
	Lease time.Duration
	// Patience is how long a leader waits for PostgreSQL before it steps down; 10 s when zero.
	Patience time.Duration
	// Retention is how long the log is kept once it is written behind, for replicas that are late; 10 min when zero.
	Retention time.Duration
	// Derived reports keys that Derive makes of the others; none are when nil. Derive is called with a new replica that has the others.
	Derived func(key []byte) bool
	Derive  func(ctx context.Context, s storage.Store) error
	// Waiting is called when another node leads, with its name, each time that it is a different one. May be nil.
	Waiting func(leader string)
	// Progress is called while a replica is built, with the number of keys so far and about how many there are. May be nil.
	Progress func(done, about int64)
	// Log receives lines for the operator; nothing is logged when nil.
	Log *slog.Logger
}

// EnsureDefaults fills what was left zero.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Lease == 0 {
		o.Lease = 3 * time.Second
	}
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	if o.Retention == 0 {
		o.Retention = 10 * time.Minute
	}
	if o.Derived == nil {
		o.Derived = func([]byte) bool { return false }
	}
	if o.Derive == nil {
		o.Derive = func(context.Context, storage.Store) error { return nil }
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

// Validate reports what is missing.
func (o *Options) Validate() error {
	switch {
	case o.URL == "":
		return errors.New("pgstore: no URL")
	case o.Node == "":
		return errors.New("pgstore: no name of the node")
	}
	return nil
}
