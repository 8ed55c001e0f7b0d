package main

import (
	"context"

	"clave/server/rules/ruletest"
)

// rulesCommand runs `clave rules check` and `clave rules test` and returns the exit code.
func rulesCommand(ctx context.Context, args []string, s streams) (int, error) {
	return ruletest.Command(ctx, args, s.out)
}
