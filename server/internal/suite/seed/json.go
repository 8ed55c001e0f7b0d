package seed

import (
	"bytes"
	"encoding/json"
	"errors"
	"sort"
	"strings"

	"clave/server/internal/base/jsontree"
)

// budget counts the values that may still be read, and those of them that aliases of YAML may repeat.
type budget struct {
	left, repeated int
	// aliases is the number of aliases around the value that is read.
	aliases int
}

// newBudget returns the budget of a seed.
func newBudget() *budget { return &budget{left: maxNodes, repeated: maxRepeated} }

// take takes one value at a nesting. It returns an error if a limit is exceeded.
func (b *budget) take(nesting int) error {
	b.left--
	if b.aliases > 0 {
		b.repeated--
	}
	switch {
	case nesting > maxNesting:
		return errDeep
	case b.left < 0:
		return errMany
	case b.repeated < 0:
		return errRepeated
	}
	return nil
}

// The errors for files that exceed a limit.
var (
	errDeep     = errors.New("values are nested more than 64 times")
	errMany     = errors.New("there are more than 1,048,576 values")
	errRepeated = errors.New("aliases repeat more than 65,536 values")
)

// fileError is an error at a line of a file.
type fileError struct {
	line   int
	reason string
}

// Error implements error.
func (e *fileError) Error() string { return e.reason }

// parseJSON parses a file of JSON.
func parseJSON(text []byte, b *budget) (*node, error) {
	lines := newLines(text)
	if at, err := b.scan(text); err != nil { // before memory is spent on it
		return nil, &fileError{lines.of(at), err.Error()}
	}
	tree, err := jsontree.Parse(text)
	if syntax := (*jsontree.SyntaxError)(nil); errors.As(err, &syntax) {
		return nil, &fileError{lines.of(syntax.Offset), "this is not JSON: " + syntax.Reason}
	}
	if err != nil {
		return nil, err
	}
	return fromJSON(tree, lines, b, 0)
}

// scan returns an error, and its offset, if a text of JSON has values that are nested too often, or more values than
// are left. Text that is not JSON may have any result.
func (b *budget) scan(text []byte) (at int, err error) {
	depth, values, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				return i, errDeep
			}
		case c == '}' || c == ']':
			depth--
		case c == ',':
			if values++; values > b.left {
				return i, errMany
			}
		}
	}
	return 0, nil
}

// fromJSON converts a value of JSON.
func fromJSON(v *jsontree.Value, lines lines, b *budget, nesting int) (*node, error) {
	n := &node{line: lines.of(v.Offset)}
	if err := b.take(nesting); err != nil {
		return nil, &fileError{n.line, err.Error()}
	}
	switch v.Raw[0] {
	case '{':
		n.kind = isObject
		for _, m := range v.Members {
			value, err := fromJSON(m, lines, b, nesting+1)
			if err != nil {
				return nil, err
			}
			n.members = append(n.members, member{m.Name, lines.of(m.NameOffset), value})
		}
	case '[':
		n.kind = isList
		for _, item := range v.Items {
			value, err := fromJSON(item, lines, b, nesting+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, value)
		}
	case '"':
		n.kind = isText
		return n, json.Unmarshal(v.Raw, &n.text)
	case 't', 'f':
		n.kind, n.text = isBool, string(v.Raw)
	case 'n':
		n.kind = isNull
	default:
		n.kind, n.text = isInteger, string(v.Raw)
		if strings.ContainsAny(n.text, ".eE") {
			n.kind = isDouble
		}
	}
	return n, nil
}

// lines are the offsets at which the lines of a text begin.
type lines []int

// newLines returns the lines of a text.
func newLines(text []byte) lines {
	out := lines{0}
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return out
		}
		at += i + 1
		out = append(out, at)
	}
}

// of returns the line of an offset, from 1.
func (l lines) of(offset int) int { return sort.SearchInts(l, offset+1) }
