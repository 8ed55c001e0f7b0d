package docfile

import (
	"strings"
	"unicode"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
	"clave/server/internal/model/value"
)

// idColumn is the column of the documents' ids.
const idColumn = "__id__"

// maxColumns is the maximum number of columns of a CSV file, which spreadsheet programs share.
const maxColumns = 16_384

// Columns are the names of the fields of a CSV file's documents.
type Columns map[string]bool

// Add adds the fields of a document. It returns FailedPrecondition if there are too many.
func (c Columns) Add(fields value.Map) error {
	for name := range fields {
		c[name] = true
	}
	if len(c) >= maxColumns {
		return fault.E(fault.FailedPrecondition, "The documents have more than %d fields in all. Export them as JSON.", maxColumns-1)
	}
	return nil
}

var (
	// number is a text that an import reads as a number.
	number = pattern.New(`^-?\d+(\.\d+)?([eE][+-]?\d+)?$`)
	// breaks are line breaks of values with the indent after them.
	breaks = pattern.New(`\n\s*`)
)

// unsafeBeginnings are the beginnings of cells that spreadsheet programs calculate as formulas, and the quote of an
// escaped cell.
const unsafeBeginnings = "=+-@\t\r\"＝＋－＠"

// isUnsafe reports whether a spreadsheet program would calculate a text, or an import would unescape it.
func isUnsafe(text string) bool {
	return strings.ContainsAny(firstRune(text), unsafeBeginnings)
}

// firstRune returns the first character of a text; nothing if it is empty.
func firstRune(text string) string {
	for _, r := range text {
		return string(r)
	}
	return ""
}

// isSpace reports whether JavaScript's regular expressions have a character as space.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }

// isPlain reports whether an import and spreadsheet programs read a cell as the string that it contains.
func isPlain(text string) bool {
	bare := strings.TrimRightFunc(text, isSpace)
	switch {
	case text == "", isUnsafe(text), strings.HasPrefix(text, "["), strings.HasPrefix(text, "{"):
		return false
	case bare == "true", bare == "false", bare == "null":
		return false
	}
	return !number.MatchString(bare)
}

// cellOf returns a value as a cell: a string as it is where an import reads it back, and otherwise the JSON of the
// value.
func (e encoder) cellOf(v value.Value) string {
	if text, ok := v.(value.String); ok {
		if isPlain(string(text)) {
			return string(text)
		}
		return string(appendText(nil, string(text)))
	}
	return breaks.ReplaceAllString(string(e.appendValue(nil, v, "")), " ")
}

// nameCell returns a name as a cell, in quotes if a spreadsheet program would calculate it.
func nameCell(name string) string {
	if isUnsafe(name) {
		return string(appendText(nil, name))
	}
	return name
}

// appendCell appends a cell in the form of RFC 4180.
func appendCell(b []byte, cell string) []byte {
	if !strings.ContainsAny(cell, "\",\n\r") && cell == strings.TrimFunc(cell, isSpace) {
		return append(b, cell...)
	}
	return append(append(append(b, '"'), strings.ReplaceAll(cell, `"`, `""`)...), '"')
}
