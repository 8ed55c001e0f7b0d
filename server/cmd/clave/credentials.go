package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"clave/server/internal/app/commands"
	"clave/server/internal/app/config"
	"clave/server/internal/auth/service/serviceaccount/keyservice"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
)

// credentialsCommand returns `clave credentials`.
func credentialsCommand(s streams) *cobra.Command {
	list := func(use, short string) *cobra.Command { return &cobra.Command{Use: use, Short: short} }
	cmd := group(
		s, "credentials COMMAND", "Create, list and revoke keys of service accounts",
		keyCommand(list("create NAME [flags]", "Create a key and write it to NAME.json"), config.ModeCreateCredential, s, words(1, 1, "name the account, and nothing else"), createCredential),
		keyCommand(list("list [flags]", "Print the keys"), config.ModeCredentials, s, words(0, 0, "takes no arguments"), listCredentials),
		keyCommand(list("revoke NAME [KEY] [flags]", "Revoke a key, or all keys of NAME"), config.ModeCredentials, s, words(1, 2, "name the account, or the account and one of its keys"), revokeCredential),
		tokenCommand(s),
	)
	cmd.GroupID = groupData
	cmd.Long = "Manages keys of service accounts, with which your servers sign in through the Firebase Admin SDK. The server may be running:\n" +
		"a new key works at once, and a revoked key is refused and its open streams end."
	return cmd
}

// keyCommand adds the flags to a command on keys, and runs it if args accepts its words.
func keyCommand(cmd *cobra.Command, mode config.Mode, s streams, args cobra.PositionalArgs,
	run func(ctx context.Context, c *config.Config, store *keyservice.Credentials, s streams) error,
) *cobra.Command {
	cmd.Args = args
	return configured(cmd, mode, func(ctx context.Context, c *config.Config) (err error) {
		create := mode == config.ModeCreateCredential
		if create && c.PublicURL == "" {
			return usageError("clave credentials create: give the server's origin with --public-url, such as https://data.example.org; the key names it")
		}
		store, err := commands.OpenCredentials(ctx, c, commands.Options{Log: logger(c, s.err)}, create)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		return run(ctx, c, store, s)
	})
}

// createCredential creates a key and writes it to a file that only its owner can read. An existing file is never
// changed.
func createCredential(ctx context.Context, c *config.Config, store *keyservice.Credentials, s streams) error {
	if c.Out == "-" {
		made, err := store.Create(ctx, c.Command[0], token.Role(c.Role))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s\n", made.File)
		return err
	}
	// The file is made before the key, so that no key is valid without a file that holds it. If the key cannot be
	// written, it is revoked.
	name := c.Out
	if name == "" {
		name = c.Command[0] + ".json"
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "cannot write the key: %v. Name another file with --out.", err)
	}
	made, err := store.Create(ctx, c.Command[0], token.Role(c.Role))
	if err != nil {
		return errors.Join(err, file.Close(), os.Remove(name))
	}
	_, err = fmt.Fprintf(file, "%s\n", made.File)
	if err := errors.Join(err, file.Close()); err != nil {
		_, revoked := store.Revoke(ctx, made.Email, made.KeyID)
		return errors.Join(err, revoked, os.Remove(name))
	}
	fmt.Fprintf(s.out, "%s holds a key of %s for %s. It is the only copy; keep it secret.\n", name, made.Email, c.PublicURL)
	fmt.Fprintf(s.out, "clave credentials revoke %s %s revokes it.\n", c.Command[0], made.KeyID)
	return nil
}

// listCredentials prints the keys.
func listCredentials(ctx context.Context, _ *config.Config, store *keyservice.Credentials, s streams) error {
	all, err := store.List(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(s.out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "ACCOUNT\tROLE\tKEY\tCREATED")
	for _, known := range all {
		created := "unknown"
		if !known.Created.IsZero() {
			created = known.Created.Format(time.RFC3339)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", known.Email, known.Role, known.KeyID, created)
	}
	return table.Flush()
}

// revokeCredential removes one key of an account, or all.
func revokeCredential(ctx context.Context, c *config.Config, store *keyservice.Credentials, s streams) error {
	key := ""
	if len(c.Command) > 1 {
		key = c.Command[1]
	}
	gone, err := store.Revoke(ctx, c.Command[0], key)
	for _, kid := range gone {
		if err == nil {
			fmt.Fprintf(s.out, "Revoked key %s.\n", kid)
		}
	}
	return err
}
