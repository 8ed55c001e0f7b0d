package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"clave/server/app"
	"clave/server/config"
	"clave/server/fault"
)

// folderCommand returns a command on a data folder and another folder.
func folderCommand(cmd *cobra.Command, mode config.Mode, run func(ctx context.Context, c *config.Config, dir string) error) *cobra.Command {
	cmd.GroupID = groupData
	return configured(cmd, mode, func(ctx context.Context, c *config.Config) error {
		if len(c.Command) == 0 && c.UsersFile != "" {
			return run(ctx, c, "") // accounts alone
		}
		if len(c.Command) != 1 {
			return fault.E(fault.InvalidArgument, "clave %s: name the folder, and nothing else; see clave %s --help", mode, mode)
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
		Use: "backup FOLDER [flags]", Short: "Copy the data folder, also beside a running server",
		Long: "Copies the data folder to FOLDER, which must not exist, as it is at one moment; a running server goes on. The copy is a\n" +
			"data folder itself, with the keys that sign tokens: keep it secret, and on another disk.",
	}, config.ModeBackup, func(ctx context.Context, c *config.Config, dir string) error {
		if err := app.Backup(ctx, c, app.Options{Log: logger(c, s.err)}, dir); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Copied %s to %s, with its signing keys: keep the copy secret, and on another disk.\n", c.DataDir, dir)
		return nil
	})
}

// restoreCommand returns `clave restore`.
func restoreCommand(s streams) *cobra.Command {
	return folderCommand(&cobra.Command{
		Use: "restore FOLDER [flags]", Short: "Make a data folder of a copy",
		Long: "Makes the data folder, which must be empty or absent, from what clave backup wrote to FOLDER. The server must be stopped.",
	}, config.ModeRestore, func(ctx context.Context, c *config.Config, dir string) error {
		if err := app.Restore(ctx, c, app.Options{Log: logger(c, s.err)}, dir); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Restored %s from %s.\n", c.DataDir, dir)
		return nil
	})
}

// exportCommand returns `clave export`.
func exportCommand(s streams) *cobra.Command {
	return folderCommand(&cobra.Command{
		Use: "export FOLDER [flags]", Short: "Write documents and accounts in the format of Firebase's exports",
		Long: "Writes the project's documents and accounts to FOLDER in the format of the Emulator Suite; its part for Firestore is that of\n" +
			"Firestore's managed exports. A running server goes on. FOLDER must be absent, empty or an earlier export, which is replaced.",
	}, config.ModeExport, func(ctx context.Context, c *config.Config, dir string) error {
		return app.Export(ctx, c, app.Options{Log: logger(c, s.err), Notices: s.out}, dir)
	})
}

// importCommand returns `clave import`.
func importCommand(s streams) *cobra.Command {
	return folderCommand(&cobra.Command{
		Use: "import [FOLDER] [--users FILE --hash-config FILE] [flags]", Short: "Read such an export, and accounts of firebase auth:export",
		Long: "Reads the project's documents and accounts from FOLDER: an export of the Emulator Suite, or a managed export of Firestore, fetched\n" +
			"from its bucket. Documents and accounts with the same names are replaced, others stay. The server must be stopped.",
	}, config.ModeImport, func(ctx context.Context, c *config.Config, dir string) error {
		return app.Import(ctx, c, app.Options{Log: logger(c, s.err), Notices: s.out}, dir)
	})
}
