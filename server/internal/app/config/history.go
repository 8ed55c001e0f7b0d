package config

import (
	"time"

	"github.com/spf13/pflag"

	"clave/server/internal/base/fault"
	"clave/server/internal/limit/heap"
)

// History is the configuration of the past that ModeServe keeps.
type History struct {
	// Window is the age up to which documents can be read and restored, at least an hour, and Bytes the maximum size of
	// the commits that are older than an hour.
	Window time.Duration
	Bytes  int64
	// window and bytes are the values of the flags.
	window, bytes string
}

// longestHistory is the maximum of --history. Firestore keeps a week.
const longestHistory = 366 * 24 * time.Hour

// declareHistory declares the flags of the history.
func (c *Config) declareHistory(flags *pflag.FlagSet) {
	flags.StringVar(&c.History.window, "history", "1h", "`TIME` for which each version of each document is kept, such as 7d")
	flags.StringVar(&c.History.bytes, "history-bytes", "10GiB", "`SIZE` of the history beyond the last hour; if it is reached, the time becomes shorter, and no write is refused")
}

// checkHistory parses the settings of the history.
func (c *Config) checkHistory() (err error) {
	h := &c.History
	if h.Window, err = parseInterval("history", h.window); err != nil {
		return err
	}
	switch {
	case h.Window < time.Hour || h.Window > longestHistory:
		return fault.E(fault.InvalidArgument, "--history %s: expected a time from 1h to 366d", h.window)
	case h.Window == time.Hour && c.given["history-bytes"]:
		return fault.E(fault.InvalidArgument, "--history-bytes needs --history, the time for which versions are kept")
	case h.Window > time.Hour && c.Memory:
		return fault.E(fault.InvalidArgument, "--history and --memory exclude each other")
	}
	if h.Bytes, err = heap.Parse(h.bytes); err != nil {
		return fault.Wrap(err, fault.InvalidArgument, "--history-bytes: %v", err)
	}
	return nil
}
