package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"clave/server/internal/app/commands"
	"clave/server/internal/app/config"
)

// folderCommand returns a command on a data folder and another folder.
func folderCommand(cmd *cobra.Command, mode config.Mode, run func(ctx context.Context, c *config.Config, dir string) error) *cobra.Command {
	cmd.GroupID = groupData
	return configured(cmd, mode, func(ctx context.Context, c *config.Config) error {
		if len(c.Command) == 0 && c.UsersFile != "" {
			return run(ctx, c, "") // accounts alone
		}
		if mode == config.ModeRestore && !c.History.At.IsZero() && len(c.Command) == 0 {
			return run(ctx, c, "")
		}
		if len(c.Command) != 1 || !c.History.At.IsZero() {
			return usageError("clave %s: name the folder, and nothing else; see clave %s --help", mode, mode)
		}
		dir, err := filepath.Abs(c.Command[0])
		if err != nil {
			return err
		}
		return run(ctx, c, dir)
	})
}

// backupCommand returns `clave backup`.
func backupCommand(s streams) *cobra.Command {
	return folderCommand(&cobra.Command{
		Use: "backup FOLDER [flags]", Short: "Copy the data folder, even while the server is running",
		Long: "Copies the data folder, as of one moment, to FOLDER, which must not exist. The server may be running. The copy is itself a data\n" +
			"folder and contains the keys that sign tokens. Keep it secret, and store it on another disk.",
	}, config.ModeBackup, func(ctx context.Context, c *config.Config, dir string) error {
		if err := commands.Backup(ctx, c, commands.Options{Log: logger(c, s.err)}, dir); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Copied %s to %s, including its signing keys. Keep the copy secret, and store it on another disk.\n", c.DataDir, dir)
		return nil
	})
}

// restoreCommand returns `clave restore`.
func restoreCommand(s streams) *cobra.Command {
	return folderCommand(&cobra.Command{
		Use: "restore FOLDER [flags]\nrestore --at TIME [--to ID] [flags]", Short: "Restore a data folder from a backup, or a database as of a time",
		Long: "Restores the data folder, which must be empty or absent, from FOLDER, which clave backup wrote. The server must be stopped.\n" +
			"With --at, the running server copies a database as it was at that time to a new one, as clave clone does.",
	}, config.ModeRestore, func(ctx context.Context, c *config.Config, dir string) error {
		if dir == "" {
			if c.History.To == "" {
				c.History.To = "restored-" + c.History.At.UTC().Format("20060102-150405")
			}
			return clone(ctx, c, s)
		}
		if err := commands.Restore(ctx, c, commands.Options{Log: logger(c, s.err)}, dir); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Restored %s from %s.\n", c.DataDir, dir)
		return nil
	})
}

// exportCommand returns `clave export`.
func exportCommand(s streams) *cobra.Command {
	return folderCommand(&cobra.Command{
		Use: "export FOLDER [flags]", Short: "Export documents and accounts in Firebase's format",
		Long: "Writes the project's documents and accounts to FOLDER in the format of the Emulator Suite, with documents in the format of\n" +
			"Firestore's managed exports. The server may be running. FOLDER must be absent, empty or an earlier export, whose\n" +
			"documents and accounts are replaced; other files in it stay.",
	}, config.ModeExport, func(ctx context.Context, c *config.Config, dir string) error {
		return commands.Export(ctx, c, commands.Options{Log: logger(c, s.err), Notices: s.out}, dir)
	})
}

// importCommand returns `clave import`.
func importCommand(s streams) *cobra.Command {
	return folderCommand(&cobra.Command{
		Use: "import [FOLDER] [--users FILE --hash-config FILE] [flags]", Short: "Import an export, or accounts from firebase auth:export",
		Long: "Reads the project's documents and accounts from FOLDER, which is an Emulator Suite export or a managed Firestore export that was\n" +
			"downloaded from its bucket. Documents and accounts with the same names are replaced; others remain. The server must be stopped.",
	}, config.ModeImport, func(ctx context.Context, c *config.Config, dir string) error {
		return commands.Import(ctx, c, commands.Options{Log: logger(c, s.err), Notices: s.out}, dir)
	})
}
