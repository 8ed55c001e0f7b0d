package check

import (
	"io"
	"unicode/utf8"
)

// Count counts characters of a text that a search has read, at most RunesAtOnce of them, and reports whether the search
// may continue.
type Count func(runes int) bool

// RunesAtOnce is the number of characters that are counted together.
const RunesAtOnce = 256

// Next returns the positions in a text of the first match at or after from, and of its groups, or nil. With count it
// reads the text through a reader that counts; it returns nil if count ends it. Such a search is slower, but its work
// is bounded: without it a search for the next match may read the whole rest of a text for each match, as a.*b|a does.
func (c *Compiled) Next(text string, from int, count Count) []int {
	re := c.First
	if c.Later != nil && from > 0 {
		// The character before decides about ^ and \b.
		_, size := utf8.DecodeLastRuneInString(text[:from])
		re, from = c.Later, from-size
	}
	var m []int
	if count == nil {
		m = re.FindStringSubmatchIndex(text[from:])
	} else {
		r := &countedText{rest: text[from:], count: count}
		m = re.FindReaderSubmatchIndex(r)
		if r.close(); r.ended {
			return nil
		}
	}
	if m == nil {
		return nil
	}
	m = m[2*c.Skip:]
	for i := range m {
		if m[i] >= 0 { // otherwise the group did not participate in the match
			m[i] += from
		}
	}
	return m
}

// MatchesWhole reports whether the expression, compiled for that, matches a whole text. count is as for Next.
func (c *Compiled) MatchesWhole(text string, count Count) bool {
	if count == nil {
		return c.Whole.MatchString(text)
	}
	r := &countedText{rest: text, count: count}
	found := c.Whole.MatchReader(r)
	r.close()
	return found && !r.ended
}

// After returns where the search for the match after m begins.
func After(text string, m []int) int {
	if m[0] != m[1] {
		return m[1]
	}
	_, size := utf8.DecodeRuneInString(text[m[1]:])
	return m[1] + max(size, 1)
}

// countedText is a text that counts the characters that are read, and ends early if count says so.
type countedText struct {
	rest   string
	count  Count
	unpaid int // the number of characters that have been read and not counted
	ended  bool
}

// ReadRune implements io.RuneReader.
func (t *countedText) ReadRune() (r rune, size int, err error) {
	if t.unpaid == RunesAtOnce {
		t.close()
	}
	if t.rest == "" || t.ended {
		return 0, 0, io.EOF
	}
	t.unpaid++
	r, size = utf8.DecodeRuneInString(t.rest)
	t.rest = t.rest[size:]
	return r, size, nil
}

// close counts what has been read since the last call. A search that has read nothing counts as well.
func (t *countedText) close() {
	t.ended = t.ended || !t.count(t.unpaid)
	t.unpaid = 0
}
