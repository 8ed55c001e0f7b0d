package index

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"clave/server/fault"
	"clave/server/value"
)

// Definitions are the composite indexes and the exemptions of a database, as firestore.indexes.json holds them.
type Definitions struct {
	Indexes   []Definition
	Overrides []Override
}

// Status is a composite index of a database.
type Status struct {
	Definition
	// Building reports that queries cannot use the index yet.
	Building bool
	// Scope and Properties name the index in query plans.
	Scope, Properties string
}

// Definition is one composite index.
type Definition struct {
	// CollectionGroup is the id of its collections.
	CollectionGroup string
	// Group is set if it serves queries over all collections with that id, instead of queries over one collection.
	Group bool
	// Fields are its components in order, without the document's name, which is implied.
	Fields []Field
}

// Mode is the mode in which an index holds a field.
type Mode uint8

// The modes.
const (
	Ascending Mode = iota
	Descending
	Contains
	Vector
)

// Field is one component of an index.
type Field struct {
	// Path is the field's canonical path.
	Path string
	Mode Mode
	// Dimension is the number of dimensions of a Vector.
	Dimension int
}

// Override replaces the automatic indexes of one field of a collection group.
type Override struct {
	CollectionGroup string
	// Path is the field's canonical path, or "*" for every field without an override of its own.
	Path string
	// Collection and Group are the single-field indexes in either scope.
	Collection, Group Single
}

// Single holds the single-field indexes of a field. All automatic ones have the scope COLLECTION.
type Single struct {
	Ascending, Descending, Contains bool
}

// Any reports whether there is an index.
func (s Single) Any() bool { return s.Ascending || s.Descending || s.Contains }

// Ordered reports whether there is an index by value, in either order.
func (s Single) Ordered() bool { return s.Ascending || s.Descending }

// Limits of definitions: of composite indexes in a database, and of fields in one
// (firebase.google.com/docs/firestore/quotas).
const (
	MaxComposites = 1000
	maxFields     = 100
)

// ParseDefinitions reads the text of a firestore.indexes.json. It returns InvalidArgument with the line and column of
// the mistake.
func ParseDefinitions(text []byte) (Definitions, error) {
	p := &parser{text: text, dec: json.NewDecoder(bytes.NewReader(text))}
	defs, err := p.file()
	if err != nil {
		return Definitions{}, err
	}
	if len(defs.Indexes) > MaxComposites {
		return Definitions{}, fault.E(fault.InvalidArgument, "more than %d composite indexes", MaxComposites)
	}
	return defs, nil
}

// parser reads a file element by element, to record the position of each.
type parser struct {
	text []byte
	dec  *json.Decoder
}

// at returns the error for a mistake at an offset.
func (p *parser) at(offset int64, format string, args ...any) error {
	offset = min(max(offset, 0), int64(len(p.text)))
	before := p.text[:offset]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1) + 1
	args = append([]any{line, column}, args...)
	return fault.E(fault.InvalidArgument, "line %d, column %d: "+format, args...)
}

// json returns the error for an error of the JSON decoder, whose offsets count from base.
func (p *parser) json(base int64, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return p.at(base+syntax.Offset-1, "%s", syntax.Error())
	case errors.As(err, &kind):
		return p.at(base+kind.Offset-1, "%s: a %s is not expected here", kind.Field, kind.Value)
	}
	return p.at(p.dec.InputOffset(), "%s", strings.TrimPrefix(err.Error(), "json: "))
}

// file reads the whole object.
func (p *parser) file() (Definitions, error) {
	var defs Definitions
	if err := p.delim('{', "the file must be a JSON object"); err != nil {
		return defs, err
	}
	// Elements are decoded one by one, because the error of one has its line and column (parser.at). Members that Clave
	// does not use are skipped.
	for p.dec.More() {
		key, err := p.dec.Token()
		if err != nil {
			return defs, p.json(0, err)
		}
		switch key {
		case "indexes":
			err = p.each(func(at int64, raw json.RawMessage) error { return p.index(&defs, at, raw) })
		case "fieldOverrides":
			err = p.each(func(at int64, raw json.RawMessage) error { return p.override(&defs, at, raw) })
		default:
			var ignored json.RawMessage
			if err = p.dec.Decode(&ignored); err != nil {
				err = p.json(0, err)
			}
		}
		if err != nil {
			return defs, err
		}
	}
	if _, err := p.dec.Token(); err != nil {
		return defs, p.json(0, err)
	}
	if p.dec.More() {
		return defs, p.at(p.dec.InputOffset(), "text after the end of the object")
	}
	return defs, nil
}

// delim reads one bracket.
func (p *parser) delim(want json.Delim, otherwise string) error {
	token, err := p.dec.Token()
	if err != nil {
		return p.json(0, err)
	}
	if token != want {
		return p.at(p.dec.InputOffset()-1, "%s", otherwise)
	}
	return nil
}

// each calls read for each element of an array with its place.
func (p *parser) each(read func(at int64, raw json.RawMessage) error) error {
	if err := p.delim('[', "an array is expected here"); err != nil {
		return err
	}
	for p.dec.More() {
		var raw json.RawMessage
		if err := p.dec.Decode(&raw); err != nil {
			return p.json(0, err)
		}
		if err := read(p.dec.InputOffset()-int64(len(raw)), raw); err != nil {
			return err
		}
	}
	_, err := p.dec.Token()
	if err != nil {
		return p.json(0, err)
	}
	return nil
}

// strict decodes one element and refuses unknown members.
func (p *parser) strict(at int64, raw json.RawMessage, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &kind):
		return p.json(at, err)
	}
	// raw is valid JSON, so that only an unknown member remains.
	return p.at(at+dec.InputOffset(), "%s", strings.TrimPrefix(err.Error(), "json: "))
}

// fieldJSON is one component in the file.
type fieldJSON struct {
	FieldPath    string `json:"fieldPath"`
	Order        string `json:"order"`
	ArrayConfig  string `json:"arrayConfig"`
	QueryScope   string `json:"queryScope"`
	VectorConfig *struct {
		Dimension int       `json:"dimension"`
		Flat      *struct{} `json:"flat"`
	} `json:"vectorConfig"`
}

// mode returns the mode of the component.
func (f fieldJSON) mode() (Mode, bool) {
	order, okOrder := map[string]Mode{"ASCENDING": Ascending, "DESCENDING": Descending}[f.Order]
	switch {
	case f.VectorConfig != nil:
		return Vector, f.Order == "" && f.ArrayConfig == "" && f.VectorConfig.Dimension > 0
	case f.ArrayConfig != "":
		return Contains, f.Order == "" && f.ArrayConfig == "CONTAINS"
	}
	return order, okOrder
}

// index reads one composite index.
func (p *parser) index(defs *Definitions, at int64, raw json.RawMessage) error {
	var in struct {
		CollectionGroup string      `json:"collectionGroup"`
		CollectionID    string      `json:"collectionId"`
		QueryScope      string      `json:"queryScope"`
		Fields          []fieldJSON `json:"fields"`
		APIScope        string      `json:"apiScope"`
		Density         string      `json:"density"`
		Multikey        bool        `json:"multikey"`
		Unique          bool        `json:"unique"`
		State           string      `json:"state"`
		Name            string      `json:"name"`
	}
	// apiScope, density, multikey, unique, state and name are other members of an index in Firebase's files and API.
	// They are accepted and not used; members beside these are refused.
	if err := p.strict(at, raw, &in); err != nil {
		return err
	}
	def := Definition{CollectionGroup: in.CollectionGroup}
	if def.CollectionGroup == "" {
		def.CollectionGroup = in.CollectionID
	}
	var ok bool
	if def.Group, ok = scope(in.QueryScope); !ok || def.CollectionGroup == "" {
		return p.at(at, `an index needs a "collectionGroup" and a "queryScope" of "COLLECTION" or "COLLECTION_GROUP"`)
	}
	arrays := 0
	for i, f := range in.Fields {
		field, err := p.field(at, f)
		if err != nil {
			return err
		}
		// A file that was exported names the document as the last field. Without it the definition equals one that was
		// written by hand.
		if field.Path == "__name__" && i == len(in.Fields)-1 && p.impliedName(def.Fields, field.Mode) {
			continue
		}
		if field.Mode == Contains {
			arrays++
		}
		def.Fields = append(def.Fields, field)
	}
	if len(def.Fields) == 0 || len(def.Fields) > maxFields || arrays > 1 {
		return p.at(at, "an index has 1 to %d fields, at most one of them an array", maxFields)
	}
	if !slices.ContainsFunc(defs.Indexes, def.Equal) {
		defs.Indexes = append(defs.Indexes, def)
	}
	return nil
}

// impliedName reports whether a last field __name__ in the given order adds nothing to the fields before it.
func (p *parser) impliedName(before []Field, m Mode) bool {
	if len(before) == 0 {
		return false
	}
	last := before[len(before)-1].Mode
	return m == last || m == Ascending && last != Descending
}

// field reads one component of a composite index.
func (p *parser) field(at int64, f fieldJSON) (Field, error) {
	mode, ok := f.mode()
	if !ok || f.QueryScope != "" {
		return Field{}, p.at(at, `field %q needs one of "order", "arrayConfig" and "vectorConfig"`, f.FieldPath)
	}
	path, err := value.ParseFieldPath(f.FieldPath)
	if err != nil {
		return Field{}, p.at(at, "field path %q is not valid", f.FieldPath)
	}
	field := Field{Path: path.String(), Mode: mode}
	if f.VectorConfig != nil {
		field.Dimension = f.VectorConfig.Dimension
	}
	return field, nil
}

// scope parses a query scope. An empty one means a collection.
func scope(s string) (group, ok bool) {
	switch s {
	case "", "COLLECTION":
		return false, true
	case "COLLECTION_GROUP":
		return true, true
	}
	return false, false
}

// override reads one field's exemption.
func (p *parser) override(defs *Definitions, at int64, raw json.RawMessage) error {
	var in struct {
		CollectionGroup string      `json:"collectionGroup"`
		CollectionID    string      `json:"collectionId"`
		FieldPath       string      `json:"fieldPath"`
		TTL             bool        `json:"ttl"`
		Indexes         []fieldJSON `json:"indexes"`
	}
	if err := p.strict(at, raw, &in); err != nil {
		return err
	}
	o := Override{CollectionGroup: in.CollectionGroup, Path: in.FieldPath}
	if o.CollectionGroup == "" {
		o.CollectionGroup = in.CollectionID
	}
	if o.CollectionGroup == "" || in.FieldPath == "" {
		return p.at(at, `an override needs a "collectionGroup" and a "fieldPath"`)
	}
	if in.FieldPath != "*" {
		path, err := value.ParseFieldPath(in.FieldPath)
		if err != nil {
			return p.at(at, "field path %q is not valid", in.FieldPath)
		}
		o.Path = path.String()
	}
	// An override lists all indexes of its field: if the list is empty, the field has none.
	for _, f := range in.Indexes {
		mode, ok := f.mode()
		group, okScope := scope(f.QueryScope)
		if !ok || !okScope || mode == Vector {
			return p.at(at, `an index of field %q needs an "order" or an "arrayConfig", and a "queryScope"`, in.FieldPath)
		}
		single := &o.Collection
		if group {
			single = &o.Group
		}
		single.Ascending = single.Ascending || mode == Ascending
		single.Descending = single.Descending || mode == Descending
		single.Contains = single.Contains || mode == Contains
	}
	defs.Overrides = append(defs.Overrides, o)
	return nil
}

// Equal reports whether two definitions are of the same index.
func (d Definition) Equal(o Definition) bool {
	return d.CollectionGroup == o.CollectionGroup && d.Group == o.Group && slices.Equal(d.Fields, o.Fields)
}
