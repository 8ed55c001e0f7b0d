package index

import (
	"bytes"
	"encoding/json"
)

// fieldJSON is one component of a composite index in a file.
type fieldJSON struct {
	FieldPath    string      `json:"fieldPath"`
	Order        string      `json:"order,omitempty"`
	ArrayConfig  string      `json:"arrayConfig,omitempty"`
	VectorConfig *vectorJSON `json:"vectorConfig,omitempty"`
}

// vectorJSON is the configuration of a vector.
type vectorJSON struct {
	Dimension int      `json:"dimension"`
	Flat      struct{} `json:"flat"`
}

// compositeJSON is a composite index in a file.
type compositeJSON struct {
	CollectionGroup string      `json:"collectionGroup"`
	QueryScope      string      `json:"queryScope"`
	Fields          []fieldJSON `json:"fields"`
}

// overrideJSON is an override in a file.
type overrideJSON struct {
	CollectionGroup string       `json:"collectionGroup"`
	FieldPath       string       `json:"fieldPath"`
	TTL             bool         `json:"ttl,omitempty"`
	Indexes         []singleJSON `json:"indexes"`
}

// Format returns the text of a firestore.indexes.json with definitions. ParseDefinitions returns the same ones from it.
func Format(defs Definitions) []byte {
	file := struct {
		Indexes   []compositeJSON `json:"indexes"`
		Overrides []overrideJSON  `json:"fieldOverrides"`
	}{[]compositeJSON{}, []overrideJSON{}}
	for _, d := range defs.Indexes {
		c := compositeJSON{CollectionGroup: d.CollectionGroup, QueryScope: Scope(d.Group)}
		for _, f := range d.Fields {
			c.Fields = append(c.Fields, formatField(f))
		}
		file.Indexes = append(file.Indexes, c)
	}
	for _, o := range defs.Overrides {
		file.Overrides = append(file.Overrides, overrideJSON{o.CollectionGroup, o.Path, o.TTL, append(o.Collection.list(false), o.Group.list(true)...)})
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(file); err != nil {
		panic(err) // strings, numbers and booleans are JSON
	}
	return out.Bytes()
}

// formatField returns a component of a composite index as a file has it.
func formatField(f Field) fieldJSON {
	out := fieldJSON{FieldPath: f.Path}
	switch f.Mode {
	case Descending:
		out.Order = "DESCENDING"
	case Contains:
		out.ArrayConfig = "CONTAINS"
	case Vector:
		out.VectorConfig = &vectorJSON{Dimension: f.Dimension}
	default:
		out.Order = "ASCENDING"
	}
	return out
}

// Scope returns the name of an index's scope.
func Scope(group bool) string {
	if group {
		return "COLLECTION_GROUP"
	}
	return "COLLECTION"
}

// list returns the indexes as a file has them, never nil.
func (s Single) list(group bool) []singleJSON {
	out := []singleJSON{}
	if s.Ascending {
		out = append(out, singleJSON{Order: "ASCENDING", QueryScope: Scope(group)})
	}
	if s.Descending {
		out = append(out, singleJSON{Order: "DESCENDING", QueryScope: Scope(group)})
	}
	if s.Contains {
		out = append(out, singleJSON{ArrayConfig: "CONTAINS", QueryScope: Scope(group)})
	}
	return out
}
