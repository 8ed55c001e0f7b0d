package config

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/jsontree"
)

// absent are the emulators of the Emulator Suite that Clave does not have, by their names in firebase.json.
var absent = []string{"apphosting", "database", "dataconnect", "eventarc", "extensions", "functions", "pubsub", "storage", "tasks"}

// ignored are flags of the Firebase CLI that have no effect here and would not change a result. They are accepted, so
// that scripts with them run. The map's value is the reason. The flags in takesValue have a value.
var (
	ignored = map[string]string{
		"inspect-functions": "Clave runs no functions",
		"log-verbosity":     "--verbose logs each request",
		"non-interactive":   "Clave has no prompts",
		"interactive":       "Clave has no prompts",
		"token":             "Clave sends nothing to Firebase",
		"account":           "Clave sends nothing to Firebase",
	}
	takesValue = []string{"log-verbosity", "token", "account"}
)

// ignoredFlag is the pflag.Value of an ignored flag.
type ignoredFlag struct {
	c    *Config
	name string
}

// String implements pflag.Value.
func (ignoredFlag) String() string { return "" }

// Set implements pflag.Value.
func (f ignoredFlag) Set(string) error {
	f.c.Notes = append(f.c.Notes, "--"+f.name+" does nothing: "+ignored[f.name])
	return nil
}

// Type implements pflag.Value.
func (f ignoredFlag) Type() string { return "string" }

// declareIgnored declares the ignored flags of the Firebase CLI. The help omits them.
func (c *Config) declareIgnored(flags *pflag.FlagSet) {
	for name := range ignored {
		flags.Var(ignoredFlag{c, name}, name, "")
		f := flags.Lookup(name)
		f.Hidden = true
		if !slices.Contains(takesValue, name) {
			f.NoOptDefVal = "true"
		}
	}
}

// shorts are the Firebase CLI's short flags.
var shorts = map[string]string{"-P": "--project", "-c": "--config", "-i": "--interactive"}

// SuiteArgs converts arguments from the form of the Firebase CLI to that of package pflag: short flags become long
// ones, and a flag with an optional value and the value after it become one word. The arguments of a command are not
// changed.
func SuiteArgs(flags *pflag.FlagSet, args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--" || !strings.HasPrefix(arg, "-") && !IsLine(arg):
			return append(out, args[i:]...)
		case !strings.HasPrefix(arg, "-"):
			out = append(out, arg)
			continue
		}
		if long, ok := shorts[arg]; ok {
			arg = long
		}
		name := strings.TrimLeft(arg, "-")
		if i+1 < len(args) && optional(name, args[i+1]) {
			arg += "=" + args[i+1]
			i++
		}
		out = append(out, arg)
		if f := flags.Lookup(name); f != nil && f.NoOptDefVal == "" && i+1 < len(args) {
			i++
			out = append(out, args[i])
		}
	}
	return out
}

// optional reports whether a word is the value of a flag with an optional value.
func optional(flag, word string) bool {
	switch flag {
	case exportFlag:
		return !strings.HasPrefix(word, "-")
	case "inspect-functions":
		return word != "" && strings.Trim(word, "0123456789") == ""
	}
	return false
}

// IsLine reports whether a command of one argument is a command line for the shell, as in the Firebase CLI.
func IsLine(word string) bool { return strings.ContainsAny(word, " \t\n") }

// setOnly sets the value of --only. A name may be followed by a target, as in hosting:site of the Firebase CLI, which
// selects a site; targets of other names have no effect.
func (c *Config) setOnly(only string) {
	if only == "" {
		return
	}
	for part := range strings.SplitSeq(only, ",") {
		name, target, _ := strings.Cut(strings.TrimSpace(part), ":")
		c.Only = append(c.Only, name)
		switch {
		case name != "hosting":
		case target != "":
			c.sites = append(c.sites, target)
		default:
			c.whole = true
		}
	}
}

// checkOnly returns an error for parts that Clave does not have.
func (c *Config) checkOnly() error {
	for _, part := range c.Only {
		switch {
		case slices.Contains(parts, part):
		case slices.Contains(absent, part):
			return fault.E(fault.InvalidArgument,
				"--only %s: Clave has no such emulator. Leave it out, and start it beside Clave with firebase emulators:start --only %s if you need it", part, part)
		default:
			return fault.E(fault.InvalidArgument, "--only %s: expected one or more of %s", part, strings.Join(parts, ","))
		}
	}
	return nil
}

// noteAbsent records the emulators in firebase.json that Clave does not have.
func (c *Config) noteAbsent(f *firebaseJSON) {
	if c.Mode != ModeStart && c.Mode != ModeExec || len(c.Only) > 0 {
		return
	}
	var listed *jsontree.Value
	if s := f.sections["emulators"]; s != nil {
		listed = s.value
	}
	var missing []string
	for _, name := range absent {
		if f.root.Member(name) != nil || listed.Member(name) != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		c.Notes = append(c.Notes, "firebase.json names "+strings.Join(missing, ", ")+", of which Clave has no emulator")
	}
}
