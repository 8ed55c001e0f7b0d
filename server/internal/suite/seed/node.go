package seed

import (
	"fmt"
	"strings"

	"clave/server/internal/base/fault"
)

// The limits of seeds.
const (
	// maxFile is the maximum size of a file, and of the value of a module, in bytes.
	maxFile = 16 << 20
	// maxNodes is the maximum number of values of a seed, in all its files, and maxRepeated that of the values that
	// aliases of YAML repeat.
	maxNodes    = 1 << 20
	maxRepeated = 1 << 16
	// maxNesting is the maximum nesting of values in a file. Documents have their own, smaller limit.
	maxNesting = 64
	// maxProblems is the maximum number of problems that an error names.
	maxProblems = 20
)

// kind is the type of a node.
type kind int

// The types of nodes.
const (
	isNull kind = iota
	isBool
	isInteger
	isDouble
	isText
	isBytes
	isMoment // a timestamp that YAML recognizes without quotes
	isList
	isObject
)

// String returns the name of a type in messages.
func (k kind) String() string {
	return [...]string{"null", "a boolean", "an integer", "a number", "a text", "bytes", "a timestamp", "a list", "an object"}[k]
}

// node is a value of a file, in the form that JSON and YAML share.
type node struct {
	// line is the line of the value in its file, from 1; 0 if it is unknown.
	line int
	kind kind
	// text is the text of a scalar.
	text    string
	items   []*node
	members []member
}

// member is a member of an object.
type member struct {
	name  string
	line  int
	value *node
}

// place is a place in a file: its name, and the way to a value from the root.
type place struct {
	file string
	path string
}

// at returns the place of a member. Names with other characters than those of identifiers are quoted.
func (p place) at(name string) place {
	plain := name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-$/") == ""
	switch {
	case !plain:
		p.path += fmt.Sprintf("[%q]", name)
	case p.path == "":
		p.path = name
	default:
		p.path += "." + name
	}
	return p
}

// item returns the place of an item of a list.
func (p place) item(i int) place {
	p.path += fmt.Sprintf("[%d]", i)
	return p
}

// problems collects what is wrong in files.
type problems struct {
	texts []string
	more  int
}

// add adds a problem at a place. line is 0 if it is unknown.
func (p *problems) add(at place, line int, format string, args ...any) {
	if len(p.texts) == maxProblems {
		p.more++
		return
	}
	text := at.file
	if line > 0 {
		text += fmt.Sprintf(":%d", line)
	}
	if at.path != "" {
		text += ": " + at.path
	}
	p.texts = append(p.texts, text+": "+fmt.Sprintf(format, args...))
}

// err returns the problems as one error, nil if there are none.
func (p *problems) err() error {
	if len(p.texts) == 0 {
		return nil
	}
	text := strings.Join(p.texts, "\n")
	if p.more > 0 {
		text += fmt.Sprintf("\nand %d more", p.more)
	}
	return fault.E(fault.InvalidArgument, "%s", text)
}

// object returns the members of a node that must be an object. It adds a problem for another node, for names that are
// repeated, and for names outside of known, unless known is nil.
func (p *problems) object(n *node, at place, known ...string) []member {
	if n.kind != isObject {
		p.add(at, n.line, "expected an object, not %s", n.kind)
		return nil
	}
	seen := make(map[string]bool, len(n.members))
	out := make([]member, 0, len(n.members))
	for _, m := range n.members {
		switch {
		case seen[m.name]:
			p.add(at.at(m.name), m.line, "the member is repeated")
			continue
		case len(known) > 0 && !contains(known, m.name):
			p.add(at.at(m.name), m.line, "unknown member; known are %s", strings.Join(known, ", "))
			continue
		}
		seen[m.name] = true
		out = append(out, m)
	}
	return out
}

// contains reports whether a name is in a list.
func contains(names []string, name string) bool {
	for _, one := range names {
		if one == name {
			return true
		}
	}
	return false
}
