package usage

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// compareCounts compares counts by reads, then by writes and deletes, the most first.
func compareCounts(a, b *Counts) int {
	return cmp.Or(cmp.Compare(b.Reads(), a.Reads()), cmp.Compare(b.Writes+b.Deletes+b.Expired, a.Writes+a.Deletes+a.Expired))
}

// compareRows compares rows by their counts, and then by their keys.
func compareRows(a, b Row) int {
	return cmp.Or(
		compareCounts(&a.Counts, &b.Counts),
		strings.Compare(a.Pattern, b.Pattern), strings.Compare(a.Call, b.Call), strings.Compare(a.Query, b.Query),
		strings.Compare(a.Caller, b.Caller), strings.Compare(a.User, b.User), compareRules(a.Rule, b.Rule),
	)
}

// Who returns the caller of a row in words.
func (k Key) Who() string {
	if k.User != "" {
		return k.Caller + " " + k.User
	}
	return k.Caller
}

// What returns the query of a row, or its pattern where it has none.
func (k Key) What() string { return cmp.Or(k.Query, k.Pattern) }

// Print prints a report as a table with at most most rows, and says what the others add up to.
func (r Report) Print(w io.Writer, most int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "reads\twrites\tdeletes\tcalls\tcall\tby\twhat\treads are")
	shown := r.Rows[:min(most, len(r.Rows))]
	for _, row := range shown {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\n", row.Reads, row.Writes, row.Deletes+row.Expired, row.Calls, row.Call, row.Who(), row.What(), row.reasons())
	}
	if rest := r.Rows[len(shown):]; len(rest) > 0 {
		var sum Counts
		for _, row := range rest {
			sum.add(&row.Counts)
		}
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t\t\t%d more rows\t%s\n", sum.Reads(), sum.Writes, sum.Deletes+sum.Expired, sum.Calls, len(rest), sum.reasons())
	}
	fmt.Fprintf(t, "%d\t%d\t%d\t%d\t\t\ttotal\t%s\n", r.Total.Reads, r.Total.Writes, r.Total.Deletes+r.Total.Expired, r.Total.Calls, r.Total.reasons())
	return t.Flush()
}

// reasons lists what the reads consist of.
func (c Counts) reasons() string {
	var parts []string
	for _, p := range []struct {
		n    int64
		name string
	}{
		{c.Documents, "documents"},
		{c.Missing, "missing"},
		{c.Skipped, "skipped"},
		{c.Entries, "index entries"},
		{c.Minimum, "minimum"},
		{c.Lookups, "lookups of rules"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.name))
		}
	}
	return strings.Join(parts, ", ")
}
