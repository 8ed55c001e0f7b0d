package config

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"clave/server/internal/base/fault"
)

// Flags are the flags of one mode. Config returns the Config for the parsed flags.
type Flags struct {
	config *Config
	set    *pflag.FlagSet
	// path is --config, and only is --only.
	path, only string
}

// Declare declares the flags of a mode in a set.
func Declare(set *pflag.FlagSet, mode Mode) *Flags {
	c := &Config{Mode: mode}
	f := &Flags{config: c, set: set}
	set.SetInterspersed(mode != ModeExec) // the command's own flags follow it
	set.StringVarP(&f.path, "config", "c", "", "`FILE` to read as firebase.json (default: that of the current folder or the nearest one above it)")
	c.declare(set)
	if !mode.offline() {
		set.StringVar(&f.only, "only", "", "`PARTS` to run, separated by commas: "+strings.Join(parts, ","))
		c.declareServer(set)
	}
	return f
}

// Config returns the Config from the parsed flags, the environment and firebase.json. Its errors are InvalidArgument or
// FailedPrecondition, with a text that names the remedy; those of the command line are UsageErrors.
func (f *Flags) Config(getenv func(string) string) (*Config, error) {
	c := f.config
	if err := f.setCommand(f.set.Args(), f.set.ArgsLenAtDash()); err != nil {
		return nil, misuse(err)
	}
	c.importsToMemory(f.set)
	c.given = make(map[string]bool)
	f.set.Visit(func(flag *pflag.Flag) { c.given[flag.Name] = true })
	if c.Mode != ModeExec && !c.Mode.offline() && len(c.Command) > 0 {
		return nil, misuse(fault.E(fault.InvalidArgument, "unexpected argument %q; see clave %s --help", c.Command[0], c.Mode))
	}
	c.setOnly(f.only)
	c.fromEnvironment(getenv)
	if err := c.readProject(f.path); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return c, misuse(err)
	}
	return c, c.checkRulesFiles()
}

// setCommand sets the command from the words that are not flags. dash is the number of words before --, or -1. As in
// the Firebase CLI, flags may follow a command line in quotes: exec "npm test" --only auth. After a command that is not
// in quotes, all flags belong to that command.
func (f *Flags) setCommand(words []string, dash int) error {
	if f.config.Mode != ModeExec || len(words) < 2 || !IsLine(words[0]) || dash == 0 {
		f.config.Command = words
		return nil
	}
	if err := f.set.Parse(SuiteArgs(f.set, words[1:])); err != nil {
		return FlagError(err, f.config.Mode)
	}
	if f.set.NArg() > 0 {
		return fault.E(fault.InvalidArgument, "unexpected argument %q after the script %q; give one script in quotes, or -- and a command with its arguments", f.set.Arg(0), words[0])
	}
	f.config.Command = words[:1]
	return nil
}

// FlagError returns the error of a command line with wrong flags.
func FlagError(err error, mode Mode) error {
	return fault.Wrap(err, fault.InvalidArgument, "%v; clave %s --help lists the flags", err, mode)
}

// Parse reads the flags of one mode, then the environment and firebase.json. With --help it prints the flags to usage
// and returns pflag.ErrHelp.
func Parse(mode Mode, args []string, getenv func(string) string, usage io.Writer) (*Config, error) {
	set := pflag.NewFlagSet("clave "+string(mode), pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() { fmt.Fprint(usage, set.FlagUsages()) }
	f := Declare(set, mode)
	err := set.Parse(SuiteArgs(set, args))
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return nil, err
	case err != nil:
		return nil, FlagError(err, mode)
	}
	return f.Config(getenv)
}
