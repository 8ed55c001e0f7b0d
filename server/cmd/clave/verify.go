package main

import (
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"

	"clave/server/internal/app/commands"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/process"
)

// verifyCommand returns `clave verify`.
func verifyCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "verify FOLDER", Short: "Compare the records of a data folder or a backup with each other", GroupID: groupData,
		Long: "Compares documents with their index entries and the log of commits, and accounts with the names by which they are found. FOLDER is\n" +
			"a data folder, whose server must be stopped, or a backup, which is compared with its list and restored to a temporary folder.\n" +
			"Names each damaged document or account, and exits with 1 if there is one. Nothing is repaired.",
		Args: words(1, 1, "name one data folder or backup"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			r, err := commands.Verify(cmd.Context(), commands.Options{Log: process.Logger(s.err, slog.LevelWarn)}, dir)
			if err != nil {
				return err
			}
			for _, problem := range r.Problems {
				fmt.Fprintln(s.err, problem)
			}
			if r.Found > 0 {
				return fault.E(fault.DataLoss, "%d of the records of %s are damaged; restore a backup", r.Found, dir)
			}
			_, err = fmt.Fprintf(s.out, "%s is complete: %s.\n", dir, r)
			return err
		},
	}
}
