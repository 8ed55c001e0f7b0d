package value

// Editor changes many fields of a map. Each map on a path is copied once, so the cost grows with the number of changes, not with
// that number times the map's size. The original map is not changed.
type Editor struct {
	root *owned
}

// owned is a map that was copied and may be changed, and the copied maps inside it.
type owned struct {
	fields Map
	inside map[string]*owned
}

// Edit begins changing a copy of the map.
func (m Map) Edit() *Editor { return &Editor{root: &owned{fields: m.clone()}} }

// Map returns the changed map. The editor must not be used afterwards.
func (e *Editor) Map() Map { return e.root.fields }

// Get returns the value at a path.
func (e *Editor) Get(path FieldPath) (Value, bool) { return e.root.fields.Get(path) }

// Set sets the value at the path. It creates missing maps on the path and replaces values that are not maps.
func (e *Editor) Set(path FieldPath, v Value) {
	around, name := e.around(path), path[len(path)-1]
	around.fields[name] = v
	delete(around.inside, name)
}

// Delete removes the field at the path; the maps around it stay.
func (e *Editor) Delete(path FieldPath) {
	if _, ok := e.root.fields.Get(path); !ok {
		return
	}
	around, name := e.around(path), path[len(path)-1]
	delete(around.fields, name)
	delete(around.inside, name)
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
			next = &owned{fields: m.clone()}
			at.fields[name] = next.fields
			if at.inside == nil {
				at.inside = make(map[string]*owned)
			}
			at.inside[name] = next
		}
		at = next
	}
	return at
}
