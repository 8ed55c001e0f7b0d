package hosting

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// member is a value in a JSON text.
type member struct {
	// name is the member's path in the section, such as rewrites or rewrites[2].
	name  string
	value json.RawMessage
	// at is the offset of the value in the section's text, in bytes.
	at int
}

// members returns the members of the object that is a section's text.
func members(text []byte) ([]member, error) {
	return read(text, 0, '{', func(d *json.Decoder, _ int) (string, error) {
		name, err := d.Token()
		return fmt.Sprint(name), err
	})
}

// elements returns the elements of a list.
func elements(m member) ([]member, error) {
	return read(m.value, m.at, '[', func(_ *json.Decoder, i int) (string, error) {
		return fmt.Sprintf("%s[%d]", m.name, i), nil
	})
}

// errKind is the error of a value that is not of the expected kind.
var errKind = errors.New("it must be an object")

// read returns the values in an object or a list, which begins with open. Its text is at the offset base in the
// section.
func read(text []byte, base int, open json.Delim, name func(*json.Decoder, int) (string, error)) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	first, err := d.Token()
	if err != nil {
		return nil, err
	}
	if first != open {
		return nil, errKind
	}
	var list []member
	for i := 0; d.More(); i++ {
		m := member{}
		if m.name, err = name(d, i); err != nil {
			return nil, err
		}
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		m.at = base + int(d.InputOffset()) - len(m.value)
		list = append(list, m)
	}
	_, err = d.Token()
	return list, err
}
