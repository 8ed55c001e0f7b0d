package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"clave/server/internal/app/config"
	"clave/server/internal/app/recovery"
	"clave/server/internal/base/terminal"
)

// historyCommand returns `clave history`.
func historyCommand(s streams) *cobra.Command {
	return configured(&cobra.Command{
		Use: "history [PATH] [--restore TIME] [flags]", Short: "List the versions of a document, and restore one", GroupID: groupData,
		Long: "Lists the versions of the document at PATH that the running server keeps (--history of clave serve), with the fields that each\n" +
			"commit changed. With --restore, the document becomes as it was at TIME: it is written, or deleted if it was absent.\n" +
			"Without PATH, shows how much history there is.",
		Example: "  clave history rooms/lobby --data /var/lib/clave\n  clave history rooms/lobby --restore 2026-11-21T14:05:00Z --data /var/lib/clave",
		Args:    words(0, 1, "name one document, such as rooms/lobby"),
	}, config.ModeHistory, func(ctx context.Context, c *config.Config) error {
		in := recovery.Request{Database: c.Database, At: c.History.At}
		if len(c.Command) > 0 {
			in.Path = c.Command[0]
		} else if !in.At.IsZero() {
			return usageError("clave history: name the document that --restore is about")
		}
		out, err := recovery.Send(ctx, c.DataDir, in)
		if err != nil {
			return err
		}
		since := out.Since.UTC().Format(time.RFC3339Nano)
		switch {
		case in.Path == "":
			fmt.Fprintf(s.out, "%s can be read from %s on. Versions are kept for %s; those older than an hour take %d bytes of at most %d.\n", c.Database, since, out.Window, out.Bytes, out.MaxBytes)
		case !in.At.IsZero() && out.Absent:
			fmt.Fprintf(s.out, "%s was absent at that time, and was deleted.\n", in.Path)
		case !in.At.IsZero():
			fmt.Fprintf(s.out, "%s is as it was at that time.\n", in.Path)
		default:
			printVersions(s.out, out.Versions)
			fmt.Fprintf(s.out, "%d changes of %s since %s.\n", len(out.Versions), in.Path, since)
		}
		return nil
	})
}

// printVersions prints versions with the fields that differ.
func printVersions(w io.Writer, all []recovery.Version) {
	for _, v := range all {
		kind := "updated"
		switch {
		case v.After == nil:
			kind = "deleted"
		case v.Before == nil:
			kind = "created"
		}
		fmt.Fprintf(w, "%s  %s\n", v.Time.UTC().Format(time.RFC3339Nano), kind)
		names := maps.Clone(v.Before)
		if names == nil {
			names = map[string]json.RawMessage{}
		}
		maps.Copy(names, v.After)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			before, after := v.Before[name], v.After[name]
			if bytes.Equal(before, after) {
				continue
			}
			if before != nil {
				fmt.Fprintf(w, "  - %q: %s\n", name, terminal.Text(string(before)))
			}
			if after != nil {
				fmt.Fprintf(w, "  + %q: %s\n", name, terminal.Text(string(after)))
			}
		}
	}
}

// cloneCommand returns `clave clone`.
func cloneCommand(s streams) *cobra.Command {
	return configured(&cobra.Command{
		Use: "clone --to ID [--at TIME] [flags]", Short: "Copy a database as it was at a time to a new one", GroupID: groupData,
		Long: "The running server copies the documents and indexes of a database as they were at TIME, or as they are, to a new database, while\n" +
			"requests go on. Rules and TTL policies are not copied: clients cannot read the new database until firebase.json names it with\n" +
			"rules. A copy that does not end leaves nothing.",
		Example: "  clave clone --at 2026-11-21T14:05:00Z --to before-the-mistake --data /var/lib/clave",
		Args:    words(0, 0, "takes no arguments, only flags"),
	}, config.ModeClone, func(ctx context.Context, c *config.Config) error {
		if c.History.To == "" {
			return usageError("clave clone: name the new database with --to")
		}
		return clone(ctx, c, s)
	})
}

// clone requests a copy of a database.
func clone(ctx context.Context, c *config.Config, s streams) error {
	out, err := recovery.Send(ctx, c.DataDir, recovery.Request{Database: c.Database, To: c.History.To, At: c.History.At})
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "The database %s has the %d documents of %s.\n", c.History.To, out.Documents, c.Database)
	return nil
}
