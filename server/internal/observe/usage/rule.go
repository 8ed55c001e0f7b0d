package usage

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// NoRule is the match of the rule of requests that were denied because no allow statement applies.
const NoRule = "(no rule)"

// Rule is an allow statement of security rules.
type Rule struct {
	// Line is the line at which its condition begins, and Match the path of its match, as in /users/{uid}.
	Line  int    `json:"line"`
	Match string `json:"match"`
}

// String returns the rule in words.
func (r Rule) String() string {
	if r.Line == 0 {
		return r.Match
	}
	return fmt.Sprintf("line %d %s", r.Line, r.Match)
}

// compareRules compares rules by their places.
func compareRules(a, b Rule) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), strings.Compare(a.Match, b.Match))
}

// RuleCounts are the counts of the requests that a rule decided.
type RuleCounts struct {
	Rule
	// Reads is the number of billed reads.
	Reads int64 `json:"reads"`
	Counts
}

// byRule returns the sums of the rows that rules decided.
func (r Report) byRule() []RuleCounts {
	all := sums(r, func(k *Key) (Rule, bool) { return k.Rule, k.Rule != Rule{} }, compareRules)
	out := make([]RuleCounts, len(all))
	for i, s := range all {
		out[i] = RuleCounts{s.of, s.Reads(), s.Counts}
	}
	return out
}

// PrintRules prints what the requests that each rule decided cost, as a table with at most most rules, and says what
// the others add up to.
func (r Report) PrintRules(w io.Writer, most int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "documents\tmissing\tlookups\twrites\tdeletes\tdenials\tdecided by")
	print := func(c Counts, what string) {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%d\t%d\t%s\n", c.Documents, c.Missing, c.Lookups, c.Writes, c.Deletes+c.Expired, c.Denials, what)
	}
	shown := r.Rules[:min(most, len(r.Rules))]
	for _, rule := range shown {
		print(rule.Counts, rule.String())
	}
	if rest := r.Rules[len(shown):]; len(rest) > 0 {
		var sum Counts
		for _, rule := range rest {
			sum.add(&rule.Counts)
		}
		print(sum, fmt.Sprintf("%d more rules", len(rest)))
	}
	return t.Flush()
}
