package main

import (
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"

	"clave/server/internal/app/commands"
	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/process"
	"clave/server/internal/database/verify"
)

// verifyCommand returns `clave verify`.
func verifyCommand(s streams) *cobra.Command {
	var place config.BackupPlace
	var of verification
	cmd := &cobra.Command{
		Use: "verify FOLDER | [BACKUP] --from PLACE | --store URL", Short: "Compare the records of a data folder or a backup with each other", GroupID: groupData,
		Long: "Compares documents with their index entries and the log of commits, and accounts with the names by which they are found. FOLDER is\n" +
			"a data folder, whose server must be stopped, or a copy by clave backup. With --from, BACKUP is one of those that clave serve has\n" +
			"made in PLACE, or the newest one. Copies and backups are compared with their lists and restored to a temporary folder.\n" +
			"With --store, the store on PostgreSQL is verified, while no node runs. Names each damaged document or account, and exits with 1\n" +
			"if there is one. Nothing is repaired, except that --rebuild-indexes first removes all index entries of a data folder and writes\n" +
			"those of its documents. If that is interrupted, the next server completes it before it serves.",
		Args: words(0, 1, "name one data folder or backup"),
	}
	place.Declare(cmd.Flags(), "from", fromUsage)
	cmd.Flags().StringVar(&of.store, "store", "", "`URL` of a store on PostgreSQL, whose password may be in PGPASSWORD or .pgpass")
	cmd.Flags().BoolVar(&of.rebuild, "rebuild-indexes", false, "first write the index entries of the data folder again")
	cmd.Flags().BoolVar(&of.progress, "progress", false, "print the progress even if standard error is no terminal")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		of.options, of.notices = commands.Options{Log: process.Logger(s.err, slog.LevelWarn), Notices: s.err}, s.err
		name, r, err := of.verified(cmd, &place, args)
		if err != nil {
			return err
		}
		for _, problem := range r.Problems {
			fmt.Fprintln(s.err, problem)
		}
		if r.Found > 0 && r.Entry == r.Found && of.store == "" && place.At == "" {
			return fault.E(fault.DataLoss, "%d index entries of %s are damaged; write them again with --rebuild-indexes, or restore a backup", r.Found, name)
		}
		if r.Found > 0 {
			return fault.E(fault.DataLoss, "%d of the records of %s are damaged; restore a backup", r.Found, name)
		}
		_, err = fmt.Fprintf(s.out, "%s is complete: %s.\n", name, r)
		return err
	}
	return cmd
}

// verification is what a command line asks to verify.
type verification struct {
	options commands.Options
	notices io.Writer
	// store is the URL of a store; empty for none.
	store string
	// rebuild writes index entries again, and progress prints the progress also without a terminal.
	rebuild, progress bool
}

// verified verifies what a command line names, and returns its name.
func (of *verification) verified(cmd *cobra.Command, place *config.BackupPlace, args []string) (name string, r *verify.Report, err error) {
	ctx, o, progress := cmd.Context(), of.options, newProgress(of.notices, of.progress, "documents")
	switch {
	case of.store != "" && (place.At != "" || len(args) > 0 || of.rebuild):
		return "", nil, usageError("clave verify: --store goes with no folder, place or --rebuild-indexes. A node whose folder is removed writes its index entries again at its start.")
	case of.store != "":
		r, err = commands.VerifyStore(ctx, o, of.store, progress)
		return "the store", r, err
	case place.At == "" && len(args) == 0:
		return "", nil, usageError("clave verify: name a data folder, or the place of backups with --from")
	case place.At != "" && of.rebuild:
		return "", nil, usageError("clave verify: --rebuild-indexes changes a data folder, not a backup")
	case place.At == "":
		if name, err = filepath.Abs(args[0]); err == nil && of.rebuild {
			err = commands.RebuildIndexes(ctx, o, name, newProgress(of.notices, of.progress, "documents indexed"))
		}
		if err == nil {
			r, err = commands.Verify(ctx, o, name, progress)
		}
		return name, r, err
	}
	at, err := seriesAt(cmd, place)
	if err != nil {
		return "", nil, err
	}
	b, err := at.Find(cmd.Context(), append(args, "")[0])
	if err != nil {
		return "", nil, err
	}
	r, err = commands.VerifyBackup(ctx, o, at, b)
	return at.Path(b), r, err
}
