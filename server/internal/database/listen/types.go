package listen

import (
	"errors"
	"log/slog"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/target"
)

// Options configure a hub.
type Options struct {
	// Engine supplies documents and commits.
	Engine *engine.Engine
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Heartbeat is the interval at which a quiet stream sends a snapshot, so that its resume token stays recent; zero
	// means 45 s.
	Heartbeat time.Duration
	// MaxQueue is the maximum number of changes that wait for a client before its targets are reset; zero means 4096.
	MaxQueue int
	// MaxQueueBytes is the maximum number of bytes of documents that wait for a client; zero means 16 MiB.
	MaxQueueBytes int
	// MaxHeldBytes is the maximum number of bytes of documents that wait for all clients together, each document counted
	// once. Beyond it the targets of the clients with the longest queues are reset. Zero means 8 MiB.
	MaxHeldBytes int
	// MaxWindowBytes is the maximum number of bytes of documents that are kept for queries with a limit, each document
	// counted once for each query. Beyond it, further such queries of a client that has more than an equal share are
	// refused with RESOURCE_EXHAUSTED. Zero means 64 MiB.
	MaxWindowBytes int
	// DropAfter is the time after which the stream of a slow client ends, if the client reads nothing, or does not read a
	// single message completely; zero means 60 s.
	DropAfter time.Duration
	// MaxTargets is the maximum number of targets of a stream; zero means 5000.
	MaxTargets int
	// Sent is called when a stream has sent a commit, with the time since the commit. It may be nil.
	Sent func(after time.Duration)
	// Log receives failures; nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 45 * time.Second
	}
	if o.MaxQueue == 0 {
		o.MaxQueue = 4096
	}
	if o.MaxQueueBytes == 0 {
		o.MaxQueueBytes = 16 << 20
	}
	if o.MaxHeldBytes == 0 {
		o.MaxHeldBytes = 8 << 20
	}
	if o.MaxWindowBytes == 0 {
		o.MaxWindowBytes = 64 << 20
	}
	if o.DropAfter == 0 {
		o.DropAfter = 60 * time.Second
	}
	if o.MaxTargets == 0 {
		o.MaxTargets = 5000
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Validate returns an error if a required option is missing.
func (o *Options) Validate() error {
	if o.Engine == nil {
		return errors.New("listen: no engine")
	}
	return nil
}

// Target is a target with the decision whether it may be shown.
type Target struct {
	target.Target
	// Authorization decides whether the target may be shown. The zero value denies it.
	Authorization Authorization
}
