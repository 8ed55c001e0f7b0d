// Package jsontree parses JSON files that people write. Every value and member has its place, so that messages about it
// can name the line.
package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Value is a value of a file.
type Value struct {
	// Raw is the text of the value.
	Raw json.RawMessage
	// Offset is the offset of the value in the file, in bytes. Members have that of their name in NameOffset.
	Offset, NameOffset int
	// Name is the name of a member of an object. Repeated is set if a later member of the object has the same name.
	Name     string
	Repeated bool
	// Members are the members of an object in their order, and Items the values of an array.
	Members, Items []*Value
	// parent is the object or array of the value, and index its index in an array.
	parent *Value
	index  int
}

// Path returns the way to a value from the root, such as indexes[0].fields; "" for the root.
func (v *Value) Path() string {
	var steps []string
	for ; v.parent != nil; v = v.parent {
		switch {
		case v.parent.IsArray():
			steps = append(steps, fmt.Sprintf("[%d]", v.index))
		case v.parent.parent != nil:
			steps = append(steps, "."+v.Name)
		default:
			steps = append(steps, v.Name)
		}
	}
	slices.Reverse(steps)
	return strings.Join(steps, "")
}

// SyntaxError is the error for a text that is not JSON.
type SyntaxError struct {
	// Offset is the offset of the mistake in bytes.
	Offset int
	// Reason is the text of the error, without its place.
	Reason string
}

// Error implements error.
func (e *SyntaxError) Error() string { return e.Reason }

// Parse parses a file.
func Parse(text []byte) (*Value, error) {
	var raw json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil { // This finds all mistakes.
		failed := &SyntaxError{Reason: err.Error()}
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
			failed.Offset = max(int(syntax.Offset)-1, 0)
		}
		return nil, failed
	}
	p := &parser{text: text, dec: json.NewDecoder(bytes.NewReader(text))}
	p.dec.UseNumber() // A number may be larger than any float.
	root := &Value{}
	return root, p.value(root)
}

// parser reads a text that is JSON.
type parser struct {
	text []byte
	dec  *json.Decoder
}

// next returns the offset of the next token.
func (p *parser) next() int {
	at := int(p.dec.InputOffset())
	for at < len(p.text) && strings.IndexByte(" \t\r\n,:", p.text[at]) >= 0 {
		at++
	}
	return at
}

// value reads a value.
func (p *parser) value(v *Value) error {
	v.Offset = p.next()
	token, err := p.dec.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		err = p.members(v)
	case json.Delim('['):
		err = p.items(v)
	}
	v.Raw = p.text[v.Offset:p.dec.InputOffset()]
	return err
}

// members reads the members of an object and its end.
func (p *parser) members(v *Value) error {
	last := make(map[string]*Value)
	for p.dec.More() {
		m := &Value{NameOffset: p.next(), parent: v}
		token, err := p.dec.Token()
		if err != nil {
			return err
		}
		m.Name, _ = token.(string)
		if err := p.value(m); err != nil {
			return err
		}
		if before := last[m.Name]; before != nil {
			before.Repeated = true
		}
		last[m.Name] = m
		v.Members = append(v.Members, m)
	}
	_, err := p.dec.Token()
	return err
}

// items reads the values of an array and its end.
func (p *parser) items(v *Value) error {
	for p.dec.More() {
		item := &Value{parent: v, index: len(v.Items)}
		if err := p.value(item); err != nil {
			return err
		}
		v.Items = append(v.Items, item)
	}
	_, err := p.dec.Token()
	return err
}

// IsObject and IsArray report the kind of a value. A nil Value has none.
func (v *Value) IsObject() bool { return v != nil && v.Raw[0] == '{' }

// IsArray is described with IsObject.
func (v *Value) IsArray() bool { return v != nil && v.Raw[0] == '[' }

// IsNull reports whether a value is null or absent.
func (v *Value) IsNull() bool { return v == nil || v.Raw[0] == 'n' }

// Bool returns whether a value is true or false. ok is false if it is neither.
func (v *Value) Bool() (b, ok bool) {
	if v == nil {
		return false, false
	}
	return v.Raw[0] == 't', v.Raw[0] == 't' || v.Raw[0] == 'f'
}

// Text returns the content of a string. ok is false for other values.
func (v *Value) Text() (text string, ok bool) {
	if v == nil || v.Raw[0] != '"' {
		return "", false
	}
	return text, json.Unmarshal(v.Raw, &text) == nil
}

// Member returns the last member of a name, or nil.
func (v *Value) Member(name string) *Value {
	if v == nil {
		return nil
	}
	for i := len(v.Members) - 1; i >= 0; i-- {
		if v.Members[i].Name == name {
			return v.Members[i]
		}
	}
	return nil
}

// Kind returns the name of a value's kind for messages, such as "a string".
func (v *Value) Kind() string {
	if v == nil {
		return "nothing"
	}
	switch v.Raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

// Place returns the line and the column of an offset, both from 1. The column counts bytes.
func Place(text []byte, offset int) (line, column int) {
	before := text[:min(max(offset, 0), len(text))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}
