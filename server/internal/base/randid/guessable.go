package randid

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The least that a secret must have that is not guessable. A random secret of 16 hexadecimal digits has less once in
// some thousands.
const (
	minUnforeseen = 10
	minDistinct   = 6
)

// rows are the sequences that people type instead of a secret.
var rows = [...]string{"abcdefghijklmnopqrstuvwxyz", "0123456789", "1234567890", "qwertyuiop", "asdfghjklñ", "asdfghjkl;", "zxcvbnm"}

// Guessable reports whether an operator's secret is easy to guess although it may be long: it has few characters that
// do not follow from those before them. A character follows from them if it repeats the last one, continues a sequence
// such as "abc", "321" or "qwe", or belongs to a repetition of at least three characters.
func Guessable(secret string) bool {
	text := characters(secret)
	var unforeseen []rune
	for i := 0; i < len(text); {
		if n := repeated(text, i); n > 0 {
			i += n
			continue
		}
		if !follows(text, i) {
			unforeseen = append(unforeseen, text[i])
		}
		i++
	}
	total := len(unforeseen)
	slices.Sort(unforeseen)
	return total < minUnforeseen || len(slices.Compact(unforeseen)) < minDistinct
}

// characters returns the characters of a text, or the bytes of what is not text.
func characters(secret string) []rune {
	if utf8.ValidString(secret) {
		return []rune(secret)
	}
	out := make([]rune, len(secret))
	for i := range len(secret) {
		out[i] = rune(secret[i])
	}
	return out
}

// repeated returns the length of the longest part of a text that begins at i and also begins before i, or 0 if it has
// less than three characters. The two may overlap.
func repeated(text []rune, i int) int {
	const shortest = 3
	longest := 0
	for from := range i {
		n := 0
		for i+n < len(text) && text[from+n] == text[i+n] {
			n++
		}
		longest = max(longest, n)
	}
	if longest < shortest {
		return 0
	}
	return longest
}

// follows reports whether the character at i repeats the last one or continues a sequence of at least three.
func follows(text []rune, i int) bool {
	if i > 0 && text[i] == text[i-1] {
		return true
	}
	if i < 2 {
		return false
	}
	up := []rune{unicode.ToLower(text[i-2]), unicode.ToLower(text[i-1]), unicode.ToLower(text[i])}
	down := []rune{up[2], up[1], up[0]}
	for _, row := range rows {
		if strings.Contains(row, string(up)) || strings.Contains(row, string(down)) {
			return true
		}
	}
	return false
}
