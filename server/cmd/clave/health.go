package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"clave/server/internal/app"
	"clave/server/internal/base/fault"
)

// healthTimeout is the time limit for a server to respond.
const healthTimeout = 5 * time.Second

// healthCommand returns `clave health`.
func healthCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "health [URL]", Short: "Check whether a server is healthy", GroupID: groupTools,
		Long: "Checks the health of the server at URL (default: http://127.0.0.1:8080), for container health checks and timers. Exits with 0 if it is\n" +
			"healthy, and with 1 if it is not. The path on the server is " + app.HealthPath + ".",
		Args: words(0, 1, "give one URL, such as http://127.0.0.1:8080"),
		RunE: func(cmd *cobra.Command, args []string) error {
			at := "http://127.0.0.1:8080"
			if len(args) > 0 {
				at = args[0]
			}
			return health(cmd.Context(), at, s)
		},
	}
}

// health checks the server at a URL.
func health(ctx context.Context, at string, s streams) error {
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return usageError("clave health %s: expected a URL, such as http://127.0.0.1:8080", at)
	}
	u.Path = app.HealthPath
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return err
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "%s does not respond: %v", at, err)
	}
	defer func() { _ = res.Body.Close() }() // a read
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 200)) // the cause behind the status
		if strings.TrimSpace(string(text)) == "no leader" {
			return fault.E(fault.Unavailable, "%s reaches no node that leads", at)
		}
		return fault.E(fault.Unavailable, "%s is not healthy: it responded with %s at %s", at, res.Status, app.HealthPath)
	}
	_, err = fmt.Fprintln(s.out, "ok")
	return err
}
