package pebble

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// The number of reads of a damaged file per second after which readers are delayed, and the delay. Pebble's compactions
// retry a damaged table of the first level without pause.
const (
	damageReads = 200
	damageDelay = 100 * time.Millisecond
)

// damage records the files that were found damaged.
type damage struct {
	log   *slog.Logger
	clock clock.Clock
	mu    struct {
		sync.Mutex
		files map[string]*damagedFile
		// errors limits the log entries for each background error.
		errors map[string]*clock.Minutely
	}
}

// damagedFile counts the failed reads of a file in the present second.
type damagedFile struct {
	second time.Time
	reads  int
}

// newDamage returns an empty damage.
func newDamage(log *slog.Logger) *damage {
	d := &damage{log: log, clock: clock.System()}
	d.mu.files = make(map[string]*damagedFile)
	d.mu.errors = make(map[string]*clock.Minutely)
	return d
}

// listener returns the listener to which Pebble reports damage and background errors. Without it a damaged block ends
// the program.
func (d *damage) listener() *pebble.EventListener {
	return &pebble.EventListener{DataCorruption: d.found, BackgroundError: d.background}
}

// found is called at each read of a damaged block.
func (d *damage) found(info pebble.DataCorruptionInfo) {
	if d.note(filepath.Base(info.Path), info.Details) {
		delay, stop := d.clock.After(damageDelay)
		defer stop()
		<-delay
	}
}

// note counts a read of a damaged file, logs the first, and reports whether the reader must be delayed.
func (d *damage) note(name string, details error) (delay bool) {
	now := d.clock.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.mu.files[name]
	if f == nil {
		f = &damagedFile{}
		d.mu.files[name] = f
		d.log.Error("a data file is damaged: its data can't be read; restore a backup", "file", name, "error", oneLine(details.Error()))
	}
	if now.Sub(f.second) >= time.Second {
		f.second, f.reads = now, 0
	}
	f.reads++
	return f.reads > damageReads
}

// background logs an error of Pebble's background work, each at most once a minute. It ignores a full disk.
func (d *damage) background(err error) {
	if isFull(err) {
		return // damage is logged already
	}
	text, now := err.Error(), d.clock.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	line := d.mu.errors[text]
	if line == nil {
		if len(d.mu.errors) > 100 {
			clear(d.mu.errors)
		}
		line = new(clock.Minutely)
		d.mu.errors[text] = line
	}
	if !line.Due(now) {
		return
	}
	d.log.Error("background work on the data files failed and is retried", "error", text)
}

// Err returns an error that names the damaged files, or nil if there are none.
func (d *damage) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.mu.files) == 0 {
		return nil
	}
	names := make([]string, 0, len(d.mu.files))
	for name := range d.mu.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return fault.E(fault.DataLoss, "data files are damaged: %s", strings.Join(names, ", "))
}

// readError is the error of a read: DataLoss with the file's name for a damaged block.
func readError(action string, err error) error {
	if !pebble.IsCorruptionError(err) {
		return fmt.Errorf("pebble %s: %w", action, err)
	}
	name := "of the store"
	if info := pebble.ExtractDataCorruptionInfo(err); info != nil {
		name = filepath.Base(info.Path)
	}
	return fault.Wrap(err, fault.DataLoss, "The data file %s is damaged; the requested data can't be read.", name)
}
