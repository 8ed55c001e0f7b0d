package ruletest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"clave/server/internal/rules"
)

// Change is a recorded request that other rules decide otherwise.
type Change struct {
	Case *Case
	// Verdict is that of the other rules.
	Verdict string
	// Explanation explains it.
	Explanation *rules.Explanation
	// Lacking are the documents that the other rules read and the recording lacks; they count as missing.
	Lacking []string
}

// Replay decides recorded cases by other rules and returns those whose verdicts differ. Without a verdict a case is
// decided by its own rules first.
func Replay(ctx context.Context, cases []Case, other *rules.Ruleset) ([]Change, error) {
	var out []Change
	for i := range cases {
		c := &cases[i]
		was := c.Expect
		if was == "" && c.Rules != "" {
			var err error
			if was, _, err = c.Decide(ctx); err != nil {
				return nil, fmt.Errorf("case %s: %w", c.ID, err)
			}
		}
		w, err := c.state(other)
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", c.ID, err)
		}
		w.explain = true
		d, err := w.do(ctx, &c.Op)
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", c.ID, err)
		}
		if now := verdictOf(d.Allowed); now != was {
			out = append(out, Change{Case: c, Verdict: now, Explanation: w.explanation, Lacking: w.lacking})
		}
	}
	return out, nil
}

// verdictOf returns the verdict of a decision.
func verdictOf(allowed bool) string {
	if allowed {
		return Allow
	}
	return Deny
}

// ReplayFiles decides the cases of files or folders by the rules of a file, and writes those whose verdicts differ. It
// returns the exit code: 1 if there are some.
func ReplayFiles(ctx context.Context, folders []string, rulesFile string, w io.Writer) (int, error) {
	r, err := CompileFile(rulesFile)
	if err != nil {
		return 1, err
	}
	all, changed := 0, 0
	for _, folder := range folders {
		files, err := caseFiles(folder)
		if err != nil {
			return 1, err
		}
		for _, file := range files {
			cases, err := readFile(file)
			if err != nil {
				return 1, fmt.Errorf("%s: %w", file, err)
			}
			changes, err := Replay(ctx, cases, r)
			if err != nil {
				return 1, fmt.Errorf("%s: %w", file, err)
			}
			all, changed = all+len(cases), changed+len(changes)
			for i := range changes {
				if _, err := io.WriteString(w, changes[i].text()); err != nil {
					return 1, err
				}
			}
		}
	}
	if _, err := fmt.Fprintf(w, "%s, %d decided otherwise\n", count(all, "request"), changed); err != nil {
		return 1, err
	}
	return min(changed, 1), nil
}

// text describes a change.
func (c *Change) text() string {
	who := "nobody"
	if c.Case.Auth != nil {
		who = c.Case.Auth.UID
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s by %s: %s before, now %s. %s\n", c.Case.ID, who, cmp.Or(c.Case.Expect, "otherwise"), c.Verdict, c.Explanation.Sentence)
	if len(c.Lacking) > 0 {
		fmt.Fprintf(&b, "  not recorded, so taken as missing: %s\n", strings.Join(c.Lacking, ", "))
	}
	return b.String()
}
