package main

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"clave/server/internal/app/config"
	"clave/server/internal/console/mcpserver"
)

// consoleVariable holds the address of the console for clave mcp. Unlike a flag, it is not in lists of processes.
const consoleVariable = "CLAVE_CONSOLE"

// mcpCommand returns `clave mcp`.
func mcpCommand() *cobra.Command {
	var address string
	o := mcpserver.Options{Version: versionText()}
	cmd := &cobra.Command{
		Use: "mcp [--console URL] [--allow-writes]", Short: "Serve the Model Context Protocol to programs that assist developers", GroupID: groupTools,
		Long: "Serves tools on standard input and output for a client of the Model Context Protocol: query documents, explain plans and rules, attack\n" +
			"rules, compare seeds, list indexes, users and requests, usage and the clock. Uses the console of a running clave start. For clave\n" +
			"serve, --console or " + consoleVariable + " must be a new link of clave console, whose session decides what may be read or changed.",
		Example: "  clave mcp\n  clave mcp --allow-writes\n  " + consoleVariable + "=$(clave console --data /var/lib/clave) clave mcp",
		Args:    words(0, 0, "takes no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := mcpserver.Open(cmd.Context(), cmp.Or(address, os.Getenv(consoleVariable), developmentConsole()))
			if err != nil {
				return err
			}
			if err := mcpserver.Run(cmd.Context(), c, o); err != nil && cmd.Context().Err() == nil {
				return fmt.Errorf("mcp: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&address, "console", "", "`URL` of a console, or a link of clave console (default: "+consoleVariable+", or the console of firebase.json's clave start)")
	cmd.Flags().BoolVar(&o.Writes, "allow-writes", false, "add the tools that apply seeds and advance clocks")
	return cmd
}

// developmentConsole returns the URL of the console of clave start.
func developmentConsole() string {
	port := 4000
	if c, _ := config.Parse(config.ModeStart, []string{"--memory"}, os.Getenv, io.Discard); c != nil && c.Ports.UI != 0 {
		port = c.Ports.UI
	}
	return fmt.Sprintf("http://127.0.0.1:%d", port)
}
