package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"clave/server/internal/admin/cli"
	"clave/server/internal/base/clock"
	"clave/server/internal/httpx/accountkey"
)

// The variables that stand for the flags of clave firebase.
const (
	adminVariable = "CLAVE_ADMIN_API"
	keyVariable   = "GOOGLE_APPLICATION_CREDENTIALS"
)

// administered names a server that the Firebase CLI administers: the URL of its administration APIs, empty for none,
// and the file of a key.
type administered struct{ url, key string }

// firebaseFlags parses the flags before the arguments of the Firebase CLI, and returns these.
func firebaseFlags(args []string, getenv func(string) string) (at administered, rest []string, err error) {
	for len(args) > 0 {
		name, value, given := strings.Cut(args[0], "=")
		if name != "--admin-api" && name != "--key" {
			break
		}
		if args = args[1:]; !given && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		if value == "" || value == "--" {
			return at, nil, usageError("clave firebase: %s needs a value; see clave firebase --help", name)
		}
		if name == "--key" {
			at.key = value
		} else {
			at.url = value
		}
	}
	if at.url == "" {
		at.url = getenv(adminVariable)
	}
	switch {
	case at.url == "" && at.key != "":
		return at, nil, usageError("clave firebase: --key is for the server that --admin-api names")
	case at.url != "" && at.key == "":
		at.key = getenv(keyVariable)
	}
	if at.url != "" && at.key == "" {
		return at, nil, usageError("clave firebase: name the key of a service account with --key or in %s. clave credentials create makes one", keyVariable)
	}
	return at, args, nil
}

// administer runs the Firebase CLI on a server and returns its exit code.
func administer(ctx context.Context, at administered, args []string, s streams) (code int, err error) {
	program, err := findFirebase()
	if err != nil {
		return 1, err
	}
	key, err := accountkey.Read(at.key)
	if err != nil {
		return 1, err
	}
	public, err := key.Origin()
	if err != nil {
		return 1, err
	}
	tokens := accountkey.NewTokens(key, &http.Client{Transport: http.DefaultTransport}, clock.System())
	if _, err := tokens.Get(ctx); err != nil { // a wrong key is reported here, not by each request of the CLI
		return 1, err
	}
	proxy, err := cli.New(ctx, cli.Options{Admin: at.url, Public: public, Tokens: tokens, Transport: http.DefaultTransport})
	if err != nil {
		return 1, err
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- proxy.Serve(serving) }()
	defer func() {
		stop()
		err = errors.Join(err, <-ended)
	}()
	folder, err := os.MkdirTemp("", "clave-firebase-")
	if err != nil {
		return 1, fmt.Errorf("folder for the CLI's configuration: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	cmd := child(ctx, s, program, cli.Arguments(args, key.Project)...)
	cmd.Env, err = cli.Environment(os.Environ(), proxy, folder, clock.System().Now())
	if err != nil {
		return 1, err
	}
	return exitCode(cmd.Run(), program)
}

// tokenCommand returns `clave credentials token`.
func tokenCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "token FILE", Short: "Print an access token for the key in FILE",
		Long: "Prints an OAuth2 access token of the service account whose key FILE has, from the server that the key names. It is valid for an hour\n" +
			"and for that server only, or until the key is revoked.",
		Example: "  curl -H \"Authorization: Bearer $(clave credentials token deployer.json)\" https://data.example.org:4001/v1/projects/my-project/databases",
		Args:    words(1, 1, "name the file of a key, and nothing else"),
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := accountkey.Read(args[0])
			if err != nil {
				return err
			}
			if _, err := key.Origin(); err != nil {
				return err
			}
			token, err := accountkey.NewTokens(key, &http.Client{Transport: http.DefaultTransport}, clock.System()).Get(cmd.Context())
			if err == nil {
				_, err = fmt.Fprintln(s.out, token)
			}
			return err
		},
	}
}
