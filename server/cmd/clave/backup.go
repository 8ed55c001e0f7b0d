package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"clave/server/app"
	"clave/server/config"
	"clave/server/fault"
)

// copyFolder parses the command line of a command on a data folder and another folder, and returns the other.
func copyFolder(mode config.Mode, args []string, s streams) (*config.Config, string, error) {
	words, flags := beforeFlags(args)
	c, err := config.Parse(mode, flags, os.Getenv, s.err)
	if err != nil {
		return nil, "", err
	}
	words = append(words, c.Command...)
	if len(words) == 0 && c.UsersFile != "" {
		return c, "", nil // accounts alone
	}
	if len(words) != 1 {
		return nil, "", fault.E(fault.InvalidArgument, "clave %s: name the folder, and nothing else; see clave %s --help", mode, mode)
	}
	dir, err := filepath.Abs(words[0])
	return c, dir, err
}

// backup carries out `clave backup`.
func backup(ctx context.Context, args []string, s streams) error {
	c, dir, err := copyFolder(config.ModeBackup, args, s)
	if err != nil {
		return err
	}
	if err := app.Backup(ctx, c, app.Options{Log: logger(c, s.err)}, dir); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s is a copy of %s, with its signing keys: keep it secret, and on another disk.\n", dir, c.DataDir)
	return nil
}

// restore carries out `clave restore`.
func restore(ctx context.Context, args []string, s streams) error {
	c, dir, err := copyFolder(config.ModeRestore, args, s)
	if err != nil {
		return err
	}
	if err := app.Restore(ctx, c, app.Options{Log: logger(c, s.err)}, dir); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s is as it was when %s was made.\n", c.DataDir, dir)
	return nil
}

// export carries out `clave export`.
func export(ctx context.Context, args []string, s streams) error {
	c, dir, err := copyFolder(config.ModeExport, args, s)
	if err != nil {
		return err
	}
	return app.Export(ctx, c, app.Options{Log: logger(c, s.err), Notices: s.out}, dir)
}

// importData carries out `clave import`.
func importData(ctx context.Context, args []string, s streams) error {
	c, dir, err := copyFolder(config.ModeImport, args, s)
	if err != nil {
		return err
	}
	return app.Import(ctx, c, app.Options{Log: logger(c, s.err), Notices: s.out}, dir)
}
