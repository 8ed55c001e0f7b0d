package main

import (
	"fmt"
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
	cmd := &cobra.Command{
		Use: "verify FOLDER | [BACKUP] --from PLACE", Short: "Compare the records of a data folder or a backup with each other", GroupID: groupData,
		Long: "Compares documents with their index entries and the log of commits, and accounts with the names by which they are found. FOLDER is\n" +
			"a data folder, whose server must be stopped, or a copy by clave backup. With --from, BACKUP is one of those that clave serve has\n" +
			"made in PLACE, or the newest one. Copies and backups are compared with their lists and restored to a temporary folder.\n" +
			"Names each damaged document or account, and exits with 1 if there is one. Nothing is repaired.",
		Args: words(0, 1, "name one data folder or backup"),
	}
	place.Declare(cmd.Flags(), "from", fromUsage)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o := commands.Options{Log: process.Logger(s.err, slog.LevelWarn)}
		name, r, err := verified(cmd, o, &place, args)
		if err != nil {
			return err
		}
		for _, problem := range r.Problems {
			fmt.Fprintln(s.err, problem)
		}
		if r.Found > 0 {
			return fault.E(fault.DataLoss, "%d of the records of %s are damaged; restore a backup", r.Found, name)
		}
		_, err = fmt.Fprintf(s.out, "%s is complete: %s.\n", name, r)
		return err
	}
	return cmd
}

// verified verifies what a command line names, and returns its name.
func verified(cmd *cobra.Command, o commands.Options, place *config.BackupPlace, args []string) (name string, r *verify.Report, err error) {
	if place.At == "" {
		if len(args) == 0 {
			return "", nil, usageError("clave verify: name a data folder, or the place of backups with --from")
		}
		if name, err = filepath.Abs(args[0]); err == nil {
			r, err = commands.Verify(cmd.Context(), o, name)
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
	r, err = commands.VerifyBackup(cmd.Context(), o, at, b)
	return at.Path(b), r, err
}
