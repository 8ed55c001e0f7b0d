package eval

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"clave/server/internal/rules/check"
)

// TestSearch compares the matches of random patterns in random texts with those of a search that tries each place of
// the whole text by itself, for searches that are done at once and for those that read the text.
func TestSearch(t *testing.T) {
	parts := []string{"a", "b", "", ".", "é", "[^a]", `\b`, `\B`, "^", "$", `(?m:^)`, `(?m:$)`, "(a)", "(b*)", "a*?", "(?:a.*b|a)", "(?i:A)", "(|a)", "é{0,2}", `\s`, `\z`}
	letters := []string{"a", "b", "é", "\n", " ", "😀"}
	for i := range 2000 {
		random := rand.New(rand.NewPCG(27, uint64(i))) //nolint:gosec // The same in each run.
		pick := func(of []string, n int) string {
			var b strings.Builder
			for range n {
				b.WriteString(of[random.IntN(len(of))])
			}
			return b.String()
		}
		expr, text := pick(parts, 1+random.IntN(3)), pick(letters, random.IntN(7))
		if random.IntN(3) == 0 {
			expr += "|" + pick(parts, 1)
		}
		parsed, err := check.ParsePattern(expr)
		if err != nil {
			t.Fatalf("%q: %v", expr, err)
		}
		want := matchesByPlace(expr, text)
		for _, literal := range []bool{true, false} {
			re, err := parsed.Compile(false, literal)
			if err != nil {
				t.Fatalf("%q: %v", expr, err)
			}
			s := &search{e: &Evaluator{}, re: re, literal: literal}
			var got [][]int
			for m := range s.all(t.Context(), text) {
				got = append(got, m)
			}
			if s.failure != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q in %q, a literal: %t: %v, %v; want %v", expr, text, literal, got, s.failure, want)
			}
		}
	}
}

// matchesByPlace returns all matches of a pattern. It looks for each with patterns that match only at a certain
// character of the text.
func matchesByPlace(expr, text string) (matches [][]int) {
	for from := 0; from <= utf8.RuneCountInString(text); {
		re := regexp.MustCompile(fmt.Sprintf(`\A(?s:.{%d})(%s)`, from, expr))
		m := re.FindStringSubmatchIndex(text)
		if m == nil {
			from++
			continue
		}
		matches = append(matches, m[2:])
		from += max(utf8.RuneCountInString(text[m[2]:m[3]]), 1)
	}
	return matches
}
