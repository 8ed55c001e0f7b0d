package config

import "github.com/spf13/pflag"

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
	flags.StringVar(&c.Database, "database", "", "`ID` of the database for a managed export (default: (default))")
	flags.StringVar(&m.RulesFile, "rules", "", "`FILE` of the security rules (default: that of firebase.json)")
	flags.StringVar(&m.IndexesFile, "indexes-file", "", "`FILE` of the index definitions, in the form of firestore.indexes.json (default: that of firebase.json)")
	flags.StringVar(&m.Recording, "recording", "", "`FILE` of requests that clave exec --record-requests wrote; the indexes that their queries miss are reported")
	flags.BoolVar(&m.Check, "check", false, "only read the source and report")
	flags.BoolVar(&m.SkipRefused, "skip-refused", false, "if documents or accounts are refused, move the others")
	flags.BoolVar(&m.Progress, "progress", false, "print the progress even if standard error is no terminal")
}
