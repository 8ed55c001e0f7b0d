package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"text/tabwriter"

	"clave/server/app"
	"clave/server/clock"
	"clave/server/config"
	"clave/server/memory"
	"clave/server/process"
)

// start runs the development server until it is stopped.
func start(ctx context.Context, args []string, s streams) error {
	return runServer(ctx, config.ModeStart, args, s)
}

// serve runs the production server until it is stopped.
func serve(ctx context.Context, args []string, s streams) error {
	return runServer(ctx, config.ModeServe, args, s)
}

// runServer parses the flags, builds the app and runs it.
func runServer(ctx context.Context, mode config.Mode, args []string, s streams) error {
	began := clock.System().Now()
	c, err := config.Parse(mode, args, os.Getenv, s.out)
	if err != nil {
		return err
	}
	a, err := app.New(ctx, c, app.Options{Log: logger(c, s.err), Notices: s.out, Memory: limitMemory(c), GovernMemory: true})
	if err != nil {
		return err
	}
	return a.Run(ctx, func() {
		printTable(s.out, a.Addresses())
		fmt.Fprintf(s.out, "Clave ready in %d ms\n", clock.System().Now().Sub(began).Milliseconds())
	})
}

// limitMemory limits the memory of the process to what the command line, the control group or the machine allows, and
// returns how it is divided.
func limitMemory(c *config.Config) memory.Plan {
	limit, asked := c.MemoryLimit, c.MemoryLimit != 0
	if !asked {
		limit = memory.Limit(os.DirFS("/"))
	}
	plan := memory.PlanFor(limit, asked)
	if plan.Limit > 0 {
		debug.SetMemoryLimit(plan.Limit)
	}
	return plan
}

// logger returns the program's logger: warnings, and each request with --verbose.
func logger(c *config.Config, w io.Writer) *slog.Logger {
	level := slog.LevelWarn
	if c.Verbose || c.Production() {
		level = slog.LevelInfo
	}
	return process.Logger(w, level)
}

// shown returns an address as a page should use it.
func shown(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return net.JoinHostPort(app.ForPages(host), port)
}

// printTable prints the URLs of the parts that run.
func printTable(w io.Writer, a app.Addresses) {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	for _, row := range []struct{ name, scheme, addr string }{
		{"Site", a.Scheme, a.Hosting}, {"Firestore", "http", a.Firestore}, {"Auth", "http", a.Auth}, {"Requests", "ws", a.Websocket}, {"Hub", "http", a.Hub},
	} {
		if row.addr != "" {
			path := "/"
			if row.scheme == "ws" {
				path = "/requests"
			}
			fmt.Fprintf(table, "%s\t%s://%s%s\n", row.name, row.scheme, shown(row.addr), path)
		}
	}
	if a.Data != "" {
		fmt.Fprintf(table, "Data\t%s\n", a.Data)
	}
	_ = table.Flush()
}
