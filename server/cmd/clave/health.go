package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"clave/server/app"
	"clave/server/fault"
)

// healthUsage is what `clave health --help` prints.
const healthUsage = `clave health [URL]

Asks the server at URL (http://127.0.0.1:8080) whether it is well, and ends with 0 if it is, else with 1. For what watches a
server: the health check of a container, or a timer. The path on the server is ` + app.HealthPath + `.
`

// healthPatience is how long a server may take to answer.
const healthPatience = 5 * time.Second

// health carries out `clave health`.
func health(ctx context.Context, args []string, s streams) error {
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		_, err := fmt.Fprint(s.out, healthUsage)
		return err
	}
	at := "http://127.0.0.1:8080"
	switch len(args) {
	case 0:
	case 1:
		at = args[0]
	default:
		return fault.E(fault.InvalidArgument, "clave health: give one URL, such as http://127.0.0.1:8080")
	}
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fault.E(fault.InvalidArgument, "clave health %s: want a URL, such as http://127.0.0.1:8080", at)
	}
	u.Path = app.HealthPath
	ctx, cancel := context.WithTimeout(ctx, healthPatience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return err
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return fault.Because(err, fault.Unavailable, "%s does not answer: %v", at, err)
	}
	defer func() { _ = res.Body.Close() }() // a read
	if res.StatusCode != http.StatusOK {
		return fault.E(fault.Unavailable, "%s is not well: it answers %s at %s", at, res.Status, app.HealthPath)
	}
	_, err = fmt.Fprintln(s.out, "ok")
	return err
}
