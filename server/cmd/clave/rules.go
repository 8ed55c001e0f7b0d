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
	var rules string
	test := &cobra.Command{
		Use: "test [--rules FILE] FOLDER…", Short: "Run recorded cases and compare their decisions",
		Long: "Runs the cases in folders or files and compares each decision with the expected one.",
		Args: words(1, 1<<16, "name the folders or files of cases"),
		RunE: func(cmd *cobra.Command, folders []string) error {
			return exit(ruletest.TestAll(cmd.Context(), folders, rules, s.out))
		},
	}
	test.Flags().StringVar(&rules, "rules", "", "`FILE` of rules for cases without rules of their own (default: firestore.rules, if it exists)")
	cmd := group(s, "rules COMMAND", "Check security rules, and run cases against them", check, test)
	cmd.GroupID = groupTools
	return cmd
}
