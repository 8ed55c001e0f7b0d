package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"clave/server/internal/app"
	"clave/server/internal/app/config"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/observe/usage"
)

// The exit codes of shells.
const (
	exitCannotRun = 126
	exitNotFound  = 127
	exitSignal    = 128 // and the signal's number
)

// storageHost is the variable with the address of the emulator of Cloud Storage.
const storageHost = "FIREBASE_STORAGE_EMULATOR_HOST"

// cleanupTimeout is the time for which a command may clean up after the signal to stop.
const cleanupTimeout = 10 * time.Second

// execCommand returns `clave exec`.
func execCommand(s streams) *cobra.Command {
	return configured(&cobra.Command{
		Use: "exec [flags] -- COMMAND…\nclave exec [flags] \"SCRIPT\"", Short: "Start in memory, run a command, and stop", GroupID: groupServers,
		Long: "Starts in memory, runs a command or a shell script, stops, and exits with the command's exit code. It sets these variables for the\n" +
			"command: GCLOUD_PROJECT, GOOGLE_CLOUD_PROJECT, FIREBASE_CONFIG, FIRESTORE_EMULATOR_HOST, FIREBASE_AUTH_EMULATOR_HOST,\n" +
			"FIREBASE_EMULATOR_HUB, and FIREBASE_STORAGE_EMULATOR_HOST, an address that rejects all requests because Clave has no Cloud Storage.\n" +
			"Flags may also follow a quoted script. --usage counts what production would bill for the command's requests; a budget file\n" +
			"is JSON such as {\"reads\": 500, \"patterns\": {\"users/*/orders\": 100}}.",
		Example: "  clave exec -- npm test\n  clave exec --only firestore \"npm run build && npm test\"",
	}, config.ModeExec, func(ctx context.Context, c *config.Config) error { return exit(execute(ctx, c, s)) })
}

// execute starts a server, runs a command against it and returns the command's exit code.
func execute(ctx context.Context, c *config.Config, s streams) (int, error) {
	limits, err := readLimits(c)
	if err != nil {
		return 1, err
	}
	meter := usage.New(usage.Options{Clock: clock.System()})
	a, err := app.New(ctx, c, app.Options{Usage: meter, Log: logger(c, s.err), Version: versionText(), Notices: s.err, Memory: limitMemory(c), GovernMemory: true})
	if err != nil {
		return 1, err
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		defer cancel() // a command without a server has nothing to do
		ended <- a.Run(serving, func() { close(ready) })
	}()
	select {
	case <-ready:
	case err := <-ended:
		return 1, err
	}
	if err := applySeeds(ctx, c, a.Addresses().Firestore, a.Addresses().Auth, s); err != nil {
		stop()
		return 1, errors.Join(err, <-ended)
	}
	meter.Reset("") // imported documents and seeds are no requests of the command
	ran := command(running, c, a.Addresses(), s).Run()
	awaitEvents(ctx, a, s)
	used := meter.Report("")
	recorded := recordRequests(ctx, c, a.Addresses().Firestore)
	var counted error
	used.Stored, counted = stored(ctx, c, a.Addresses().Firestore)
	stop()
	if err := cmp.Or(<-ended, recorded, counted); err != nil {
		return 1, err
	}
	code, err := exitCode(ran, c.Command[0])
	if err != nil {
		return code, err
	}
	return checkUsage(code, c, used, limits, s.err)
}

// lastEvents is the time limit for the delivery of the events of a command's last commits.
const lastEvents = 10 * time.Second

// awaitEvents waits until the events of the command's commits have been delivered.
func awaitEvents(ctx context.Context, a *app.App, s streams) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastEvents)
	defer cancel()
	if err := a.Settle(ctx); err != nil {
		fmt.Fprintf(s.err, "Events were not delivered within %s.\n", lastEvents)
	}
}

// command returns the command that is to be run against a server. When ctx ends, it receives a signal to stop, and is
// killed if it does not stop.
func command(ctx context.Context, c *config.Config, a app.Addresses, s streams) *exec.Cmd {
	words := c.Command
	if len(words) == 1 && config.IsLine(words[0]) {
		words = []string{"sh", "-c", words[0]}
	}
	cmd := child(ctx, s, words[0], words[1:]...)
	cmd.Env = append(os.Environ(), "GCLOUD_PROJECT="+c.Project, "GOOGLE_CLOUD_PROJECT="+c.Project)
	if os.Getenv("FIREBASE_CONFIG") == "" {
		cmd.Env = append(cmd.Env, "FIREBASE_CONFIG="+sdkConfig(c.Project))
	}
	if a.Hub != "" {
		cmd.Env = append(cmd.Env, "FIREBASE_EMULATOR_HUB="+reachable(a.Hub))
	}
	if a.Firestore != "" {
		at := reachable(a.Firestore)
		cmd.Env = append(cmd.Env, "FIRESTORE_EMULATOR_HOST="+at, "FIREBASE_FIRESTORE_EMULATOR_ADDRESS="+at)
	}
	if a.Auth != "" {
		cmd.Env = append(cmd.Env, "FIREBASE_AUTH_EMULATOR_HOST="+reachable(a.Auth))
	}
	if os.Getenv(storageHost) == "" { // if it is set, a storage emulator runs beside Clave
		at := reachable(a.Storage)
		cmd.Env = append(cmd.Env, storageHost+"="+at, "STORAGE_EMULATOR_HOST=http://"+at)
	}
	return cmd
}

// child returns a command with the program's streams. When ctx ends, it receives SIGTERM, and is killed if it does not
// stop.
func child(ctx context.Context, s streams, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = cleanupTimeout
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, s.out, s.err
	return cmd
}

// sdkConfig returns the default configuration of Admin SDKs, as the Firebase CLI provides it.
func sdkConfig(project string) string {
	text, err := json.Marshal(struct {
		ProjectID     string `json:"projectId"`
		StorageBucket string `json:"storageBucket"`
		DatabaseURL   string `json:"databaseURL"`
	}{project, project + ".appspot.com", "https://" + project + ".firebaseio.com"})
	if err != nil {
		panic(err) // strings are JSON
	}
	return string(text)
}

// reachable returns the address to which clients connect for a listening address, which may be unspecified (0.0.0.0).
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// exitCode returns the exit code of a command as a shell reports it, or an error if the command was never started.
func exitCode(ran error, name string) (int, error) {
	var ended *exec.ExitError
	switch {
	case ran == nil:
		return 0, nil
	case errors.As(ran, &ended):
		if status, ok := ended.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return exitSignal + int(status.Signal()), nil
		}
		return ended.ExitCode(), nil
	case errors.Is(ran, context.Canceled):
		return exitSignal + int(syscall.SIGINT), nil
	case errors.Is(ran, exec.ErrNotFound):
		return exitNotFound, fault.Wrap(ran, fault.NotFound, "exec: there is no command %q. Give a program on the PATH, or a shell script in quotes.", name)
	default:
		return exitCannotRun, fmt.Errorf("exec: cannot run %q: %w", name, ran)
	}
}
