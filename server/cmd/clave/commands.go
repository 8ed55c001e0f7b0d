package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
)

// The groups of commands in the help.
const (
	groupServers = "servers"
	groupData    = "data"
	groupTools   = "tools"
)

// newRoot returns the command line with all its commands.
func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "clave COMMAND",
		Short:         "Cloud Firestore and Firebase Authentication on your own machine",
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          func(cmd *cobra.Command, args []string) error { return noCommand(cmd, args, s) },
	}
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetVersionTemplate("clave {{.Version}}\n")
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(cmd.OutOrStdout(), cmd) })
	root.SetUsageFunc(func(cmd *cobra.Command) error { printHelp(cmd.OutOrStdout(), cmd); return nil })
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exit(exitUsage, fault.Wrap(err, fault.InvalidArgument, "%v; %s --help lists the flags", err, cmd.CommandPath()))
	})
	root.AddGroup(&cobra.Group{ID: groupServers, Title: "Servers"}, &cobra.Group{ID: groupData, Title: "Data"}, &cobra.Group{ID: groupTools, Title: "Tools"})
	root.SetHelpCommandGroupID(groupTools)
	root.SetCompletionCommandGroupID(groupTools)
	root.AddCommand(startCommand(s), execCommand(s), serveCommand(s), firebaseCommand(s), firestoreEmulatorCommand(s))
	root.AddCommand(backupCommand(s), restoreCommand(s), backupsCommand(s), verifyCommand(s), historyCommand(s), cloneCommand(s), exportCommand(s), importCommand(s), migrateCommand(s), seedCommand(s), moveCommand(s), credentialsCommand(s), appCheckCommand(s), providersCommand(s), eventsCommand(s))
	root.AddCommand(consoleCommand(s), mcpCommand(), rulesCommand(s), healthCommand(s), statusCommand(s), deployCommand(s), clusterCommand(s), versionCommand(s))
	// cobra adds these two only to a command that has others.
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	describeAdded(root)
	for _, cmd := range root.Commands() {
		completeFlags(cmd)
	}
	return root
}

// describeAdded sets the descriptions of the commands that cobra has added.
func describeAdded(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Use, cmd.Short = "help [COMMAND]", "Describe a command"
			cmd.Long = "Describes a command, as COMMAND --help does. Without COMMAND, it lists all commands."
		case "completion":
			cmd.Use, cmd.Short = "completion SHELL", "Print a script that completes commands in a shell"
			cmd.Long = "Prints a script that completes commands and flags of clave in a shell. The help of each shell describes how to load the script."
			for _, shell := range cmd.Commands() {
				shell.Short = "Print the script for " + shell.Name()
				shell.Args = words(0, 0, "takes no arguments")
			}
		}
	}
}

// The exit codes of failures.
const (
	exitFailure = 1
	exitUsage   = 2 // The command line was wrong, and nothing was begun.
)

// exitError ends the program with a code. err, if any, is printed.
type exitError struct {
	code int
	err  error
}

// Error implements error.
func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

// Unwrap returns the error that is printed.
func (e *exitError) Unwrap() error { return e.err }

// exit returns the error that ends the program with a code, nil for 0 without an error.
func exit(code int, err error) error {
	if code == 0 {
		return err
	}
	return &exitError{code, err}
}

// usageError returns the error that ends the program because its command line is wrong.
func usageError(format string, args ...any) error {
	return exit(exitUsage, fault.E(fault.InvalidArgument, format, args...))
}

// insteadOf maps commands of the Firebase CLI to their replacements.
var insteadOf = map[string]string{
	"emulators:start": "clave start", "emulators:exec": "clave exec", "emulators:export": "firebase emulators:export, which finds clave start",
}

// noCommand returns the error for a command line whose first word is not a command.
func noCommand(cmd *cobra.Command, args []string, s streams) error {
	if len(args) == 0 {
		printHelp(s.err, cmd)
		return exit(exitUsage, nil)
	}
	path := cmd.CommandPath()
	text := fmt.Sprintf("%s: there is no command %q; ", path, args[0])
	if ours := insteadOf[args[0]]; ours != "" && !cmd.HasParent() {
		return usageError("%suse %s instead", text, ours)
	}
	cmd.SuggestionsMinimumDistance = 2 // edits
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usageError("%sdid you mean %s %s?", text, path, strings.Join(near, " or "))
	}
	return usageError("%s%s --help lists them", text, path)
}

// wrongWord returns the error for a command line that names no command before --help or after help, where cobra prints
// the help of what precedes the wrong word.
func wrongWord(root *cobra.Command, args []string, s streams) error {
	cmd, rest, err := root.Find(args)
	if err == nil && cmd.Name() == "help" {
		cmd, rest, err = root.Find(rest)
	}
	if err != nil || !cmd.HasSubCommands() || len(rest) == 0 || strings.HasPrefix(rest[0], "-") || strings.HasPrefix(rest[0], "__") {
		return nil // A command of completion scripts begins with two underscores; cobra adds it later.
	}
	return noCommand(cmd, rest, s)
}

// group returns a command that only has subcommands.
func group(s streams, use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return noCommand(cmd, args, s) },
	}
	cmd.FParseErrWhitelist.UnknownFlags = true // the mistake is the wrong word, not the flags after it
	cmd.AddCommand(commands...)
	for _, sub := range commands {
		completeFlags(sub)
	}
	return cmd
}

// configured adds the flags of a mode to a command, and runs the command with the resulting Config.
func configured(cmd *cobra.Command, mode config.Mode, run func(ctx context.Context, c *config.Config) error) *cobra.Command {
	flags := config.Declare(cmd.Flags(), mode)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := flags.Config(os.Getenv)
		if err != nil {
			return err
		}
		return run(cmd.Context(), c)
	}
	return cmd
}

// words returns a check that the number of words on a command line is between least and most.
func words(least, most int, want string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		return usageError("%s: %s; see %s --help", cmd.CommandPath(), want, cmd.CommandPath())
	}
}

// completeFlags declares the values of flags for shell completion.
func completeFlags(cmd *cobra.Command) {
	values := map[string][]string{"indexes": {"off", "record", "auto", "enforce"}, "only": {"firestore", "auth", "hosting"}, "role": {"owner", "datastore-owner", "index-admin", "rules-admin", "hosting-admin", "viewer"}}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		metavar, _ := pflag.UnquoteUsage(f)
		switch {
		case values[f.Name] != nil:
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(values[f.Name], cobra.ShellCompDirectiveNoFileComp))
		case metavar == "FOLDER":
			_ = cmd.MarkFlagDirname(f.Name)
		case metavar != "FILE":
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.NoFileCompletions)
		}
	})
}

// versionCommand returns `clave version`.
func versionCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version, commit and date of the build", GroupID: groupTools, Args: words(0, 0, "takes no arguments"),
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(s.out, "clave "+versionText()+"\n")
			return err
		},
	}
}
