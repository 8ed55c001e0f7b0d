package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"clave/server/internal/app/commands"
	"clave/server/internal/app/config"
)

// consoleCommand returns `clave console`.
func consoleCommand(s streams) *cobra.Command {
	return configured(&cobra.Command{
		Use: "console [--write] [flags]", Short: "Print a link to the console of a running server", GroupID: groupTools,
		Long: "Prints a link to the console of the server that is running on the data folder. For clave serve --console, the link is valid for ten\n" +
			"minutes and opens one session, which ends half an hour after its last use. The session may read everything and, with --write,\n" +
			"change it. Its changes are recorded in console/audit.jsonl in the data folder.",
		Example: "  clave console --data /var/lib/clave\n  clave console --write --data /var/lib/clave",
	}, config.ModeConsole, func(ctx context.Context, c *config.Config) error {
		link, err := commands.ConsoleLink(ctx, c)
		if err != nil {
			return err
		}
		fmt.Fprintln(s.out, link.URL)
		if !link.Until.IsZero() {
			fmt.Fprintf(s.err, "It works once, until %s.\n", link.Until.Local().Format(time.TimeOnly))
		}
		return nil
	})
}
