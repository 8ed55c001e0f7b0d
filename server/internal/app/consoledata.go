package app

import (
	"log/slog"
	"sync"

	"clave/server/internal/app/config"
	"clave/server/internal/app/datastore"
	"clave/server/internal/console"
	"clave/server/internal/console/logs"
	"clave/server/internal/database/index"
	"clave/server/internal/database/missingindex"
	"clave/server/internal/model/resource"
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
func hasConsole(c *config.Config) bool { return c.UI || c.Console != "" }

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

// begin records what a server that writes a store begins with.
func (w *consoleData) begin(writer *datastore.Writer) {
	w.recorder = writer.Recorder
	for db, defs := range writer.Definitions {
		w.define(db, defs.Indexes)
	}
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
