package pebblestore

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"syscall"
)

// logger gives Pebble's lines to slog: what it tells of its daily work at debug level.
type logger struct{ log *slog.Logger }

// Infof implements pebble.Logger.
func (l logger) Infof(format string, args ...any) { l.log.Debug(fmt.Sprintf(format, args...)) }

// Errorf implements pebble.Logger.
func (l logger) Errorf(format string, args ...any) { l.log.Error(fmt.Sprintf(format, args...)) }

// fatal is what Pebble panics with when it can't go on.
type fatal struct{ cause error }

// Fatalf implements pebble.Logger. Pebble calls it when the log can't be written: going on would acknowledge commits that are not
// on disk. A call that applies a batch hears of it (see Store.commit); in Pebble's own goroutines it ends the program.
func (l logger) Fatalf(format string, args ...any) {
	l.log.Error(fmt.Sprintf(format, args...))
	for _, arg := range args {
		if err, ok := arg.(error); ok {
			panic(fatal{err})
		}
	}
	panic(fatal{fmt.Errorf(format, args...)})
}

// isLocked reports whether a directory could not be opened because another store holds its lock.
func isLocked(err error) bool {
	return errors.Is(err, syscall.EAGAIN) || strings.Contains(err.Error(), "lock held by current process")
}
