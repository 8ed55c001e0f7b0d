// Package terminal makes texts that clients have chosen harmless for a terminal.
package terminal

import (
	"strings"
	"unicode"
)

// Rune returns a question mark instead of a character that could change what a terminal shows.
func Rune(c rune) rune {
	if !unicode.IsPrint(c) {
		return '?'
	}
	return c
}

// Text returns a text with question marks instead of such characters.
func Text(text string) string { return strings.Map(Rune, text) }
