package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"clave/server/app"
	"clave/server/config"
	"clave/server/fault"
)

// credentialsUsage is what `clave credentials` prints.
const credentialsUsage = `Keys of service accounts, with which servers of yours sign in by the Firebase Admin SDK. The server must be stopped: it has
its data folder for itself.

  clave credentials create NAME [flags]          make a key and write it to NAME.json
  clave credentials list [flags]                 print the keys that there are
  clave credentials revoke NAME [KEY] [flags]    make a key, or all keys of NAME, worthless

`

// credentials carries out `clave credentials`.
func credentials(ctx context.Context, args []string, s streams) (err error) {
	words, flags := beforeFlags(args)
	usage := &headed{w: s.err, head: credentialsUsage}
	c, err := config.Parse(config.ModeCredentials, flags, os.Getenv, usage)
	if err != nil {
		return err
	}
	words = append(words, c.Command...)
	act, ok := map[string]struct {
		least, most int
		run         func(context.Context, *config.Config, *app.Credentials, []string, streams) error
	}{"create": {2, 2, createCredential}, "list": {1, 1, listCredentials}, "revoke": {2, 3, revokeCredential}}[first(words)]
	if !ok || len(words) < act.least || len(words) > act.most {
		return fault.E(fault.InvalidArgument, "clave credentials: want create NAME, list or revoke NAME [KEY]; see clave credentials --help")
	}
	if words[0] == "create" && c.PublicURL == "" {
		return fault.E(fault.InvalidArgument, "clave credentials create: give the server's origin with --public-url, such as https://data.example.org; the key says where it is good")
	}
	store, err := app.OpenCredentials(c, app.Options{Log: logger(c, s.err)}, words[0] == "create")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return act.run(ctx, c, store, words, s)
}

// first returns the first word, or empty.
func first(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// beforeFlags parts the words before the first flag from the rest, so that flags may stand behind them.
func beforeFlags(args []string) (words, flags []string) {
	n := 0
	for n < len(args) && !strings.HasPrefix(args[n], "-") {
		n++
	}
	return args[:n:n], args[n:]
}

// headed writes a head before what is first written to it.
type headed struct {
	w    io.Writer
	head string
}

// Write implements io.Writer.
func (h *headed) Write(p []byte) (int, error) {
	if h.head != "" {
		if _, err := io.WriteString(h.w, h.head); err != nil {
			return 0, err
		}
		h.head = ""
	}
	return h.w.Write(p)
}

// createCredential makes a key and writes it to a file that only its owner can read. An existing file is never touched.
func createCredential(ctx context.Context, c *config.Config, store *app.Credentials, words []string, s streams) error {
	if c.Out == "-" {
		made, err := store.Create(ctx, words[1])
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s\n", made.File)
		return err
	}
	name := c.Out
	if name == "" {
		name = words[1] + ".json"
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fault.Because(err, fault.FailedPrecondition, "cannot write the key: %v. Name another file with --out.", err)
	}
	made, err := store.Create(ctx, words[1])
	if err != nil {
		return errors.Join(err, file.Close(), os.Remove(name))
	}
	_, err = fmt.Fprintf(file, "%s\n", made.File)
	if err := errors.Join(err, file.Close()); err != nil {
		_, revoked := store.Revoke(ctx, made.Email, made.KeyID)
		return errors.Join(err, revoked, os.Remove(name))
	}
	fmt.Fprintf(s.out, "%s holds a key of %s for %s. It is the only copy; keep it secret.\n", name, made.Email, c.PublicURL)
	fmt.Fprintf(s.out, "clave credentials revoke %s %s makes it worthless.\n", words[1], made.KeyID)
	return nil
}

// listCredentials prints the keys.
func listCredentials(ctx context.Context, _ *config.Config, store *app.Credentials, _ []string, s streams) error {
	all, err := store.List(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(s.out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "ACCOUNT\tKEY\tCREATED")
	for _, known := range all {
		created := "unknown"
		if !known.Created.IsZero() {
			created = known.Created.Format(time.RFC3339)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", known.Email, known.KeyID, created)
	}
	return table.Flush()
}

// revokeCredential removes one key of an account, or all.
func revokeCredential(ctx context.Context, _ *config.Config, store *app.Credentials, words []string, s streams) error {
	key := ""
	if len(words) > 2 {
		key = words[2]
	}
	gone, err := store.Revoke(ctx, words[1], key)
	for _, kid := range gone {
		if err == nil {
			fmt.Fprintf(s.out, "Key %s is worth nothing from now on.\n", kid)
		}
	}
	return err
}
