package usage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"clave/server/internal/base/fault"
)

// Budget limits the reads of a command.
type Budget struct {
	// Reads is the maximum number of reads in all; nil sets none.
	Reads *int64 `json:"reads"`
	// Patterns are the maximum numbers of reads by pattern.
	Patterns map[string]int64 `json:"patterns"`
}

// ParseBudget parses a budget in JSON.
func ParseBudget(text []byte) (b Budget, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		return b, fault.Wrap(err, fault.InvalidArgument, "A budget is {\"reads\": 500, \"patterns\": {\"users/*/orders\": 100}}: %s.", err)
	}
	if d.More() {
		return b, fault.E(fault.InvalidArgument, "A budget is one JSON object; text follows it.")
	}
	if b.Reads == nil && len(b.Patterns) == 0 {
		return b, fault.E(fault.InvalidArgument, "A budget without reads and patterns limits nothing.")
	}
	if b.Reads != nil && *b.Reads < 0 {
		return b, fault.E(fault.InvalidArgument, "reads is %d; it must not be negative.", *b.Reads)
	}
	for pattern, n := range b.Patterns {
		if n < 0 {
			return b, fault.E(fault.InvalidArgument, "The budget of %s is %d; it must not be negative.", pattern, n)
		}
	}
	return b, nil
}

// maxCulprits is the number of rows that are named for each exceeded limit.
const maxCulprits = 5

// Check prints which limits a report exceeds, each with the rows that read most, and returns how many they are.
func (b Budget) Check(r Report, w io.Writer) (exceeded int) {
	over := func(what string, reads, most int64, rows []Row) {
		if reads <= most {
			return
		}
		exceeded++
		fmt.Fprintf(w, "%s: %d reads, %d allowed\n", what, reads, most)
		for _, row := range rows[:min(maxCulprits, len(rows))] {
			if row.Reads > 0 {
				fmt.Fprintf(w, "  %d by %d × %s %s (%s): %s\n", row.Reads, row.Calls, row.Call, row.What(), row.Who(), row.reasons())
			}
		}
	}
	if b.Reads != nil {
		over("all collections", r.Total.Reads, *b.Reads, r.Rows)
	}
	for _, pattern := range slices.Sorted(maps.Keys(b.Patterns)) {
		var reads int64
		var rows []Row
		for _, row := range r.Rows {
			if row.Pattern == pattern {
				reads += row.Reads
				rows = append(rows, row)
			}
		}
		over(pattern, reads, b.Patterns[pattern], rows)
	}
	return exceeded
}
