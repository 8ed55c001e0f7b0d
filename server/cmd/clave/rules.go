package main

import (
	"github.com/spf13/cobra"

	"clave/server/internal/rules/ruletest"
)

// rulesCommand returns `clave rules`.
func rulesCommand(s streams) *cobra.Command {
	check := &cobra.Command{
		Use: "check [FILE…]", Short: "Print all errors and warnings of rules files (default: firestore.rules)",
		RunE: func(_ *cobra.Command, files []string) error { return exit(ruletest.CheckAll(files, s.out)) },
	}
	cmd := group(s, "rules COMMAND", "Check, test, explain and attack security rules", check, rulesTestCommand(s), rulesExplainCommand(s), rulesReplayCommand(s), rulesAttackCommand(s))
	cmd.GroupID = groupTools
	return cmd
}

// rulesTestCommand returns `clave rules test`.
func rulesTestCommand(s streams) *cobra.Command {
	var rules string
	cmd := &cobra.Command{
		Use: "test [--rules FILE] FOLDER…", Short: "Run recorded cases and compare their decisions",
		Long: "Runs the cases in folders or files and compares each decision with the expected one.",
		Args: words(1, 1<<16, "name the folders or files of cases"),
		RunE: func(cmd *cobra.Command, folders []string) error {
			return exit(ruletest.TestAll(cmd.Context(), folders, rules, s.out))
		},
	}
	cmd.Flags().StringVar(&rules, "rules", "", "`FILE` of rules for cases without rules of their own (default: firestore.rules, if it exists)")
	return cmd
}

// rulesReplayCommand returns `clave rules replay`.
func rulesReplayCommand(s streams) *cobra.Command {
	var rules string
	cmd := &cobra.Command{
		Use: "replay --rules FILE RECORDING…", Short: "List the recorded requests that other rules would decide otherwise",
		Long: "Decides recorded requests, or the cases of clave rules test, by other rules, and lists those whose decisions differ, each with its\n" +
			"reason. Exits with 1 if there are some. clave exec --record-requests FILE makes a recording.",
		Args: words(1, 1<<16, "name the recordings"),
		RunE: func(cmd *cobra.Command, files []string) error {
			return exit(ruletest.ReplayFiles(cmd.Context(), files, rules, s.out))
		},
	}
	cmd.Flags().StringVar(&rules, "rules", "", "`FILE` of the other rules (default: firestore.rules)")
	return cmd
}
