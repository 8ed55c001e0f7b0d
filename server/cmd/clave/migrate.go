package main

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"clave/server/internal/app/commands"
	"clave/server/internal/app/config"
	"clave/server/internal/suite/migrate"
)

// migrateCommand returns `clave migrate` with its subcommands.
func migrateCommand(s streams) *cobra.Command {
	cmd := group(s, "migrate COMMAND", "Move a project from Firebase, or back", fromFirebaseCommand(s), toFirebaseCommand(s))
	cmd.GroupID = groupData
	cmd.Long = "Moves a project from Firebase to a data folder or PostgreSQL, or back, and compares counts and checksums of both sides."
	return cmd
}

// fromFirebaseCommand returns `clave migrate from-firebase`.
func fromFirebaseCommand(s streams) *cobra.Command {
	cmd := configured(&cobra.Command{
		Use: "from-firebase [FOLDER] [--users FILE --hash-config FILE | --key FILE] [flags]", Short: "Fill a data folder or PostgreSQL from Firebase",
		Long: "Moves a project from FOLDER, a managed export of Firestore that was downloaded from its bucket or an export of the Emulator Suite,\n" +
			"and from a file of accounts that firebase auth:export wrote, to a data folder or a store on PostgreSQL that has no data of\n" +
			"the project. The server must be stopped. The source is read completely before anything is written; what Clave would refuse is\n" +
			"listed. Then the data are written, read back and compared by collection. After a migration that was killed no server starts; the\n" +
			"same command continues it, and after the end it says that it is finished. --rules and --indexes-file are copied to where\n" +
			"clave serve reads them. The report says what is not moved. It exits with 1 unless both sides are the same.\n\n" +
			"With --key, the key of a service account, the live project is read: all documents of all databases as they were at one time,\n" +
			"accounts with their password hashes, rules and indexes. They are downloaded to FOLDER first, or into the data folder, where the\n" +
			"download is removed at the end; each document is read once. After a failure or a kill the same command continues.",
		Example: "  clave migrate from-firebase 2026-11-01T10:00:00_123/ --users users.json --hash-config hash.txt \\\n" +
			"    --rules firestore.rules --indexes-file firestore.indexes.json --project fundacion --data /var/lib/clave\n" +
			"  clave migrate from-firebase --key service-account.json --project fundacion --data /var/lib/clave",
	}, config.ModeFromFirebase, func(ctx context.Context, c *config.Config) error {
		dir, err := sourceFolder(c)
		if err != nil {
			return err
		}
		r, err := commands.FromFirebase(ctx, c, commands.Options{Log: logger(c, s.err), Notices: s.err}, dir, commands.MigrationProgress{
			Downloaded: newProgress(s.err, c.Migration.Progress, "documents downloaded"), Written: newProgress(s.err, c.Migration.Progress, "documents"),
		})
		return errors.Join(err, printReport(s, r, c.Migration.JSON))
	})
	return cmd
}

// toFirebaseCommand returns `clave migrate to-firebase`.
func toFirebaseCommand(s streams) *cobra.Command {
	return configured(&cobra.Command{
		Use: "to-firebase FOLDER [flags]", Short: "Write what Firebase imports",
		Long: "Writes the project to FOLDER: documents as managed exports for gcloud firestore import, accounts as files for firebase auth:import,\n" +
			"one for each kind of password hashes, and import.sh, which loads both into a project of Firebase. The server may be running.\n" +
			"The documents are read back and compared by collection. FOLDER must be absent, empty or an earlier export. Keep it secret.",
		Example: "  clave migrate to-firebase back --project fundacion --data /var/lib/clave && sh back/import.sh fundacion BUCKET",
	}, config.ModeToFirebase, func(ctx context.Context, c *config.Config) error {
		if len(c.Command) != 1 {
			return usageError("clave %s: name the folder, and nothing else; see clave %s --help", c.Mode, c.Mode)
		}
		dir, err := filepath.Abs(c.Command[0])
		if err != nil {
			return err
		}
		r, err := commands.ToFirebase(ctx, c, commands.Options{Log: logger(c, s.err), Notices: s.err}, dir)
		return errors.Join(err, printReport(s, r, c.Migration.JSON))
	})
}

// sourceFolder returns the absolute path of the folder that a command line names; empty for accounts alone, and for a
// live project.
func sourceFolder(c *config.Config) (string, error) {
	if len(c.Command) == 1 {
		return filepath.Abs(c.Command[0])
	}
	if len(c.Command) > 1 || c.UsersFile == "" && !c.Live() {
		return "", usageError("clave %s: name the folder of an export, --users or --key, and nothing else; see clave %s --help", c.Mode, c.Mode)
	}
	return "", nil
}

// printReport prints the report of a migration, if there is one.
func printReport(s streams, r *migrate.Report, asJSON bool) error {
	if r == nil {
		return nil
	}
	if asJSON {
		out := json.NewEncoder(s.out)
		out.SetIndent("", "  ")
		return out.Encode(r)
	}
	return r.Print(s.out)
}
