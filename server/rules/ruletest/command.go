package ruletest

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
)

// usage is what a wrong command line is answered with.
const usage = `clave rules check [FILE…]               print all errors and warnings of rules files (firestore.rules)
clave rules test [--rules FILE] FOLDER…  decide the cases in folders or files; those without rules of their own by FILE
`

// siteRules is the rules file where none is named.
const siteRules = "firestore.rules"

// Command carries out `clave rules` with its arguments and returns the exit code: 1 when something is wrong with the rules
// or a case fails, 2 for a wrong command line.
func Command(ctx context.Context, args []string, out io.Writer) (code int, err error) {
	if len(args) > 0 {
		switch args[0] {
		case "check":
			return checkAll(args[1:], out)
		case "test":
			return testAll(ctx, args[1:], out)
		}
	}
	_, err = io.WriteString(out, usage)
	return 2, err
}

// checkAll carries out `clave rules check`.
func checkAll(files []string, out io.Writer) (int, error) {
	if len(files) == 0 {
		files = []string{siteRules}
	}
	code := 0
	for _, file := range files {
		ok, err := Check(out, file)
		if err != nil {
			return 1, err
		}
		if !ok {
			code = 1
		}
	}
	return code, nil
}

// testAll carries out `clave rules test`.
func testAll(ctx context.Context, args []string, out io.Writer) (int, error) {
	flags := flag.NewFlagSet("clave rules test", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() { fmt.Fprint(out, usage) }
	rulesFile := flags.String("rules", "", "the rules file of cases without rules of their own")
	if err := flags.Parse(args); err != nil {
		return 2, err
	}
	if flags.NArg() == 0 {
		_, err := io.WriteString(out, usage)
		return 2, err
	}
	if *rulesFile == "" {
		if _, err := os.Stat(siteRules); err == nil {
			*rulesFile = siteRules
		}
	}
	code := 0
	for _, folder := range flags.Args() {
		ok, err := Test(ctx, out, folder, *rulesFile)
		if err != nil {
			return 1, err
		}
		if !ok {
			code = 1
		}
	}
	return code, nil
}
