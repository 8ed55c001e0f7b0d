package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"clave/server/internal/base/fault"
)

// optionalValue are the boolean flags of the official emulator whose value is optional.
var optionalValue = []string{"single_project_mode", "single_project_mode_error"}

// ParseFirestoreEmulator reads the flags of the official Firestore emulator, with which the Firebase CLI starts it. The
// result runs only Firestore, in memory, without a hub, because the CLI has its own. No firebase.json is read. With
// --help it prints the flags to usage and returns pflag.ErrHelp. Its other errors are UsageErrors.
func ParseFirestoreEmulator(args []string, usage io.Writer) (*Config, error) {
	c := &Config{
		Mode: ModeStart, Memory: true, Only: []string{"firestore"}, NoHub: true, Indexes: "off", DataDir: ".clave",
		Databases: []Database{{ID: "(default)"}}, TempDir: os.TempDir(), Project: noProject,
	}
	flags := pflag.NewFlagSet("clave firestore-emulator", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {
		fmt.Fprintf(usage, "Runs Firestore alone, in memory, with the official emulator's flags.\n\nUsage:\n  clave firestore-emulator [flags]\n\nFlags:\n%s", flags.FlagUsages())
	}
	flags.StringVar(&c.Host, "host", "127.0.0.1", "`ADDRESS` to listen on")
	flags.IntVar(&c.Ports.Firestore, "port", 8080, "`PORT` of gRPC, REST and WebChannel")
	flags.IntVar(&c.Ports.Websocket, "websocket_port", 0, "`PORT` of the request monitor; 0 for any free port")
	flags.StringVar(&c.Databases[0].RulesFile, "rules", "", "`FILE` of rules")
	flags.StringVar(&c.Project, "project_id", noProject, "`ID` of the project to which --rules apply")
	flags.StringVar(&c.Functions, "functions_emulator", "", "`HOST:PORT` of the functions emulator")
	seed := flags.String("seed_from_export", "", "an export's `FOLDER`/NAME.overall_export_metadata to begin with")
	flags.StringVar(&c.Edition, "database-edition", standard, "`EDITION` of the databases: standard, or enterprise, which has pipelines")
	flags.BoolVar(&c.SingleProject, "single_project_mode", false, "log the first request for another project")
	flags.BoolVar(&c.SingleProject, "single_project_mode_error", false, "same as --single_project_mode")
	flags.String("webchannel_port", "", "ignored: WebChannel is on --port; `PORT` may be any")
	flags.String("log_level", "", "ignored; `LEVEL` may be any")
	err := flags.Parse(withValues(args))
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return nil, err
	case err != nil:
		return nil, misuse(fault.Wrap(err, fault.InvalidArgument, "%v; clave firestore-emulator --help lists the flags", err))
	case flags.NArg() > 0:
		return nil, misuse(fault.E(fault.InvalidArgument, "unexpected argument %q; clave firestore-emulator --help lists the flags", flags.Arg(0)))
	}
	if err := checkEdition(c.Edition); err != nil {
		return nil, misuse(err)
	}
	if *seed != "" {
		c.ImportDir = filepath.Dir(*seed)
	}
	return c, nil
}

// withValues joins flags with their values, which the CLI passes as separate arguments, even for flags whose values
// package pflag treats as optional.
func withValues(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if slices.Contains(optionalValue, strings.TrimLeft(arg, "-")) && i+1 < len(args) {
			if _, err := strconv.ParseBool(args[i+1]); err == nil {
				i++
				arg += "=" + args[i]
			} else if !strings.HasPrefix(args[i+1], "-") { // as the CLI's "Warning"
				i++
			}
		}
		out = append(out, arg)
	}
	return out
}
