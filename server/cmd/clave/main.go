// Command clave is a server that implements the Cloud Firestore and Firebase Authentication contracts. clave --help
// lists its commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/process"
	"clave/server/internal/base/terminal"
)

// gcPercent lets the heap grow to five times the live heap before it is collected: requests create much short-lived
// garbage with a small live heap, and collecting it took a tenth of the time.
const gcPercent = 400

// streams holds the writers of a command's output.
type streams struct {
	out, err io.Writer
}

// main runs the command line until it ends or a signal stops it.
func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := process.Signals(context.Background(), stopping(os.Args[1:])...)
	defer stop()
	if calledAsJava(os.Args[0]) {
		os.Exit(runAsJava(ctx, os.Args[1:], streams{os.Stdout, os.Stderr}))
	}
	os.Exit(run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr}))
}

// runAsJava handles a call of Java by the Firebase CLI and returns the exit code.
func runAsJava(ctx context.Context, args []string, s streams) int {
	code, err := java(ctx, args, s)
	if err != nil {
		fmt.Fprintln(s.err, "clave: "+message(err))
		return max(code, exitFailure)
	}
	return code
}

// stopping returns the additional signals that stop a command. SIGHUP, sent when a terminal is closed, stops a command
// in the ordinary way. A production server reloads its files at SIGHUP instead.
func stopping(args []string) []os.Signal {
	if len(args) > 0 && (args[0] == "start" || args[0] == "exec") {
		return []os.Signal{syscall.SIGHUP}
	}
	return nil
}

// run executes a command line and returns the exit code.
func run(ctx context.Context, args []string, s streams) int {
	root := newRoot(s)
	if len(args) > 0 && (args[0] == "start" || args[0] == "exec") {
		cmd, _, err := root.Find(args[:1])
		if err == nil {
			args = slices.Concat(args[:1], config.SuiteArgs(cmd.Flags(), args[1:]))
		}
	}
	root.SetArgs(args)
	err := wrongWord(root, args, s)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err == nil {
		return 0
	}
	code := exitFailure
	var wrong *config.UsageError
	if errors.As(err, &wrong) {
		code = exitUsage
	}
	var ended *exitError
	if errors.As(err, &ended) {
		code, err = ended.code, ended.err
	}
	if err != nil {
		text := message(err)
		// The message of the command names the command.
		if !strings.HasPrefix(text, "clave ") && !strings.HasPrefix(text, "clave:") {
			text = "clave: " + text
		}
		fmt.Fprintln(s.err, text)
	}
	return code
}

// message returns the text of an error for the terminal: of a named error the text for clients, of any other the whole
// text.
func message(err error) string {
	text := err.Error()
	var named *fault.Error
	if errors.As(err, &named) {
		text = named.Message
	}
	return strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' {
			return c
		}
		return terminal.Rune(c)
	}, text)
}
