package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"clave/server/internal/app/backups"
	"clave/server/internal/app/commands"
	"clave/server/internal/app/config"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup/series"
)

// backupsCommand returns `clave backups`.
func backupsCommand(s streams) *cobra.Command {
	cmd := group(s, "backups COMMAND", "List, verify, restore and remove the backups that a server makes",
		backupsListCommand(s), backupsVerifyCommand(s), backupsRestoreCommand(s), backupsPruneCommand(s))
	cmd.GroupID = groupData
	return cmd
}

// fromUsage describes --from.
const fromUsage = "`PLACE` of the backups, a folder or s3://BUCKET/PREFIX, which clave serve has as --backup-to"

// onSeries adds --from to a command on the backups in a place, and runs the command with them and its words.
func onSeries(cmd *cobra.Command, run func(ctx context.Context, at *series.Series, words []string) error) *cobra.Command {
	var place config.BackupPlace
	place.Declare(cmd.Flags(), "from", fromUsage)
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		at, err := seriesAt(cmd, &place)
		if err != nil {
			return err
		}
		return run(cmd.Context(), at, words)
	}
	return cmd
}

// seriesAt returns the backups in the place that --from names.
func seriesAt(cmd *cobra.Command, place *config.BackupPlace) (*series.Series, error) {
	if place.At == "" {
		return nil, usageError("%s: name the place of the backups with --from", cmd.CommandPath())
	}
	if err := place.Check("from"); err != nil {
		return nil, err
	}
	place.FromEnvironment(os.Getenv)
	return backups.Open(place, clock.System())
}

// backupsListCommand returns `clave backups list`.
func backupsListCommand(s streams) *cobra.Command {
	return onSeries(&cobra.Command{
		Use: "list --from PLACE", Short: "List backups, the newest last",
		Long: "Lists the complete backups in PLACE with their sizes, the newest last. Unfinished backups are not listed. No key is needed.",
		Args: words(0, 0, "takes no arguments, only --from"),
	}, func(ctx context.Context, at *series.Series, _ []string) error {
		all, err := at.List(ctx)
		if err != nil {
			return err
		}
		proof, err := at.LastProof(ctx)
		if err != nil {
			return err
		}
		if err := printBackups(s.out, all, proof); err != nil {
			return err
		}
		reaches, err := at.Reaches(ctx, all)
		if err != nil || len(reaches) == 0 {
			return err
		}
		fmt.Fprint(s.out, "Their log, for clave backups restore --at:\n")
		for _, r := range reaches {
			fmt.Fprintf(s.out, "each second from %s up to %s\n", r.From.Add(time.Second-1).Truncate(time.Second).Format(time.RFC3339), r.Until.Format(time.RFC3339))
		}
		return nil
	})
}

// printBackups prints backups, and which one was restored for proof.
func printBackups(w io.Writer, all []series.Backup, proof series.Proof) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "BACKUP\tBYTES\tSTATE\n")
	for _, b := range all {
		state := "complete"
		if b.Encrypted {
			state = "complete, encrypted"
		}
		switch {
		case b.Damage != "":
			state = b.Damage
		case b.Name == proof.Backup:
			state += "; a trial restore succeeded at " + proof.Time.UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(table, "%s\t%d\t%s\n", b.Name, b.Bytes, state)
	}
	return table.Flush()
}

// backupsVerifyCommand returns `clave backups verify`.
func backupsVerifyCommand(s streams) *cobra.Command {
	return onSeries(&cobra.Command{
		Use: "verify [BACKUP…] --from PLACE", Short: "Compare the content of backups with their lists",
		Long: "Reads everything of the named backups, or of all backups in PLACE, and compares it with the backups' lists of checksums. It names\n" +
			"each damaged backup with the object, and exits with 1 if there is one. No key is needed.",
	}, func(ctx context.Context, at *series.Series, names []string) error {
		all, err := chosen(ctx, at, names)
		if err != nil {
			return err
		}
		var damaged []error
		for i, b := range all {
			err := at.Check(ctx, b)
			until := time.Time{}
			if err == nil {
				until, err = at.CheckLog(ctx, b, after(all, i))
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				damaged = append(damaged, err)
				fmt.Fprintf(s.err, "%s\n", message(err))
				continue
			}
			fmt.Fprintf(s.out, "%s is complete: %d bytes%s.\n", b.Name, b.Bytes, logged(b, until))
		}
		if len(damaged) > 0 {
			return fault.Wrap(errors.Join(damaged...), fault.DataLoss, "%d of %d backups can't be restored", len(damaged), len(all))
		}
		return nil
	})
}

// after returns the place in the log of the backup after the one with an index; zero if it is the last one.
func after(all []series.Backup, i int) series.Place {
	if i+1 < len(all) {
		return all[i+1].Log
	}
	return series.Place{}
}

// logged says up to which second the log of a backup reaches; empty if no log continues it.
func logged(b series.Backup, until time.Time) string {
	if b.Log == (series.Place{}) || until.Before(b.Log.Time()) {
		return ""
	}
	return ", and its log is complete up to " + until.Format(time.RFC3339)
}

// chosen returns the backups with names, or all without names.
func chosen(ctx context.Context, at *series.Series, names []string) ([]series.Backup, error) {
	if len(names) == 0 {
		all, err := at.List(ctx)
		if err == nil && len(all) == 0 {
			err = fault.E(fault.NotFound, "%s has no backup", at)
		}
		return all, err
	}
	var all []series.Backup
	for _, name := range names {
		b, err := at.Find(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

// backupsRestoreCommand returns `clave backups restore`.
func backupsRestoreCommand(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "restore [BACKUP] [--at TIME] --from PLACE [flags]", Short: "Restore a data folder from a backup, or as of a time",
		Long: "Restores the data folder, which must be empty or absent, from BACKUP, or from the newest backup in PLACE. The server must be\n" +
			"stopped. With --at, it restores the state at that time, from BACKUP, or the newest backup before it, and the log that the server\n" +
			"has shipped since. An encrypted backup needs a secret key in --backup-key-file.",
		Args: words(0, 1, "name one backup, or none for the newest one"),
	}
	var place config.BackupPlace
	place.Declare(cmd.Flags(), "from", fromUsage)
	configured(cmd, config.ModeRestore, func(ctx context.Context, c *config.Config) error {
		at, err := seriesAt(cmd, &place)
		if err != nil {
			return err
		}
		if c.History.To != "" {
			return usageError("clave backups restore: --to is for clave restore --at; name the folder with --data")
		}
		if !c.History.At.IsZero() {
			b, r, err := commands.RestoreAt(ctx, c, commands.Options{Log: logger(c, s.err)}, at, append(c.Command, "")[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(s.out, "Restored %s as of %s from %s and the log since: %s.\n", c.DataDir, c.History.At.UTC().Format(time.RFC3339Nano), at.Path(b), r)
			return nil
		}
		b, err := at.Find(ctx, append(c.Command, "")[0])
		if err != nil {
			return err
		}
		if err := commands.RestoreFrom(ctx, c, commands.Options{Log: logger(c, s.err)}, at, b); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Restored %s from %s.\n", c.DataDir, at.Path(b))
		return nil
	})
	cmd.Flags().Lookup("at").Usage = "`TIME` whose state is restored, such as 2026-11-21T14:05:00Z (default: that of the backup)"
	for _, name := range []string{"to", "database"} { // They are for copies of databases.
		cmd.Flags().Lookup(name).Hidden = true
	}
	return cmd
}

// backupsPruneCommand returns `clave backups prune`.
func backupsPruneCommand(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "prune --from PLACE --keep PERIODS", Short: "Remove old backups",
		Long: "Removes backups from PLACE. It keeps the newest one, all of the last 24 hours, and the newest one of each period that --keep\n" +
			"names, as clave serve does after each backup.",
		Args: words(0, 0, "takes no arguments, only --from and --keep"),
	}
	keep := cmd.Flags().String("keep", "", "`PERIODS` of which the newest backup is kept: days, weeks and months, such as 7d,4w,12m")
	return onSeries(cmd, func(ctx context.Context, at *series.Series, _ []string) error {
		k, err := series.ParseKeep(*keep)
		if err != nil {
			return usageError("clave backups prune: --keep %s", fault.Reason(err))
		}
		lock, err := at.Lock(ctx)
		if err != nil {
			return err
		}
		removed, err := at.Prune(ctx, lock, k, clock.System().Now())
		for _, name := range removed {
			fmt.Fprintf(s.out, "Removed %s.\n", name)
		}
		if err == nil && len(removed) == 0 {
			fmt.Fprintln(s.out, "Nothing to remove.")
		}
		return errors.Join(err, lock.Close())
	})
}
