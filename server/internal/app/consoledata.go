package app

import (
	"context"
	"log/slog"
	"runtime"
	"runtime/metrics"
	"sync"

	"clave/server/internal/console"
	"clave/server/internal/console/logs"
	"clave/server/internal/database/index"
	"clave/server/internal/database/missingindex"
	"clave/server/internal/model/resource"
	"clave/server/internal/observe/meter"
	"clave/server/internal/store/postgres"
)

// consoleData holds data for the console.
type consoleData struct {
	logs    logs.Ring
	missing console.MissingIndexes
	defined struct {
		sync.Mutex
		of map[resource.Database][]index.Definition
	}
	// recorder writes indexes into their files.
	recorder *missingindex.Recorder
}

// hasConsole reports whether there is to be a console.
func (a *App) hasConsole() bool { return a.config.UI || a.config.Console != "" }

// watch starts keeping the log's lines for the console.
func (a *App) watch() {
	a.consoleData = &consoleData{}
	a.consoleData.defined.of = make(map[resource.Database][]index.Definition)
	a.o.Log = slog.New(logs.Handler(a.o.Log.Handler(), &a.consoleData.logs))
}

// define records the indexes of a database's file or release. The zero Database means all without their own.
func (w *consoleData) define(db resource.Database, indexes []index.Definition) {
	w.defined.Lock()
	defer w.defined.Unlock()
	w.defined.of[db] = indexes
}

// definedIn returns the indexes of a database's file or release.
func (w *consoleData) definedIn(db resource.Database) []index.Definition {
	w.defined.Lock()
	defer w.defined.Unlock()
	if own, ok := w.defined.of[db]; ok {
		return own
	}
	return w.defined.of[resource.Database{}]
}

// gauges returns the state of the server.
func (a *App) gauges() meter.Gauges {
	g := meter.Gauges{Goroutines: runtime.NumGoroutine()}
	g.Memory, g.Heap = memoryTaken()
	if s := a.served; s != nil {
		g.Listeners = s.Hub.Streams()
		g.Disk, g.DiskFree = s.usage()
	}
	return g
}

// logged is a store whose latest writes are only in a log.
type logged interface{ LogSize() uint64 }

// sampled returns the state of the server, including the lag of the readers of its log.
func (a *App) sampled(ctx context.Context) meter.Gauges {
	g := a.gauges()
	if a.served == nil {
		return g
	}
	if store, ok := a.served.store.(logged); ok {
		g.Log = store.LogSize()
	}
	shared, ok := a.served.store.(*postgres.Store)
	if !ok {
		return g
	}
	led := a.leads(ctx, shared)
	g.Lag = &led.StateLag
	for _, member := range led.Members {
		g.Nodes = append(g.Nodes, meter.NodeLag{Name: member.Name, Lag: member.LogLag})
	}
	return g
}

// memoryTaken returns the bytes that the program has from the system, and those of live objects.
func memoryTaken() (all, heap uint64) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64(), samples[2].Value.Uint64()
}

// neededIndex returns a function that records for the console the indexes that queries lack, and stores the definitions
// of the files. It returns nil without a console.
func (a *App) neededIndex(files map[resource.Database]index.Definitions) func(resource.Database, index.Definition) {
	if a.consoleData == nil {
		return nil
	}
	for db, defs := range files {
		a.consoleData.define(db, defs.Indexes)
	}
	return func(db resource.Database, d index.Definition) { a.consoleData.missing.Add(db, d, a.o.Clock.Now()) }
}

// usage returns the used and the free bytes on this machine's disk, or zero if the data are elsewhere.
func (s *state) usage() (used, free uint64) {
	if store, ok := s.store.(interface{ Usage() (used, free uint64) }); ok {
		return store.Usage()
	}
	return 0, 0
}
