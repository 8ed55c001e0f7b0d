package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
	"clave/server/internal/observe/usage"
)

// maxUsageRows is the number of rows that clave exec --usage prints.
const maxUsageRows = 50

// maxCostRows is the number of patterns whose costs are printed.
const maxCostRows = 10

// maxRuleRows is the number of rules of which clave exec --usage prints what they decided.
const maxRuleRows = 50

// maxStoredRows is the number of patterns of which clave exec --usage prints what their documents occupy.
const maxStoredRows = 20

// stored returns what the documents of a running server occupy, nil if they were not asked for or Firestore does not
// run.
func stored(ctx context.Context, c *config.Config, address string) (*usage.StorageReport, error) {
	if address == "" || !c.Usage && c.UsagePrices == "" {
		return nil, nil
	}
	body, err := control(ctx, address, "usage?stored=true")
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "--usage: %s", err)
	}
	defer func() { _ = body.Close() }() // a read
	var r usage.Report
	if err := json.NewDecoder(body).Decode(&r); err != nil {
		return nil, fault.Wrap(err, fault.Internal, "--usage: %s", err)
	}
	return r.Stored, nil
}

// limitsOfUsage are the files by which the usage of a command is judged; nil where there is none.
type limitsOfUsage struct {
	budget *usage.Budget
	prices *usage.Prices
}

// readLimits reads the files of a configuration.
func readLimits(c *config.Config) (l limitsOfUsage, err error) {
	if l.budget, err = usage.ReadBudget(c.UsageBudget); err != nil {
		return l, err
	}
	l.prices, err = usage.ReadPrices(c.UsagePrices)
	return l, err
}

// checkUsage prints the usage of a command if that was requested, and returns the command's exit code, or a failure if
// the command succeeded and has exceeded its budget.
func checkUsage(code int, c *config.Config, used usage.Report, l limitsOfUsage, w io.Writer) (int, error) {
	if c.Usage {
		fmt.Fprintln(w, "\nUsage as production would bill it:")
		if err := used.Print(w, maxUsageRows); err != nil {
			return code, err
		}
		if len(used.Rules) > 0 {
			fmt.Fprintln(w)
			if err := used.PrintRules(w, maxRuleRows); err != nil {
				return code, err
			}
		}
		if used.Stored != nil {
			fmt.Fprintln(w)
			if err := used.Stored.Print(w, maxStoredRows); err != nil {
				return code, err
			}
		}
	}
	if l.prices != nil {
		fmt.Fprintln(w)
		if err := l.prices.Print(w, used, maxCostRows); err != nil {
			return code, err
		}
	}
	if l.budget == nil {
		return code, nil
	}
	if n := l.budget.Check(used, w); n > 0 && code == 0 {
		return exitFailure, fault.E(fault.ResourceExhausted, "exec: the command exceeded %d of the limits in %s", n, c.UsageBudget)
	}
	return code, nil
}
