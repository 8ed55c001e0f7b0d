package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"clave/server/internal/base/fault"
	"clave/server/internal/rules/attack"
	"clave/server/internal/rules/ruletest"
)

// attackFlags are the flags of `clave rules attack`.
type attackFlags struct {
	from           []string
	format, proofs string
}

// rulesAttackCommand returns `clave rules attack`.
func rulesAttackCommand(s streams) *cobra.Command {
	f := &attackFlags{}
	cmd := &cobra.Command{
		Use: "attack [FILE] [--from RECORDING…] [flags]", Short: "Search rules for requests that they should not allow",
		Long: "Makes requests that a rules file (default: firestore.rules) allows, from the rules and from recorded requests or cases of clave rules\n" +
			"test, and changes who asks, whose document it is, fields, types, sizes, times and collections. What is still allowed is listed with\n" +
			"the line that allows it. A comment \"// attack ok: KIND: reason\" at the statement explains a finding. Exits with 1 if findings remain.",
		Example: "  clave rules attack\n  clave rules attack firestore.rules --from requests.jsonl --proofs attack.test.mjs",
		Args:    words(0, 1, "give one rules file"),
		RunE: func(cmd *cobra.Command, files []string) error {
			file := "firestore.rules"
			if len(files) > 0 {
				file = files[0]
			}
			return exit(f.run(cmd.Context(), file, s))
		},
	}
	cmd.Flags().StringArrayVar(&f.from, "from", nil, "`FILE` of recorded requests or cases; repeatable")
	cmd.Flags().StringVar(&f.format, "format", "text", "`FORMAT`: text or json, which has each request as a case of clave rules test")
	cmd.Flags().StringVar(&f.proofs, "proofs", "", "`FILE` for a test program with @firebase/rules-unit-testing, which fails while the findings remain")
	return cmd
}

// run attacks the rules of a file and returns the exit code.
func (f *attackFlags) run(ctx context.Context, file string, s streams) (int, error) {
	if f.format != "text" && f.format != "json" {
		return 1, usageError("clave rules attack: the format must be text or json")
	}
	r, err := ruletest.CompileFile(file)
	if err != nil {
		return 1, err
	}
	var cases []ruletest.Case
	for _, name := range f.from {
		in, err := os.Open(name)
		if err != nil {
			return 1, fault.Wrap(err, fault.NotFound, "--from: %s", err)
		}
		more, err := ruletest.ReadCases(in)
		_ = in.Close() // a read
		if err != nil {
			return 1, fault.Wrap(err, fault.InvalidArgument, "--from %s: %s", name, err)
		}
		cases = append(cases, more...)
	}
	report, err := attack.Run(ctx, r, cases)
	if err != nil {
		return 1, err
	}
	if f.proofs != "" {
		whole, err := filepath.Abs(file)
		if err != nil {
			return 1, err
		}
		if err := os.WriteFile(f.proofs, []byte(report.Proofs(whole)), 0o600); err != nil {
			return 1, err
		}
	}
	if f.format == "json" {
		err = report.WriteJSON(s.out)
	} else {
		err = report.Print(s.out, file)
	}
	return min(report.Open(), 1), err
}
