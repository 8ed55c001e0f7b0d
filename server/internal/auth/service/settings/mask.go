package settings

import "strings"

// ApplyMask copies the masked fields of from into to; without a mask, all fields of from, objects merged.
func ApplyMask(to, from map[string]any, mask []string) {
	if len(mask) == 0 {
		Merge(to, from)
		return
	}
	for _, path := range mask {
		setPath(to, from, strings.Split(path, "."))
	}
}

// Merge copies fields, recursively for objects.
func Merge(to, from map[string]any) {
	for k, v := range from {
		below, isObject := v.(map[string]any)
		old, wasObject := to[k].(map[string]any)
		if isObject && wasObject {
			Merge(old, below)
		} else {
			to[k] = v
		}
	}
}

// setPath copies one field; a field that from lacks is removed.
func setPath(to, from map[string]any, path []string) {
	v, ok := from[path[0]]
	if len(path) == 1 {
		if ok {
			to[path[0]] = v
		} else {
			delete(to, path[0])
		}
		return
	}
	below, given := v.(map[string]any)
	old, isObject := to[path[0]].(map[string]any)
	if ok && !given || !isObject && to[path[0]] != nil {
		return // a path into a value that has no fields changes nothing
	}
	if !isObject {
		old = make(map[string]any)
		to[path[0]] = old
	}
	setPath(old, below, path[1:])
}
