package stack

import (
	"context"
	"log/slog"
	"time"

	"clave/server/internal/auth/appcheck"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/faultinject"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/limit/fair"
	"clave/server/internal/limit/heap"
	"clave/server/internal/limit/parse"
	"clave/server/internal/limit/receive"
	"clave/server/internal/limit/slots"
	"clave/server/internal/model/resource"
	"clave/server/internal/observe/meter"
	"clave/server/internal/observe/usage"
	"clave/server/internal/store"
	"clave/server/internal/transport/webchannel"
)

// Options hold what the stacks of a server have in common: its configuration, and its limits.
type Options struct {
	// Production is set if the server serves clients of the internet.
	Production bool
	// Project is the server's project, and PublicURL the URL at which clients reach it.
	Project, PublicURL string
	// Exists reports whether a database exists, and Gone whether it was deleted, although something may be stored of it
	// still; nil means that none was.
	Exists, Gone func(resource.Database) bool
	// Served reports whether a database without rules of its own has those of the default database.
	Served    func(resource.Database) bool
	IndexMode engine.IndexMode
	// History is the age up to which versions are kept, and HistoryBytes the maximum size of those that are older than an
	// hour; zero means an hour.
	History      time.Duration
	HistoryBytes int64
	// Enterprise reports whether a database has the Enterprise edition.
	Enterprise func(resource.Database) bool
	// SignTokens is set if tokens are signed, and Events if events are delivered with tokens.
	SignTokens, Events bool
	// AppCheck configures App Check; nil for a server without it.
	AppCheck *AppCheck
	// Accounts has the options of accounts that the configuration sets.
	Accounts service.Options
	// AnonymousWrites is the number of writes that a network may do without an account each minute; 0 means no limit.
	AnonymousWrites int
	// ProxyHops is the number of reverse proxies that are trusted.
	ProxyHops int
	Memory    heap.Plan
	// Usage counts what production would bill; nil counts nothing.
	Usage *usage.Meter
	// Meter counts calls; nil counts none. Faults injects faults; nil injects none.
	Meter  *meter.Meter
	Faults *faultinject.Injector
	// Turns divides the processors' time for queries between networks.
	Turns *fair.Queue
	// Calls and Streams bound what clients hold, Budget the memory of requests that are being received, and Parsing that
	// of large requests that are parsed.
	Calls, Streams *slots.Slots
	Budget         *receive.Budget
	Parsing        *parse.Limit
	Clock          clock.Clock
	Log            *slog.Logger
}

// AppCheck configures App Check.
type AppCheck struct {
	// Modes are the modes of the products.
	Modes appcheck.Modes
	// KeysURL is the address of the keys of another App Check service whose tokens count too; empty for none.
	KeysURL string
}

// Role is what differs between the stack of a server that writes its store and that of a node that follows another one.
type Role struct {
	Store store.Store
	// Follows is set if another node writes the store.
	Follows bool
	// Versions is the clock of versions.
	Versions clock.Clock
	Rulesets *authz.Rulesets
	// Engine sets options of the engine: where indexes are recorded that queries lacked, and how reads become current.
	Engine func(o *engine.Options)
	// Define defines the indexes before anything is read.
	Define func(ctx context.Context, e *engine.Engine) error
	// Vault returns the vault of the keys that sign tokens; nil keeps them in memory.
	Vault func(ctx context.Context) (token.Vault, error)
	// Accounts sets options of the accounts, such as how e-mails are sent; nil sets none.
	Accounts func(o *service.Options) error
	// Owner names the node in the ids of sessions of WebChannel, if it follows. Ended is the text of the error of streams
	// that end because the stack does.
	Owner, Ended string
	// Moves are the sessions that continue at another part of this node; nil without other nodes.
	Moves *webchannel.Moves
}
