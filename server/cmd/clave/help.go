package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagGroups are the groups of flags in the help, in their order. Flags of no group come last.
var flagGroups = []struct {
	title string
	flags []string
}{
	{"Project and data", []string{"config", "project", "only", "data", "store", "database", "memory", "import", "seed", "export-on-exit", "memory-limit"}},
	{"Network", []string{"host", "port", "http-port", "public-url", "trust-proxy", "service", "anonymous-writes", "functions-emulator", "events", "ui", "console", "console-plain", "admin-api", "admin-exports", "metrics", "cluster-listen"}},
	{"History and backups", []string{"history", "history-bytes", "backup-to", "backup-every", "backup-keep", "backup-verify", "backup-log", "backup-key-file", "backup-endpoint", "backup-region", "backup-addressing"}},
	{"Certificates", []string{"tls-cert", "tls-key", "acme-domain", "acme-email", "acme-directory"}},
	{"Firestore", []string{"indexes", "edition", "usage", "usage-budget", "usage-prices", "explain-denials", "record-requests"}},
	{"Authentication", []string{"sign-tokens", "rate-limits", "mail", "sms-webhook", "secret-key-file", "no-sign-up", "app-check", "app-check-keys", "as-emulator", "production-settings"}},
}

// helpWidth is the width of the help in characters.
const helpWidth = 120

// printHelp prints the description of a command, its usage, its subcommands and its flags.
func printHelp(w io.Writer, cmd *cobra.Command) {
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	fmt.Fprintf(w, "%s\n\nUsage:\n  %s\n", strings.TrimSpace(about), strings.ReplaceAll(usageLine(cmd), "\n", "\n  "))
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	printCommands(w, cmd)
	printFlags(w, cmd)
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n%s COMMAND --help describes a command.\n", cmd.CommandPath())
	}
	if !cmd.HasParent() {
		fmt.Fprint(w, "Exit codes: 0 for success, 1 for a failure, 2 for a wrong command line. exec and firebase return the code of the command that they run.\n")
	}
}

// usageLine returns the usage of a command in one line.
func usageLine(cmd *cobra.Command) string {
	if cmd.HasParent() {
		return cmd.Parent().CommandPath() + " " + cmd.Use
	}
	return cmd.Use
}

// printCommands prints the subcommands by group.
func printCommands(w io.Writer, cmd *cobra.Command) {
	groups := cmd.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands"}}
	}
	for _, group := range groups {
		table := tabwriter.NewWriter(w, 18, 0, 2, ' ', 0)
		title := "\n" + group.Title + ":\n"
		for _, sub := range cmd.Commands() {
			if sub.GroupID == group.ID && sub.IsAvailableCommand() || sub.GroupID == group.ID && sub.Name() == "help" {
				fmt.Fprintf(w, "%s", title)
				title = ""
				fmt.Fprintf(table, "  %s\t%s\n", sub.Name(), sub.Short)
			}
		}
		_ = table.Flush()
	}
}

// printFlags prints the flags by group.
func printFlags(w io.Writer, cmd *cobra.Command) {
	rest := pflag.NewFlagSet("", pflag.ContinueOnError)
	rest.AddFlagSet(cmd.LocalFlags())
	left := func(f *pflag.Flag, names []string) bool {
		for _, name := range names {
			if f.Name == name {
				return true
			}
		}
		return false
	}
	for _, group := range flagGroups {
		some, others := pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
		rest.VisitAll(func(f *pflag.Flag) {
			if left(f, group.flags) {
				some.AddFlag(f)
			} else {
				others.AddFlag(f)
			}
		})
		rest = others
		printSet(w, group.title, some)
	}
	printSet(w, "Other flags", rest)
}

// printSet prints the flags of one group that are not hidden.
func printSet(w io.Writer, title string, set *pflag.FlagSet) {
	if set.HasAvailableFlags() {
		fmt.Fprintf(w, "\n%s:\n%s", title, strings.ReplaceAll(set.FlagUsagesWrapped(helpWidth), "[=true]", "       "))
	}
}
