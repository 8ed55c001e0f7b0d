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
	// At is the time of a version that ModeHistory restores, or as of which ModeClone and ModeRestore copy a database;
	// zero if it is not given. To is the id of the copy.
	At time.Time
	To string
	// at is the value of its flag.
	at string
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

// declarePast declares the flags of the commands on the past.
func (c *Config) declarePast(flags *pflag.FlagSet) {
	h := &c.History
	switch c.Mode {
	case ModeHistory:
		flags.StringVar(&h.at, "restore", "", "`TIME` of the version that is restored, such as 2026-11-21T14:05:00Z; the document is written, or deleted if it was absent")
	case ModeClone, ModeRestore:
		flags.StringVar(&h.at, "at", "", "`TIME` as of which a database is copied to a new one, such as 2026-11-21T14:05:00Z (clone: default now)")
		flags.StringVar(&h.To, "to", "", "`ID` of the new database (restore: default restored- and the time)")
	default:
		return
	}
	flags.StringVar(&c.Database, "database", "(default)", "`ID` of the database")
}

// checkPast parses the flags of the commands on the past.
func (c *Config) checkPast() error {
	h := &c.History
	if h.at == "" {
		if c.Mode == ModeRestore && (h.To != "" || c.given["database"]) {
			return fault.E(fault.InvalidArgument, "clave restore: --to and --database need --at, the time as of which a database is copied")
		}
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, h.at)
	if err != nil {
		return fault.E(fault.InvalidArgument, "%q is not a time: expected one such as 2026-11-21T14:05:00Z", h.at)
	}
	h.At = at
	return nil
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
