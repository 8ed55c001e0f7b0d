package value

import "strings"

// Editor changes many fields of a map. Each map on a path is copied once, so the cost grows with the number of changes, not with
// that number times the map's size. The original map is not changed.
type Editor struct {
	root Map
	// own are the maps that were copied and may be changed, by their place.
	own map[string]Map
}

// Edit begins changing a copy of the map.
func (m Map) Edit() *Editor {
	root := m.clone()
	return &Editor{root: root, own: map[string]Map{"": root}}
}

// Map returns the changed map. The editor must not be used afterwards.
func (e *Editor) Map() Map { return e.root }

// Get returns the value at a path.
func (e *Editor) Get(path FieldPath) (Value, bool) { return e.root.Get(path) }

// Set sets the value at the path. It creates missing maps on the path and replaces values that are not maps.
func (e *Editor) Set(path FieldPath, v Value) {
	last := len(path) - 1
	e.inside(path[:last])[path[last]] = v
	e.disown(path)
}

// Delete removes the field at the path; the maps around it stay.
func (e *Editor) Delete(path FieldPath) {
	if _, ok := e.root.Get(path); !ok {
		return
	}
	last := len(path) - 1
	delete(e.inside(path[:last]), path[last])
	e.disown(path)
}

// place returns the key of a map's path. Names are quoted, so that keys are unique.
func place(path FieldPath) string {
	if len(path) == 0 {
		return ""
	}
	return path.String() + "."
}

// inside returns the map at a path, copied once, or a new one if there is none.
func (e *Editor) inside(path FieldPath) Map {
	key := place(path)
	if m, ok := e.own[key]; ok {
		return m
	}
	last := len(path) - 1
	around := e.inside(path[:last])
	m, _ := around[path[last]].(Map)
	if isVector(m) {
		m = nil
	}
	m = m.clone()
	around[path[last]] = m
	e.own[key] = m
	return m
}

// disown drops the copies at and below a path that was set.
func (e *Editor) disown(path FieldPath) {
	if len(e.own) == 1 {
		return
	}
	key := place(path)
	if _, ok := e.own[key]; !ok {
		return // Paths below a map are reached through it.
	}
	for k := range e.own {
		if strings.HasPrefix(k, key) {
			delete(e.own, k)
		}
	}
}
