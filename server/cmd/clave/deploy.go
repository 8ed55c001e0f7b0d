package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"clave/server/internal/app/commands"
	"clave/server/internal/app/config"
)

// deployCommand returns `clave deploy`.
func deployCommand(s streams) *cobra.Command {
	cmd := configured(&cobra.Command{
		Use: "deploy [FILE…] [flags]", Short: "Release rules and indexes to a server, or to all nodes of a store", GroupID: groupTools,
		Long: "Checks rules and indexes as clave serve does and releases them, as one change: by the administration APIs of a server that runs with\n" +
			"--admin-api, with the key of a service account, or to all nodes that share the PostgreSQL of --store.\n" +
			"When it returns, all nodes use them. Later leaders use them too, whatever their own files contain. Files with errors change\n" +
			"nothing. Without FILE, it releases the files that firebase.json names. SIGHUP releases a node's own files.",
		Example: "  clave deploy --admin-api https://data.example.org:4001 --key deployer.json\n  clave deploy --store postgres://clave@db.example.org/clave?sslmode=verify-full",
	}, config.ModeDeploy, func(ctx context.Context, c *config.Config) error { return deploy(ctx, c, s) })
	cmd.ValidArgsFunction = cobra.FixedCompletions([]string{"rules", "json"}, cobra.ShellCompDirectiveFilterFileExt)
	return cmd
}

// deploy releases files and prints what is in force.
func deploy(ctx context.Context, c *config.Config, s streams) error {
	out, err := commands.Deploy(ctx, c, commands.Options{Log: logger(c, s.err)})
	if err != nil {
		return err
	}
	switch {
	case !out.Changed:
		fmt.Fprintf(s.out, "Nothing to do: release %d (%s) already has these files.\n", out.Version, out.Digest)
	case out.Alone:
		fmt.Fprintf(s.out, "Release %d (%s) is stored. No node leads; the next leader starts with it.\n", out.Version, out.Digest)
	default:
		fmt.Fprintf(s.out, "Release %d (%s) is in force at all nodes.\n", out.Version, out.Digest)
	}
	return nil
}
