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

// Fatalf implements pebble.Logger. Pebble calls it when the log can't be written: going on would acknowledge
// commits that are not on disk.
func (l logger) Fatalf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	l.log.Error(text)
	panic("pebble: " + text)
}

// isLocked reports whether a directory could not be opened because another store holds its lock.
func isLocked(err error) bool {
	return errors.Is(err, syscall.EAGAIN) || strings.Contains(err.Error(), "lock held by current process")
}
