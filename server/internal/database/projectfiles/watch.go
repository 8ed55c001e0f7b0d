package projectfiles

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"clave/server/internal/base/clock"
	"clave/server/internal/store/release"
)

// quietPeriod is the time for which a rules file must be unchanged before it is reloaded, because editors write in
// several steps.
const quietPeriod = 50 * time.Millisecond

// Watcher calls a function when rules files change. It watches folders, because editors replace files.
type Watcher struct {
	watcher *fsnotify.Watcher
	// files are the databases by the clean path of their rules, which several may have.
	files  map[string][]release.Paths
	reload func(context.Context, release.Paths)
	clock  clock.Clock
	log    *slog.Logger
}

// Watch begins to watch the rules files of databases. It returns nil if there are none, and if the system cannot watch
// files, which it logs.
func Watch(databases []release.Paths, reload func(context.Context, release.Paths), c clock.Clock, log *slog.Logger) *Watcher {
	w := &Watcher{files: make(map[string][]release.Paths), reload: reload, clock: c, log: log}
	for _, d := range databases {
		if d.RulesFile != "" {
			name := filepath.Clean(d.RulesFile)
			w.files[name] = append(w.files[name], d)
		}
	}
	if len(w.files) == 0 {
		return nil
	}
	var err error
	if w.watcher, err = fsnotify.NewWatcher(); err != nil {
		log.Warn("rules files are not watched", "error", err)
		return nil
	}
	for file := range w.files {
		if err := w.watcher.Add(filepath.Dir(file)); err != nil {
			log.Warn("a rules file is not watched", "file", file, "error", err)
		}
	}
	return w
}

// Close ends watching.
func (w *Watcher) Close() error { return w.watcher.Close() }

// Run calls reload for files that have changed until ctx is done.
func (w *Watcher) Run(ctx context.Context) error {
	dirty := make(map[string]bool)
	var quiet <-chan time.Time
	stop := func() {}
	defer func() { stop() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err, ok := <-w.watcher.Errors:
			if !ok {
				return nil
			}
			w.log.Warn("watching rules files", "error", err)
		case event, ok := <-w.watcher.Events:
			if !ok {
				return nil
			}
			if name := filepath.Clean(event.Name); w.files[name] != nil && !event.Has(fsnotify.Chmod) {
				// Every event restarts the quiet period, so an editor that writes in steps causes one reload.
				dirty[name] = true
				stop()
				quiet, stop = w.clock.After(quietPeriod)
			}
		case <-quiet:
			for name := range dirty {
				for _, d := range w.files[name] {
					w.reload(ctx, d)
				}
			}
			clear(dirty)
		}
	}
}
