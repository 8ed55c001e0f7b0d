package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"clave/server/internal/app/commands"
	"clave/server/internal/app/config"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/terminal"
	"clave/server/internal/events"
)

// eventsCommand returns `clave events`.
func eventsCommand(s streams) *cobra.Command {
	status := &cobra.Command{Use: "status [flags]", Short: "Print delivered and pending events and dead letters", Args: words(0, 0, "takes no arguments")}
	retry := &cobra.Command{Use: "retry [TRIGGER] [flags]", Short: "Retry dead letters and pending events at once", Args: words(0, 1, "takes at most the name of a trigger")}
	cmd := group(
		s, "events COMMAND", "Show and retry the events that clave serve delivers",
		configured(status, config.ModeEventsStatus, func(ctx context.Context, c *config.Config) error { return eventsStatus(ctx, c, s) }),
		configured(retry, config.ModeEventsRetry, func(ctx context.Context, c *config.Config) error { return eventsRetry(ctx, c, s) }),
	)
	cmd.GroupID = groupData
	cmd.Long = "Shows and retries the document events that clave serve --events delivers to services. The commands work with a running server and\n" +
		"with the data folder of a stopped one."
	return cmd
}

// eventsStatus prints a table of all triggers, and then for each trigger its last failure, its losses and its first
// dead letters.
func eventsStatus(ctx context.Context, c *config.Config, s streams) error {
	all, err := commands.EventsStatus(ctx, c, commands.Options{Log: logger(c, s.err)})
	if err != nil {
		return err
	}
	return printEvents(s.out, all)
}

// printEvents prints the state of triggers. The documents of dead letters have names that clients have chosen, and the
// texts of errors are those of services.
func printEvents(w io.Writer, all []events.Status) error {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "TRIGGER\tCOMPLETE UNTIL\tDELIVERED\tPENDING\tWAITING\tDEAD\tSENT TO")
	for _, t := range all {
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%d\t%s\n", t.Name, moment(t.Version), t.Delivered, t.Pending, t.Waiting, t.Dead, t.Target)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, t := range all {
		if t.Error != "" {
			fmt.Fprintf(w, "\n%s: last failure at %s: %s\n", t.Name, t.ErrorAt.Format(time.RFC3339), terminal.Text(t.Error))
		}
		if t.LostTo != 0 {
			fmt.Fprintf(w, "\n%s: EVENTS WERE LOST between %s and %s, because the log no longer has them\n", t.Name, moment(t.LostFrom), moment(t.LostTo))
		}
		if t.Lost != 0 {
			fmt.Fprintf(w, "\n%s: %d dead letters were dropped, because there were too many\n", t.Name, t.Lost)
		}
		for i, l := range t.Letters {
			if i == 0 {
				fmt.Fprintf(w, "\n%s: %d dead letters; clave events retry %s retries them\n", t.Name, t.Dead, t.Name)
			}
			fmt.Fprintf(w, "  %s %s %s: %s after %d attempts\n", l.Time, l.Type, terminal.Text(l.Document), terminal.Text(l.Error), l.Attempts)
		}
	}
	return nil
}

// moment formats the time of a version for people.
func moment(v clock.Version) string { return v.Time().Format(time.RFC3339) }

// eventsRetry makes dead letters due again.
func eventsRetry(ctx context.Context, c *config.Config, s streams) error {
	trigger := ""
	if len(c.Command) > 0 {
		trigger = c.Command[0]
	}
	n, err := commands.EventsRetry(ctx, c, commands.Options{Log: logger(c, s.err)}, trigger)
	if err == nil {
		fmt.Fprintf(s.out, "%d events will be retried.\n", n)
	}
	return err
}
