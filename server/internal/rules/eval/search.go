package eval

import (
	"context"
	"io"
	"iter"
	"unicode/utf8"

	"clave/server/internal/rules/check"
)

// search applies a regular expression to texts.
//
// The work is known beforehand only for some expressions: a search for the next match may read the whole rest of a
// text for each match, as a.*b|a does. A search whose work could be great therefore reads the text through the search
// itself, which counts what is read and stops at the limits.
type search struct {
	e       *Evaluator
	re      *check.Compiled
	literal bool
	// failure is what ended the search early, or nil.
	failure *Failure

	ctx    context.Context //nolint:containedctx // The interface of the reader has none; it is that of the present call.
	rest   string          // what has not been read
	unpaid int             // the number of characters that have been read and not counted
}

// quick is the number of steps up to which a search may be done at once, in some ten milliseconds.
const quick = 1 << 23

// runesAtOnce is the number of characters that are counted together.
const runesAtOnce = 256

// stepsOfRune is the number of steps that a character costs besides one for each instruction.
const stepsOfRune = 24

// matches reports whether the expression matches the whole text.
func (s *search) matches(ctx context.Context, text string) bool {
	if s.atOnce(ctx, text, 1) {
		return s.failure == nil && s.re.Whole.MatchString(text)
	}
	s.open(ctx, text)
	found := s.re.Whole.MatchReader(s)
	s.close()
	return found
}

// all returns the positions of all matches and their groups, like repeated calls of Java's Matcher.find: unlike in Go,
// an empty match may directly follow another match. They end early if there is a failure.
//
// Matches are found one after the other: all of those of a long text together would take a hundred times its memory.
func (s *search) all(ctx context.Context, text string) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		atOnce := s.atOnce(ctx, text, min(s.re.Overrun, len(text))+2)
		for from := 0; from <= len(text) && s.failure == nil; {
			m := s.next(ctx, text, from, atOnce)
			if m == nil || s.failure != nil || !yield(m) {
				return
			}
			if from = m[1]; m[0] == m[1] {
				_, size := utf8.DecodeRuneInString(text[from:])
				from += max(size, 1)
			}
		}
	}
}

// atOnce reports whether a search that reads the text the given number of times at most needs no counting meanwhile,
// and counts it.
func (s *search) atOnce(ctx context.Context, text string, times int) bool {
	if !s.literal || len(text) > quick {
		return false
	}
	if s.re.Instructions > quick || s.re.Instructions*len(text) > quick/times {
		return false
	}
	s.failure = s.e.work(ctx, len(text)*(stepsOfRune+s.re.Instructions)/perInstruction)
	return true
}

// next returns the positions of the first match at or after a position of the text, or nil.
func (s *search) next(ctx context.Context, text string, from int, atOnce bool) []int {
	re := s.re.First
	if s.re.Later != nil && from > 0 {
		// The character before decides about ^ and \b.
		_, size := utf8.DecodeLastRuneInString(text[:from])
		re, from = s.re.Later, from-size
	}
	var m []int
	if atOnce {
		m = re.FindStringSubmatchIndex(text[from:])
	} else {
		s.open(ctx, text[from:])
		m = re.FindReaderSubmatchIndex(s)
		s.close()
	}
	if m == nil {
		return nil
	}
	m = m[2*s.re.Skip:]
	for i := range m {
		if m[i] >= 0 { // otherwise the group did not participate in the match
			m[i] += from
		}
	}
	return m
}

// open begins to read a text.
func (s *search) open(ctx context.Context, text string) { s.ctx, s.rest = ctx, text }

// close counts what has been read since ReadRune counted last. A single character counts as well.
func (s *search) close() { s.count() }

// ReadRune implements io.RuneReader.
func (s *search) ReadRune() (r rune, size int, err error) {
	if s.unpaid == runesAtOnce {
		s.count()
	}
	if s.rest == "" || s.failure != nil {
		return 0, 0, io.EOF
	}
	s.unpaid++
	r, size = utf8.DecodeRuneInString(s.rest)
	s.rest = s.rest[size:]
	return r, size, nil
}

// count counts the characters that have been read.
func (s *search) count() {
	steps := (s.unpaid + 1) * (stepsOfRune + s.re.Instructions*(1+s.re.Groups/groupsOfStep))
	s.unpaid = 0
	switch {
	case s.failure != nil:
	case !s.literal:
		s.failure = s.e.patternWork(s.ctx, steps)
	default:
		if s.e.literals += int64(steps); s.e.literals > maxLiterals {
			s.failure = s.e.costly()
			return
		}
		s.failure = s.e.work(s.ctx, steps/perInstruction)
	}
}

// groupsOfStep is the number of groups whose positions are copied in the time of a step.
const groupsOfStep = 4
