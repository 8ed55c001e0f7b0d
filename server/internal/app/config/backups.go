package config

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup/series"
)

// Backups is the configuration of the backups that ModeServe makes.
type Backups struct {
	// To is the folder of the backups; empty for none.
	To string
	// Every is the time between two backups, and Verify that between two trial restores of the newest one; zero for
	// none.
	Every, Verify time.Duration
	// Keep says which backups are kept.
	Keep series.Keep
	// every, verify and keep are the values of the flags.
	every, verify, keep string
}

// declareBackups declares the flags of backups.
func (c *Config) declareBackups(flags *pflag.FlagSet) {
	b := &c.Backups
	flags.StringVar(&b.To, "backup-to", "", "`FOLDER` in which the server makes backups, on another disk (default: none)")
	flags.StringVar(&b.every, "backup-every", "6h", "`TIME` between two backups, such as 6h or 1d")
	flags.StringVar(&b.keep, "backup-keep", "7d,4w,12m", "`PERIODS` of which the newest backup is kept, beside all of the last 24 hours: days, weeks and months")
	flags.StringVar(&b.verify, "backup-verify", "1d", "`TIME` between two trial restores of the newest backup, which need space for the data in --backup-to; 0 for none")
}

// checkBackups parses the settings of backups.
func (c *Config) checkBackups() (err error) {
	b := &c.Backups
	for name := range map[string]bool{"backup-every": true, "backup-keep": true, "backup-verify": true} {
		if b.To == "" && c.given[name] {
			return fault.E(fault.InvalidArgument, "--%s needs --backup-to, the folder of the backups", name)
		}
	}
	switch {
	case b.To == "":
		return nil
	case strings.Contains(b.To, "://"):
		return fault.E(fault.Unimplemented, "--backup-to %s: backups are written to folders only; name one on another disk", b.To)
	case c.Memory:
		return fault.E(fault.InvalidArgument, "--backup-to and --memory exclude each other")
	}
	if b.Every, err = parseInterval("backup-every", b.every); err != nil {
		return err
	}
	if b.Every == 0 {
		return fault.E(fault.InvalidArgument, "--backup-every 0: omit --backup-to for no backups")
	}
	if b.Verify, err = parseInterval("backup-verify", b.verify); err != nil {
		return err
	}
	if b.Keep, err = series.ParseKeep(b.keep); err != nil {
		return fault.Wrap(err, fault.InvalidArgument, "--backup-keep %s", fault.Reason(err))
	}
	return nil
}

// parseInterval parses a flag's time of at least a second, such as 6h or 1d, or 0.
func parseInterval(flag, text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 366 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && (d == 0 || d >= time.Second) {
		return d, nil
	}
	return 0, fault.E(fault.InvalidArgument, "--%s %s: expected a time of at least a second, such as 6h or 1d", flag, text)
}
