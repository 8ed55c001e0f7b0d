package eval

import (
	"context"
	"iter"

	"clave/server/internal/rules/check"
)

// search applies a regular expression to texts.
//
// The work is known beforehand only for some expressions. A search whose work could be great therefore counts what it
// reads, and stops at the limits.
type search struct {
	e       *Evaluator
	re      *check.Compiled
	literal bool
	// failure is what ended the search early, or nil.
	failure *Failure
}

// quick is the number of steps up to which a search may be done at once, in some ten milliseconds.
const quick = 1 << 23

// stepsOfRune is the number of steps that a character costs besides one for each instruction.
const stepsOfRune = 24

// matches reports whether the expression matches the whole text.
func (s *search) matches(ctx context.Context, text string) bool {
	count := s.counter(ctx, text, 1)
	return s.failure == nil && s.re.MatchesWhole(text, count)
}

// all returns the positions of all matches and their groups, like repeated calls of Java's Matcher.find: unlike in Go,
// an empty match may directly follow another match. They end early if there is a failure.
//
// Matches are found one after the other: all of those of a long text together would take a hundred times its memory.
func (s *search) all(ctx context.Context, text string) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		count := s.counter(ctx, text, min(s.re.Overrun, len(text))+2)
		for from := 0; from <= len(text) && s.failure == nil; {
			m := s.re.Next(text, from, count)
			if m == nil || !yield(m) {
				return
			}
			from = check.After(text, m)
		}
	}
}

// counter returns what counts a search that reads a text the given number of times at most. It is nil if the search
// needs no counting meanwhile; then it is counted already.
func (s *search) counter(ctx context.Context, text string, times int) check.Count {
	if s.literal && len(text) <= quick && s.re.Instructions <= quick && s.re.Instructions*len(text) <= quick/times {
		s.failure = s.e.work(ctx, len(text)*(stepsOfRune+s.re.Instructions)/perInstruction)
		return nil
	}
	return func(runes int) bool {
		s.count(ctx, runes)
		return s.failure == nil
	}
}

// count counts characters that have been read.
func (s *search) count(ctx context.Context, runes int) {
	steps := (runes + 1) * (stepsOfRune + s.re.Instructions*(1+s.re.Groups/groupsOfStep))
	if !s.literal {
		s.failure = s.e.patternWork(ctx, steps)
		return
	}
	if s.e.literals += int64(steps); s.e.literals > maxLiterals {
		s.failure = s.e.costly()
		return
	}
	s.failure = s.e.work(ctx, steps/perInstruction)
}

// groupsOfStep is the number of groups whose positions are copied in the time of a step.
const groupsOfStep = 4
