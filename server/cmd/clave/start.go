package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"clave/server/internal/app"
	"clave/server/internal/app/config"
	"clave/server/internal/app/site"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/mailserver"
	"clave/server/internal/base/process"
	"clave/server/internal/limit/heap"
)

// startCommand returns `clave start`.
func startCommand(s streams) *cobra.Command {
	return configured(&cobra.Command{
		Use: "start [flags]", Short: "Run for development and tests, in place of the Emulator Suite", GroupID: groupServers,
		Long: "Runs for development and tests, in place of the Firebase Emulator Suite, on the ports in firebase.json.\n" +
			"Keeps data in --data unless --memory is given.",
		Example: "  clave start --memory\n  clave start --import seed --export-on-exit",
	}, config.ModeStart, func(ctx context.Context, c *config.Config) error { return runServer(ctx, c, s) })
}

// serveCommand returns `clave serve`.
func serveCommand(s streams) *cobra.Command {
	return configured(&cobra.Command{
		Use: "serve --project ID --public-url URL [flags]", Short: "Run for production: one port, signed tokens, mandatory rules", GroupID: groupServers,
		Long: "Runs for production: one port for everything, signed tokens, rate limits, mandatory rules, and none of the emulators' conveniences.\n" +
			"SIGHUP reloads the rules.",
		Example: "  clave serve --project fundacion --acme-domain www.example.org --host 0.0.0.0 --port 443 --http-port 80 --no-sign-up",
	}, config.ModeServe, func(ctx context.Context, c *config.Config) error {
		process.HoldHangups() // even before there is an app, and between two apps
		return runServer(ctx, c, s)
	})
}

// runServer builds the app and runs it until it is stopped. A node that stops leading becomes a follower. If that
// fails, as while PostgreSQL is away for longer than a leader waits, it tries again: only the first start may fail.
func runServer(ctx context.Context, c *config.Config, s streams) error {
	if err := checkMail(ctx, c, s); err != nil {
		return err
	}
	served := false
	var told clock.Minutely
	for {
		built, err := runApp(ctx, c, s)
		switch {
		case ctx.Err() != nil && (errors.Is(err, context.Canceled) || served && !built):
			return nil // a follower that was stopped
		case ctx.Err() != nil:
			return err
		case app.Moved(err):
			fmt.Fprintln(s.out, "This node no longer leads; it continues as a follower")
		case !served || built:
			return err
		default:
			if told.Due(clock.System().Now()) {
				fmt.Fprintf(s.out, "This node can't follow; it tries again: %v\n", err)
			}
			if clock.Sleep(ctx, clock.System(), againPause) != nil {
				return nil
			}
		}
		served = true
	}
}

// againPause is the pause before a node that could not continue as a follower tries again.
const againPause = 2 * time.Second

// checkMail returns an error if the mail server is reached and no e-mail could be sent over it. One that is not reached
// may be back before the first e-mail.
func checkMail(ctx context.Context, c *config.Config, s streams) error {
	if c.Mail == "" {
		return nil
	}
	switch err := mailserver.Check(ctx, c.Mail); {
	case errors.Is(err, mailserver.ErrNoEncryption):
		return fault.Wrap(err, fault.FailedPrecondition, "--mail: %v", err)
	case err != nil:
		logger(c, s.err).Warn("the mail server is not reached at the start", "error", err)
	}
	return nil
}

// runApp builds the app and runs it until it ends. built is set if it could be built.
func runApp(ctx context.Context, c *config.Config, s streams) (built bool, err error) {
	began := clock.System().Now()
	notices := s.out
	if c.Ephemeral {
		var stop context.CancelFunc
		ctx, stop = untilClosed(ctx, os.Stdin)
		defer stop()
		notices = s.err // standard output is read by a program
	}
	a, err := app.New(ctx, c, app.Options{Log: logger(c, s.err), Version: versionText(), Notices: notices, Memory: limitMemory(c), GovernMemory: true})
	if err != nil {
		return false, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var seeded error
	err = a.Run(ctx, func() {
		if seeded = applySeeds(ctx, c, a.Addresses().Firestore, a.Addresses().Auth, s); seeded != nil {
			stop()
			return
		}
		if c.Ephemeral {
			printAddresses(s.out, c.Project, a.Addresses())
			return
		}
		printTable(s.out, c, a.Addresses())
		fmt.Fprintln(s.out, readyLine(began, a.LedSince(), clock.System().Now()))
	})
	if seeded != nil {
		return true, seeded
	}
	return true, err
}

// readyLine returns the line that reports that the server is ready. A node that has followed another one was ready
// before, and says how long its take-over took.
func readyLine(began, led, now time.Time) string {
	if led.IsZero() {
		return fmt.Sprintf("Clave ready in %d ms", now.Sub(began).Milliseconds())
	}
	return fmt.Sprintf("Clave ready in %d ms after it took the lead", now.Sub(led).Milliseconds())
}

// limitMemory limits the memory and the connections of the process according to the command line, the control group or
// the machine, and returns its division.
func limitMemory(c *config.Config) heap.Plan {
	limit, configured := c.MemoryLimit, c.MemoryLimit != 0
	if !configured {
		limit = heap.Limit(os.DirFS("/"))
	}
	plan := heap.PlanFor(limit, configured)
	// The store and outgoing connections need files, too.
	plan.Connections = min(plan.Connections, process.MaxFiles()/4*3)
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
	return net.JoinHostPort(site.ForPages(host), port)
}

// untilClosed returns a context that is done when ctx is done or in is at its end. A blocked read of in ends with the
// program.
func untilClosed(ctx context.Context, in io.Reader) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	go func() {
		defer stop()
		_, _ = io.Copy(io.Discard, in)
	}()
	return ctx, stop
}

// printAddresses prints the addresses of the parts as one line of JSON.
func printAddresses(w io.Writer, project string, a app.Addresses) {
	line, err := json.Marshal(struct {
		ProjectID string `json:"projectId"`
		Firestore string `json:"firestore"`
		Auth      string `json:"auth"`
		Hosting   string `json:"hosting,omitempty"`
		Hub       string `json:"hub"`
	}{project, a.Firestore, a.Auth, a.Hosting, a.Hub})
	if err != nil {
		panic(err) // strings are JSON
	}
	fmt.Fprintf(w, "%s\n", line)
}

// printTable prints the URLs of the parts that run. The one port of production has no site if firebase.json has none.
func printTable(w io.Writer, c *config.Config, a app.Addresses) {
	public := "Site"
	if !c.ServesSite() {
		public = "Server"
	}
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	for _, row := range []struct{ name, scheme, addr string }{
		{public, a.Scheme, a.Hosting}, {"Firestore", "http", a.Firestore}, {"Auth", "http", a.Auth}, {"Requests", "ws", a.Websocket}, {"Hub", "http", a.Hub},
	} {
		if row.addr != "" {
			path := "/"
			if row.scheme == "ws" {
				path = "/requests"
			}
			fmt.Fprintf(table, "%s\t%s://%s%s\n", row.name, row.scheme, shown(row.addr), path)
		}
	}
	if a.ConsoleURL != nil {
		fmt.Fprintf(table, "Console\t%s\n", a.ConsoleURL())
	}
	if a.Admin != "" {
		fmt.Fprintf(table, "Admin APIs\t%s\n", a.Admin)
	}
	if a.Metrics != "" {
		fmt.Fprintf(table, "Metrics\thttp://%s%s\n", a.Metrics, app.MetricsPath)
	}
	if a.Data != "" {
		fmt.Fprintf(table, "Data\t%s\n", a.Data)
	}
	_ = table.Flush()
}
