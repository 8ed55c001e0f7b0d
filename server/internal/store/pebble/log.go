package pebble

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"syscall"
)

// logger passes Pebble's log to slog: information at debug level, errors as errors.
type logger struct{ log *slog.Logger }

// Infof implements pebble.Logger.
func (l logger) Infof(format string, args ...any) { l.log.Debug(fmt.Sprintf(format, args...)) }

// Errorf implements pebble.Logger.
func (l logger) Errorf(format string, args ...any) { l.log.Error(fmt.Sprintf(format, args...)) }

// fatal is the value of the panic with which Pebble's fatal errors are reported.
type fatal struct{ cause error }

// Fatalf implements pebble.Logger. Pebble calls it when the log can't be written, since continuing would acknowledge
// commits that are not on disk. Store.survive recovers the panic in calls that apply a batch. In Pebble's own
// goroutines it ends the program.
func (l logger) Fatalf(format string, args ...any) {
	l.log.Error(fmt.Sprintf(format, args...))
	for _, arg := range args {
		if err, ok := arg.(error); ok {
			panic(fatal{err})
		}
	}
	panic(fatal{fmt.Errorf(format, args...)})
}

// isLocked reports whether Pebble could not lock a directory because another store holds the lock. A store of another
// process causes EAGAIN, and one of this process an error without a type. Other failures have a path or another number.
func isLocked(err error) bool {
	var path *fs.PathError
	var number syscall.Errno
	switch {
	case errors.As(err, &path):
		return false
	case errors.As(err, &number):
		return number == syscall.EAGAIN
	}
	return true
}
