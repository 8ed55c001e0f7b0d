package value

import "slices"

// Editor changes many fields of a map. Each map on a path is copied once, so the cost grows with the number of changes,
// not with that number times the map's size. The original map is not changed. A field that is set becomes the last
// member of its map, and so does each map on the path to it.
type Editor struct {
	root *owned
	// moves is the number of moves of members to the end of their maps, -1 if they are not counted.
	moves int
}

// owned is a map that was copied and may be changed, and the copied maps inside it.
type owned struct {
	before Map
	branch *Branch // the layout of before
	fields Map
	inside map[string]*owned
	// moved are the numbers of the last moves of members to the end, and set the layouts of values that were set.
	moved map[string]int
	set   map[string]*Branch
}

// Edit begins changing a copy of the map, whose layout is given.
func (m Map) Edit(l Layout) *Editor { return &Editor{root: own(m, l.Branch(m))} }

// EditSorted begins changing a copy of the map. The result has the zero Layout.
func (m Map) EditSorted() *Editor { return &Editor{root: own(m, nil), moves: -1} }

// own returns a copy of a map.
func own(m Map, b *Branch) *owned { return &owned{before: m, branch: b, fields: m.clone()} }

// Map returns the changed map. It must not be changed further.
func (e *Editor) Map() Map { return e.root.fields }

// Layout returns the layout of the changed map.
func (e *Editor) Layout() Layout { return LayoutOf(e.root.layout()) }

// Get returns the value at a path, and whether there is one.
func (e *Editor) Get(path FieldPath) (Value, bool) { return e.root.fields.Get(path) }

// Set sets the value at the path, whose layout is b. It creates missing maps on the path and replaces values that are
// not maps.
func (e *Editor) Set(path FieldPath, v Value, b *Branch) {
	around, name := e.around(path), path[len(path)-1]
	around.fields[name] = v
	delete(around.inside, name)
	e.move(around, name)
	if b == nil && around.member(name) == nil {
		return
	}
	if around.set == nil {
		around.set = make(map[string]*Branch)
	}
	around.set[name] = b
}

// Move makes the field at a path and the maps on the path the last members of their maps.
func (e *Editor) Move(path FieldPath) {
	if _, ok := e.root.fields.Get(path); ok {
		e.move(e.around(path), path[len(path)-1])
	}
}

// Delete removes the field at the path; the maps around it stay, as the last members of their maps.
func (e *Editor) Delete(path FieldPath) {
	if _, ok := e.root.fields.Get(path); !ok {
		return
	}
	around, name := e.around(path), path[len(path)-1]
	delete(around.fields, name)
	delete(around.inside, name)
	e.move(around, name)
}

// move makes a member the last one of its map.
func (e *Editor) move(around *owned, name string) {
	if e.moves < 0 {
		return
	}
	if around.moved == nil {
		around.moved = make(map[string]int)
	}
	e.moves++
	around.moved[name] = e.moves
}

// around returns the map that has the field at a path. It copies each map on the path once, and creates missing ones.
func (e *Editor) around(path FieldPath) *owned {
	at := e.root
	for _, name := range path[:len(path)-1] {
		next := at.inside[name]
		if next == nil {
			m, _ := at.fields[name].(Map)
			if isVector(m) {
				m = nil
			}
			var b *Branch
			if m != nil {
				b = at.member(name)
			}
			next = own(m, b)
			at.fields[name] = next.fields
			if at.inside == nil {
				at.inside = make(map[string]*owned)
			}
			at.inside[name] = next
		}
		e.move(at, name)
		at = next
	}
	return at
}

// member returns the layout of a member that was not copied.
func (o *owned) member(name string) *Branch {
	if b, ok := o.set[name]; ok || o.branch == nil {
		return b
	}
	return o.branch.inside[name]
}

// Branch returns the layout of the value at a path.
func (e *Editor) Branch(path FieldPath) *Branch {
	at := e.root
	for i, name := range path {
		next := at.inside[name]
		if next == nil {
			return at.member(name).At(path[i+1:])
		}
		at = next
	}
	return at.layout()
}

// layout returns the layout of the changed map.
func (o *owned) layout() *Branch {
	if len(o.moved) == 0 {
		return o.branch
	}
	names := make([]string, 0, len(o.fields))
	for _, name := range o.branch.Names(o.before) {
		if _, moved := o.moved[name]; !moved {
			names = append(names, name)
		}
	}
	kept := len(names)
	for name := range o.moved {
		if _, ok := o.fields[name]; ok {
			names = append(names, name)
		}
	}
	slices.SortFunc(names[kept:], func(a, b string) int { return o.moved[a] - o.moved[b] })
	return Members(names, o.layouts())
}

// layouts returns the layouts of the changed map's members.
func (o *owned) layouts() map[string]*Branch {
	out := make(map[string]*Branch)
	add := func(name string, b *Branch) {
		if _, ok := o.fields[name]; ok && b != nil {
			out[name] = b
		}
	}
	if o.branch != nil {
		for name := range o.branch.inside {
			add(name, o.member(name))
		}
	}
	for name, b := range o.set {
		add(name, b)
	}
	for name, inner := range o.inside {
		delete(out, name)
		add(name, inner.layout())
	}
	return out
}
