// Command clave is a server that speaks the Cloud Firestore and Firebase Authentication contracts.
//
//	clave start   development and CI: in place of the Firebase Emulator Suite
//	clave exec    start in memory, run a command against it, stop, pass on its exit code
//	clave serve   production: one origin, signed tokens, rules required
//	clave rules   check FILE | test DIR
//	clave credentials   create | list | revoke: keys of service accounts
//	clave backup  DIR    copy the data, also of a running server
//	clave restore DIR    bring a copy back
//	clave export DIR     write the data in the format of Firebase, also of a running server
//	clave import DIR     read such an export
//	clave health [URL]   ask whether a server is well
//	clave firebase -- ARGS…     the Firebase CLI with Clave in the place of the Firestore emulator
//	clave firestore-emulator    Firestore alone, with the official emulator's flags
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"syscall"

	"clave/server/fault"
	"clave/server/process"
)

// usage is what `clave help` prints.
const usage = `clave: Cloud Firestore and Firebase Authentication on your own machine

  clave start [flags]            run on the ports of firebase.json, as the Firebase Emulator Suite does
  clave exec [flags] -- CMD…     start in memory, run CMD with the emulators' environment, stop
  clave serve [flags]            run for production: one port, signed tokens, rules required
  clave credentials create NAME  make a service account's key for a server of yours (list and revoke, too)
  clave backup FOLDER            copy the data, also while the server runs
  clave restore FOLDER           bring a copy back into an empty data folder
  clave health [URL]             ask whether a server is well, for health checks
  clave export FOLDER            write documents and accounts in the format of Firebase's exports
  clave import FOLDER            read such an export
  clave rules check FILE         print all errors and warnings of a rules file
  clave rules test FOLDER        run a folder of rules cases
  clave firebase -- ARGS…        run the Firebase CLI with Clave in the place of the Firestore emulator
  clave version                  print the version

clave COMMAND --help lists the flags of a command.
`

// gcPercent lets the heap grow to five times what is live before it is collected: requests make much short-lived garbage
// beside a small live heap, and collecting it took a tenth of the time.
const gcPercent = 400

// streams are what a command writes to.
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

// runAsJava does what the Firebase CLI wants of Java and returns the exit code.
func runAsJava(ctx context.Context, args []string, s streams) int {
	code, err := java(ctx, args, s)
	if err != nil {
		fmt.Fprintln(s.err, "clave: "+message(err))
		return max(code, 1)
	}
	return code
}

// stopping returns which signals stop a command besides the usual ones: a terminal that is closed ends what a person has begun in
// it, with all that is to be done at the end, while it has a server for production read its files again.
func stopping(args []string) []os.Signal {
	if len(args) > 0 && (args[0] == "start" || args[0] == "exec") {
		return []os.Signal{syscall.SIGHUP}
	}
	return nil
}

// insteadOf are the commands that stand for those of the Firebase CLI.
var insteadOf = map[string]string{
	"emulators:start": "clave start", "emulators:exec": "clave exec", "emulators:export": "firebase emulators:export, which finds clave start",
}

// run carries out a command line and returns the exit code.
func run(ctx context.Context, args []string, s streams) int {
	if len(args) == 0 {
		fmt.Fprint(s.err, usage)
		return 2
	}
	var err error
	code := 0
	switch args[0] {
	case "start":
		err = start(ctx, args[1:], s)
	case "exec":
		code, err = execute(ctx, args[1:], s)
	case "serve":
		err = serve(ctx, args[1:], s)
	case "credentials":
		err = credentials(ctx, args[1:], s)
	case "backup":
		err = backup(ctx, args[1:], s)
	case "restore":
		err = restore(ctx, args[1:], s)
	case "health":
		err = health(ctx, args[1:], s)
	case "export":
		err = export(ctx, args[1:], s)
	case "import":
		err = importData(ctx, args[1:], s)
	case "rules":
		code, err = rulesCommand(ctx, args[1:], s)
	case "firebase":
		code, err = firebase(ctx, args[1:], s)
	case "firestore-emulator":
		err = firestoreEmulator(ctx, args[1:], s)
	case "version", "--version":
		fmt.Fprintln(s.out, "clave", version())
	case "help", "--help", "-h":
		fmt.Fprint(s.out, usage)
	default:
		if ours := insteadOf[args[0]]; ours != "" {
			fmt.Fprintf(s.err, "clave: there is no command %q; in its place there is %s\n", args[0], ours)
			return 2
		}
		fmt.Fprintf(s.err, "clave: there is no command %q; clave help lists them\n", args[0])
		return 2
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		text := message(err)
		if !strings.HasPrefix(text, "clave ") { // a command that names itself
			text = "clave: " + text
		}
		fmt.Fprintln(s.err, text)
		return max(code, 1)
	}
	return code
}

// message returns what a person should read of an error: the client's text of a named one, else all of it.
func message(err error) string {
	var named *fault.Error
	if errors.As(err, &named) {
		return named.Message
	}
	return err.Error()
}

// version returns the version that the module was built at.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown)"
	}
	return info.Main.Version
}
