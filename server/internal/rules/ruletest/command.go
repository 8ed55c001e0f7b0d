package ruletest

import (
	"context"
	"io"
	"os"
)

// defaultRulesFile is the rules file where none is named.
const defaultRulesFile = "firestore.rules"

// CheckAll prints the issues of rules files, by default of firestore.rules. It returns the exit code: 1 if one of them
// has an error.
func CheckAll(files []string, out io.Writer) (int, error) {
	if len(files) == 0 {
		files = []string{defaultRulesFile}
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

// TestAll decides the cases in folders or files. Cases without rules of their own use rulesFile, by default
// firestore.rules if it exists. It returns the exit code: 1 if a case fails.
func TestAll(ctx context.Context, folders []string, rulesFile string, out io.Writer) (int, error) {
	if rulesFile == "" {
		if _, err := os.Stat(defaultRulesFile); err == nil {
			rulesFile = defaultRulesFile
		}
	}
	code := 0
	for _, folder := range folders {
		ok, err := Test(ctx, out, folder, rulesFile)
		if err != nil {
			return 1, err
		}
		if !ok {
			code = 1
		}
	}
	return code, nil
}
