package config

import (
	"time"

	"github.com/spf13/pflag"

	"clave/server/internal/base/fault"
)

// Migration is what a migration from or to Firebase is asked for.
type Migration struct {
	// RulesFile and IndexesFile are the files of the project in Firebase; empty for those that firebase.json names.
	RulesFile, IndexesFile string
	// Recording is a file of recorded requests whose queries are checked against the indexes; empty for none.
	Recording string
	// JSON prints the report as JSON, and Progress prints the progress also where standard error is no terminal.
	JSON, Progress bool
	// Check only reads the source.
	Check bool
	// SkipRefused moves the rest if documents or accounts are refused.
	SkipRefused bool
	// Endpoints are the URLs of a live project's APIs, as API=URL; empty for those of Google.
	Endpoints []string
	// ReadTime is the time of which the documents of a live project are read; zero for the present.
	ReadTime time.Time
	readTime string
}

// Live reports whether ModeFromFirebase reads a live project.
func (c *Config) Live() bool {
	return c.Mode == ModeFromFirebase && (c.Key != "" || len(c.Migration.Endpoints) > 0)
}

// checkMigration returns an error for the wrong settings of a live project.
func (c *Config) checkMigration() (err error) {
	m := &c.Migration
	if m.readTime == "" {
		return nil
	}
	if !c.Live() {
		return fault.E(fault.InvalidArgument, "--read-time is for a live project, with --key")
	}
	if m.ReadTime, err = time.Parse(time.RFC3339Nano, m.readTime); err != nil {
		return fault.E(fault.InvalidArgument, "--read-time %s: expected a time as in 2026-11-21T14:05:00Z", m.readTime)
	}
	m.ReadTime = m.ReadTime.UTC()
	return nil
}

// declareMigration declares the flags of migrations.
func (c *Config) declareMigration(flags *pflag.FlagSet) {
	m := &c.Migration
	if c.Mode != ModeFromFirebase && c.Mode != ModeToFirebase {
		return
	}
	flags.BoolVar(&m.JSON, "json", false, "print the report as JSON")
	if c.Mode == ModeToFirebase {
		return
	}
	flags.StringVar(&c.Key, "key", "", "`FILE` of the key of a service account of a live project of Firebase, which is read in place of an export")
	flags.StringArrayVar(&m.Endpoints, "endpoint", nil, "`API=URL` of an API of the live project in place of Google's: firestore, firestore-admin, identity or rules; repeatable; the APIs that are not named then are not called")
	flags.StringVar(&m.readTime, "read-time", "", "`TIME` of which the documents of the live project are read, as in 2026-11-21T14:05:00Z (default: the present)")
	flags.StringVar(&c.Database, "database", "", "`ID` of the database for a managed export (default: (default)), or the only one of a live project (default: all)")
	flags.StringVar(&m.RulesFile, "rules", "", "`FILE` of the security rules (default: that of firebase.json)")
	flags.StringVar(&m.IndexesFile, "indexes-file", "", "`FILE` of the index definitions, in the form of firestore.indexes.json (default: that of firebase.json)")
	flags.StringVar(&m.Recording, "recording", "", "`FILE` of requests that clave exec --record-requests wrote; the indexes that their queries miss are reported")
	flags.BoolVar(&m.Check, "check", false, "only read the source and report")
	flags.BoolVar(&m.SkipRefused, "skip-refused", false, "if documents or accounts are refused, move the others")
	flags.BoolVar(&m.Progress, "progress", false, "print the progress even if standard error is no terminal")
}
