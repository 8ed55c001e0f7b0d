package wire

import "iter"

// jsonKind is the kind of a JSON value.
type jsonKind uint8

// The kinds.
const (
	jsonNull jsonKind = iota
	jsonBool
	jsonNumber
	jsonString
	jsonArray
	jsonObject
)

// jsonTape holds the values of a body in the order in which they begin: each value before those in it, and a member's
// name, as a string, before the member's value. It takes little memory beside the body and has no pointers into it.
type jsonTape struct {
	in    string
	cells []jsonCell
	// texts are the strings that the body does not contain as they are, because they have escapes.
	texts []string
}

// jsonCell is a value on a tape.
type jsonCell struct {
	kind jsonKind
	// apart is set for a string of jsonTape.texts.
	apart bool
	// from and to are the value's position in the body, or for a string that is set apart, from is its number. For an
	// array or an object, from is the number of its elements or members, and to the number of the cell after it.
	from, to uint32
}

// jsonNode is a JSON value.
type jsonNode struct {
	kind jsonKind
	// text is the content of a string, a number as written, or true, false or null.
	text string
	// count is the number of an array's elements or an object's members. They begin at the cell first of the tape.
	count int
	first uint32
	tape  *jsonTape
}

// text returns the text of a cell that is neither an array nor an object.
func (t *jsonTape) text(c *jsonCell) string {
	if c.apart {
		return t.texts[c.from]
	}
	return t.in[c.from:c.to]
}

// node returns the value of a cell, and the number of the next value's cell.
func (t *jsonTape) node(at uint32) (n jsonNode, next uint32) {
	c := &t.cells[at]
	if c.kind < jsonArray {
		return jsonNode{kind: c.kind, text: t.text(c)}, at + 1
	}
	return jsonNode{kind: c.kind, count: int(c.from), first: at + 1, tape: t}, c.to
}

// addText adds a string that the body does not contain as it is.
func (t *jsonTape) addText(s string) {
	t.cells = append(t.cells, jsonCell{kind: jsonString, apart: true, from: uint32(len(t.texts))})
	t.texts = append(t.texts, s)
}

// elements returns an array's elements.
func (n jsonNode) elements() iter.Seq[jsonNode] {
	return func(yield func(jsonNode) bool) {
		at := n.first
		for range n.count {
			var e jsonNode
			if e, at = n.tape.node(at); !yield(e) {
				return
			}
		}
	}
}

// members returns an object's members. They keep their order, because error texts number them.
func (n jsonNode) members() iter.Seq2[string, jsonNode] {
	return func(yield func(string, jsonNode) bool) {
		if n.kind != jsonObject {
			return
		}
		at := n.first
		for range n.count {
			name := n.tape.text(&n.tape.cells[at])
			var v jsonNode
			if v, at = n.tape.node(at + 1); !yield(name, v) {
				return
			}
		}
	}
}

// member returns the first member of an object that has some.
func (n jsonNode) member() (name string, v jsonNode) {
	v, _ = n.tape.node(n.first + 1)
	return n.tape.text(&n.tape.cells[n.first]), v
}

// jsonStrings returns an array of strings.
func jsonStrings(texts []string) jsonNode {
	t := &jsonTape{}
	for _, s := range texts {
		t.addText(s)
	}
	return jsonNode{kind: jsonArray, count: len(texts), tape: t}
}
