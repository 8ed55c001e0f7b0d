package main

import (
	"fmt"
	"io"
	"os"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
	"clave/server/internal/observe/usage"
)

// maxUsageRows is the number of rows that clave exec --usage prints.
const maxUsageRows = 50

// readBudget reads the file of a budget; without a file there is no budget.
func readBudget(file string) (*usage.Budget, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fault.Wrap(err, fault.NotFound, "--usage-budget: %s", err)
	}
	b, err := usage.ParseBudget(text)
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidArgument, "--usage-budget %s: %s", file, fault.Reason(err))
	}
	return &b, nil
}

// checkUsage prints the usage of a command if that was requested, and returns the command's exit code, or a failure if
// the command succeeded and has exceeded its budget.
func checkUsage(code int, c *config.Config, used usage.Report, budget *usage.Budget, w io.Writer) (int, error) {
	if c.Usage {
		fmt.Fprintln(w, "\nUsage as production would bill it:")
		if err := used.Print(w, maxUsageRows); err != nil {
			return code, err
		}
	}
	if budget == nil {
		return code, nil
	}
	if n := budget.Check(used, w); n > 0 && code == 0 {
		return exitFailure, fault.E(fault.ResourceExhausted, "exec: the command exceeded %d of the limits in %s", n, c.UsageBudget)
	}
	return code, nil
}
