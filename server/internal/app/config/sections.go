package config

import (
	"fmt"
	"path/filepath"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/jsontree"
)

// imported lists the sections that Clave reads and that firebase.json may give as the name of a file, as in the
// Firebase CLI ("emulators": "emulators.json"). The file has the section, or an object whose only member is the
// section.
var imported = []string{"firestore", "hosting", "emulators"}

// section is the place of a section: in firebase.json, or in a file of its own.
type section struct {
	path string
	// text is the file, without its comments.
	text []byte
	// value is the section, or nil if there is none.
	value *jsontree.Value
	// name is the section's name, if the file does not have it.
	name string
}

// raw returns the JSON of the section.
func (s *section) raw() []byte {
	if s.value == nil {
		return nil
	}
	return s.text[s.value.Offset:][:len(s.value.Raw)]
}

// member returns the name of a value in the section, such as hosting[1].
func (s *section) member(v *jsontree.Value) string { return s.name + v.Path() }

// findSections finds the sections in a firebase.json. In its text it replaces the names of files by null.
func (f *firebaseJSON) findSections(path string, root *jsontree.Value) error {
	f.sections = make(map[string]*section, len(imported))
	for _, name := range imported {
		s := &section{path: path, text: f.text, value: root.Member(name)}
		if file, ok := s.value.Text(); ok {
			at := path + ":" + position(f.text, int64(s.value.Offset+1))
			replace(f.text, s.value, "null")
			var err error
			if s, err = readSection(name, under(filepath.Dir(path), file)); err != nil {
				return fault.Wrap(err, fault.CodeOf(err), "%s: %s is in a file of its own. %s", at, name, reason(err))
			}
		}
		f.sections[name] = s
	}
	return nil
}

// readSection reads a section from a file of its own.
func readSection(name, path string) (*section, error) {
	if filepath.Ext(path) != ".json" {
		return nil, fault.E(fault.InvalidArgument, "%s: the name of the file must end in .json.", path)
	}
	text, err := readProjectFile(path)
	if err != nil {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "%s: cannot be read (%v).", path, unwrapPath(err))
	}
	s := &section{path: path, text: jsontree.Plain(text), name: name}
	var parsed any
	if err := decodeAt(path, s.text, s.text, &parsed); err != nil {
		return nil, err
	}
	if s.value, err = jsontree.Parse(s.text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(s.value.Members) == 1 && s.value.Member(name) != nil {
		s.value, s.name = s.value.Member(name), ""
	}
	return s, nil
}
