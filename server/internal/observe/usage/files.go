package usage

import (
	"os"

	"clave/server/internal/base/fault"
)

// ReadBudget reads the file of --usage-budget; without a file there is no budget.
func ReadBudget(file string) (*Budget, error) { return read("--usage-budget", file, ParseBudget) }

// ReadPrices reads the file of --usage-prices; without a file there are none.
func ReadPrices(file string) (*Prices, error) { return read("--usage-prices", file, ParsePrices) }

// read reads and parses the file of a flag; nil without a file.
func read[T any](flag, file string, parse func(text []byte) (T, error)) (*T, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fault.Wrap(err, fault.NotFound, "%s: %s", flag, err)
	}
	parsed, err := parse(text)
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidArgument, "%s %s: %s", flag, file, fault.Reason(err))
	}
	return &parsed, nil
}
