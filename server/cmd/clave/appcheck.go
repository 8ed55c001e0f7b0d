package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"clave/server/internal/app/commands"
	"clave/server/internal/app/config"
	"clave/server/internal/auth/appcheck/debugtoken"
	"clave/server/internal/base/randid"
)

// debugTokens sends a request about debug tokens.
type debugTokens func(context.Context, debugtoken.Request) (*debugtoken.Response, error)

// appCheckCommand returns `clave appcheck`.
func appCheckCommand(s streams) *cobra.Command {
	add := &cobra.Command{Use: "add APP [TOKEN] [flags]", Short: "Register a debug token, or make one, and print it"}
	name := add.Flags().String("name", "", "`NAME` of the debug token in lists, such as the computer that has it")
	cmd := group(
		s, "appcheck COMMAND", "Register, list and remove debug tokens of App Check",
		debugTokenCommand(add, s, words(1, 2, "name the app, and its debug token if it has one"), func(ctx context.Context, c *config.Config, send debugTokens) error {
			return addDebugToken(ctx, c, send, *name, s)
		}),
		debugTokenCommand(&cobra.Command{Use: "list [flags]", Short: "Print the debug tokens, without their secrets"}, s, words(0, 0, "takes no arguments"), func(ctx context.Context, c *config.Config, send debugTokens) error {
			return listDebugTokens(ctx, c, send, s)
		}),
		debugTokenCommand(&cobra.Command{Use: "remove APP ID [flags]", Short: "Remove a debug token"}, s, words(2, 2, "name the app, and the id of the debug token"), removeDebugToken),
	)
	cmd.GroupID = groupData
	cmd.Long = "Manages debug tokens of App Check, by which apps prove themselves on development machines and in tests. The server may be running:\n" +
		"a new debug token works at once, and a removed one is refused; tokens that were issued for it are valid until they expire."
	return cmd
}

// debugTokenCommand adds the flags to a command on debug tokens, and runs it if args accepts its words.
func debugTokenCommand(cmd *cobra.Command, s streams, args cobra.PositionalArgs, run func(context.Context, *config.Config, debugTokens) error) *cobra.Command {
	cmd.Args = args
	return configured(cmd, config.ModeAppCheck, func(ctx context.Context, c *config.Config) (err error) {
		send, end, err := commands.OpenDebugTokens(ctx, c, commands.Options{Log: logger(c, s.err)})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, end()) }()
		return run(ctx, c, send)
	})
}

// addDebugToken registers a debug token and prints it if it was made here.
func addDebugToken(ctx context.Context, c *config.Config, send debugTokens, name string, s streams) error {
	app, secret := c.Command[0], randid.UUID()
	given := len(c.Command) > 1
	if given {
		secret = c.Command[1]
	}
	out, err := send(ctx, debugtoken.Request{Project: c.Project, Add: &debugtoken.Added{App: app, Name: name, Secret: secret}})
	if err != nil {
		return err
	}
	if !given {
		fmt.Fprintf(s.out, "%s\n", secret)
		fmt.Fprintf(s.err, "This is the only copy of the debug token; keep it secret.\n")
	}
	fmt.Fprintf(s.err, "clave appcheck remove %s %s removes it.\n", app, out.ID)
	return nil
}

// listDebugTokens prints the debug tokens.
func listDebugTokens(ctx context.Context, c *config.Config, send debugTokens, s streams) error {
	out, err := send(ctx, debugtoken.Request{Project: c.Project})
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(s.out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "APP\tID\tCREATED\tNAME")
	for _, t := range out.Tokens {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", t.App, t.ID, t.Created.Format(time.RFC3339), t.Name)
	}
	return table.Flush()
}

// removeDebugToken removes a debug token.
func removeDebugToken(ctx context.Context, c *config.Config, send debugTokens) error {
	_, err := send(ctx, debugtoken.Request{Project: c.Project, Remove: &debugtoken.Removed{App: c.Command[0], ID: c.Command[1]}})
	return err
}
