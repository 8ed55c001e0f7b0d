package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"clave/server/internal/app/config"
	"clave/server/internal/app/status"
	"clave/server/internal/base/terminal"
	"clave/server/internal/store/backup/schedule"
)

// statusCommand returns `clave status`.
func statusCommand(s streams) *cobra.Command {
	return configured(&cobra.Command{
		Use: "status [flags]", Short: "Show the data of a running server: disk, history, backups and their proof", GroupID: groupTools,
		Long: "Shows the state of the server that runs on the data folder: the disk, the history, the newest backup, the backup and the second of\n" +
			"the log that were restored for trial last, the time up to which the log is shipped, and what has failed. Exits with 1 if the\n" +
			"data have a problem, if the last backup or the last trial restore has failed, or if commits are not shipped for a minute.",
		Example: "  clave status --data /var/lib/clave",
		Args:    words(0, 0, "takes no arguments, only flags"),
	}, config.ModeStatus, func(ctx context.Context, c *config.Config) error {
		st, err := status.Request(ctx, c.DataDir)
		if err != nil {
			return err
		}
		if err := printStatus(s.out, c.DataDir, &st); err != nil {
			return err
		}
		if st.Failed() {
			return exit(exitFailure, nil)
		}
		return nil
	})
}

// printStatus prints the state of a server. Reasons of failures may have names that clients have chosen.
func printStatus(w io.Writer, data string, st *status.Status) error {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(table, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	line("Server", "%s, project %s", st.Version, st.Project)
	if st.Problem == "" {
		line("Health", "good")
	} else {
		line("Health", "PROBLEM: %s", terminal.Text(st.Problem))
	}
	if st.Used == 0 && st.Free == 0 {
		line("Data", "in PostgreSQL")
	} else {
		line("Data", "%s with %s; %s are free", data, megabytes(st.Used), megabytes(st.Free))
	}
	h := st.History
	line("History", "since %s of at most %s; %s of at most %s; shortened %d times", second(h.Since), h.Window, megabytes(uint64(max(0, h.Bytes))), megabytes(uint64(max(0, h.MaxBytes))), h.Shrunk)
	if st.Backups == nil {
		line("Backups", "none by the server; clave serve --backup-to makes them")
	} else {
		printScheduled(line, st.Now, st.Backups)
	}
	return table.Flush()
}

// printScheduled prints the state of scheduled backups.
func printScheduled(line func(name, format string, args ...any), now time.Time, b *schedule.Status) {
	if b.Last.IsZero() {
		line("Backups", "none yet in %s", b.Place)
	} else {
		line("Backups", "%d in %s, the newest of %s (%s) with %s", b.Count, b.Place, second(b.Last), ago(now, b.Last), megabytes(uint64(max(0, b.Bytes))))
	}
	switch p := b.Proof; {
	case p.Time.IsZero():
		line("Proved", "nothing was restored for trial yet")
	case p.Second.IsZero():
		line("Proved", "%s at %s (%s)", p.Backup, second(p.Time), ago(now, p.Time))
	default:
		line("Proved", "%s, and the state at %s, at %s (%s)", p.Backup, second(p.Second), second(p.Time), ago(now, p.Time))
	}
	if f := b.Proof.Failed; f != nil {
		of := f.Backup
		if !f.Second.IsZero() {
			of += ", or of the state at " + second(f.Second) + ","
		}
		line("Not proved", "the trial restore of %s FAILED at %s: %s", of, second(f.Time), terminal.Text(f.Reason))
	}
	if log := b.Log; log != nil {
		until := "not shipped since the start"
		if !log.Until.IsZero() {
			until = "complete up to " + second(log.Until)
		}
		line("Log", "%s; %d bytes wait, the oldest for %s; %d gaps since the start", until, log.Waiting, log.Age(now).Round(100*time.Millisecond), log.Gaps)
		if log.Failure != "" {
			line("Log", "waits: %s", terminal.Text(log.Failure))
		}
	}
	if b.Failure != "" {
		line("Failure", "%s", terminal.Text(b.Failure))
	}
	line("Failures", "%d backups and %d trial restores since the start", b.Failures, b.Unproved)
}

// megabytes returns a size in words.
func megabytes(bytes uint64) string { return fmt.Sprintf("%d MB", bytes>>20) }

// second formats a time to its second.
func second(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// ago says how long ago a time was.
func ago(now, t time.Time) string {
	if now.Before(t) {
		return "in the future: the clock was set back"
	}
	return now.Sub(t).Round(time.Second).String() + " ago"
}
