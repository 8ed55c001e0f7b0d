package jsontree

import (
	"fmt"
	"slices"
)

// Remarks collects remarks on members of a file that have no effect. Remarks of one kind on members of one name become
// one, which has the place of the first.
type Remarks struct {
	text []byte
	list []*remark
	of   map[kind]*remark
}

// kind is the kind of a remark.
type kind struct{ name, text string }

// remark is a remark on one or more members.
type remark struct {
	text  string
	first *Value
	count int
}

// maxLines is the maximum number of lines for one file.
const maxLines = 20

// NewRemarks returns no remarks on a file.
func NewRemarks(text []byte) *Remarks {
	return &Remarks{text: text, of: make(map[kind]*remark)}
}

// Add adds a remark on a value. text continues a sentence that begins with the value's path.
func (r *Remarks) Add(v *Value, text string) {
	is := kind{v.Name, text}
	if there := r.of[is]; there != nil {
		there.count++
		return
	}
	r.of[is] = &remark{text: text, first: v, count: 1}
	r.list = append(r.list, r.of[is])
}

// Unknown adds remarks on the members of an object whose names are not among the known ones, and on members that a
// later one of the same name replaces.
func (r *Remarks) Unknown(v *Value, known ...string) {
	for _, m := range v.Members {
		switch {
		case m.Repeated:
			r.Add(m, "is given again below, and this one has no effect")
		case !slices.Contains(known, m.Name):
			r.Add(m, "is not known and has no effect")
		}
	}
}

// Lines returns the remarks in the order in which they were added: FILE:LINE:COLUMN: PATH and the text. A last line
// counts those that are omitted.
func (r *Remarks) Lines(file string) []string {
	var lines []string
	for i, one := range r.list {
		if i == maxLines {
			return append(lines, fmt.Sprintf("%s: %d more remarks", file, len(r.list)-i))
		}
		at := one.first.Offset
		if one.first.Name != "" {
			at = one.first.NameOffset
		}
		line, column := Place(r.text, at)
		text := fmt.Sprintf("%s:%d:%d: %s %s", file, line, column, one.first.Path(), one.text)
		if one.count > 1 {
			text += fmt.Sprintf(" (and %d more of this name)", one.count-1)
		}
		lines = append(lines, text)
	}
	return lines
}
