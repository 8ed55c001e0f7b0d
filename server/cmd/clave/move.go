package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"clave/server/internal/app/commands"
	"clave/server/internal/base/process"
	"clave/server/internal/base/terminal"
	"clave/server/internal/database/inventory"
	"clave/server/internal/database/move"
)

// moveCommand returns `clave move`.
func moveCommand(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "move --from FOLDER|URL --to URL|FOLDER", Short: "Copy all data between a data folder and PostgreSQL", GroupID: groupData,
		Long: "Copies documents, accounts, signing keys, the log of commits and everything else from a data folder to an empty PostgreSQL, or\n" +
			"back to an empty folder, and compares counts and checksums of both sides. All servers on both must be stopped. The source\n" +
			"is not changed. After an interrupted move, no server starts on the target: run the move again. Rules and indexes are not moved,\n" +
			"because they are files in both cases.",
		Example: "  clave move --from /var/lib/clave --to 'postgres://clave@db.example.org/clave?sslmode=verify-full'\n" +
			"  clave move --from postgres://clave@db.example.org/clave --to /var/lib/clave",
		Args: words(0, 0, "takes no arguments, only --from and --to"),
	}
	from := cmd.Flags().String("from", "", "`SOURCE` of the data: a folder, or a URL of PostgreSQL, whose password may be in PGPASSWORD or .pgpass")
	to := cmd.Flags().String("to", "", "`TARGET` of the data: a URL of PostgreSQL with an empty database, or an empty or absent folder")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *from == "" || *to == "" {
			return usageError("clave move: name the source with --from and the target with --to")
		}
		return moveData(cmd.Context(), *from, *to, s)
	}
	return cmd
}

// moveData moves data and prints what was counted on both sides.
func moveData(ctx context.Context, from, to string, s streams) error {
	m, err := commands.MoveData(ctx, from, to, commands.Options{Log: process.Logger(s.err, slog.LevelWarn), Notices: s.err})
	if m != nil {
		err = errors.Join(err, printCounts(s.out, m))
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, "\nMoved. Both sides are the same. The source is unchanged.")
	return err
}

// printCounts prints the counts of both sides.
func printCounts(w io.Writer, m *move.Report) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "KIND\tFROM\tBYTES\tSHA-256\tTO\tBYTES\tSHA-256\n")
	read := make(map[string]inventory.Count)
	for _, c := range m.To {
		read[c.Kind] = c
	}
	for _, c := range m.From {
		t := read[c.Kind]
		delete(read, c.Kind)
		fmt.Fprintf(table, "%s\t%d\t%d\t%.12s\t%d\t%d\t%.12s\n", terminal.Text(c.Kind), c.Keys, c.Bytes, c.Sum, t.Keys, t.Bytes, t.Sum)
	}
	for _, t := range read {
		fmt.Fprintf(table, "%s\t0\t0\t\t%d\t%d\t%.12s\n", terminal.Text(t.Kind), t.Keys, t.Bytes, t.Sum)
	}
	return table.Flush()
}
