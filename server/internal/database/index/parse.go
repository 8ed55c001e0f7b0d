package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/jsontree"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/model/value"
)

// How firestore.indexes.json is read. Everything that the Firebase CLI deploys is accepted: also the form v1beta1, with
// the members collectionId and mode, and a byte order mark. Members without an effect get a remark. Mistakes that the
// CLI or Firestore refuses are errors.

// noEffect is the remark on members that Firestore has and Clave does not.
const noEffect = "has no effect here"

// ParseDefinitions reads the text of a firestore.indexes.json. It returns InvalidArgument with the line and column of
// the mistake, and remarks on members that have no effect.
func ParseDefinitions(text []byte) (Definitions, *jsontree.Remarks, error) {
	text = regularfile.WithoutMark(text)
	p := &parser{text: text, remarks: jsontree.NewRemarks(text)}
	defs, err := p.file()
	if err != nil {
		return Definitions{}, p.remarks, err
	}
	if len(defs.Indexes) > MaxComposites {
		return Definitions{}, p.remarks, fault.E(fault.InvalidArgument, "more than %d composite indexes", MaxComposites)
	}
	return defs, p.remarks, nil
}

// parser reads the values of a file.
type parser struct {
	text    []byte
	remarks *jsontree.Remarks
}

// at returns the error for a mistake at an offset.
func (p *parser) at(offset int, format string, args ...any) error {
	line, column := jsontree.Place(p.text, offset)
	return fault.E(fault.InvalidArgument, "line %d, column %d: %s", line, column, fmt.Sprintf(format, args...))
}

// unexpected returns the error for a value of the wrong kind.
func (p *parser) unexpected(v *jsontree.Value, want string) error {
	return p.at(v.Offset, "%s must be %s, not %s", v.Path(), want, v.Kind())
}

// file reads the whole object.
func (p *parser) file() (Definitions, error) {
	var defs Definitions
	root, err := jsontree.Parse(p.text)
	if syntax := (*jsontree.SyntaxError)(nil); errors.As(err, &syntax) {
		return defs, p.at(syntax.Offset, "%s", syntax.Reason)
	}
	if err != nil {
		return defs, err
	}
	if !root.IsObject() {
		return defs, p.at(root.Offset, "the file must be a JSON object")
	}
	p.remarks.Unknown(root, "indexes", "fieldOverrides", "$schema")
	err = p.each(root.Member("indexes"), func(v *jsontree.Value) error { return p.index(&defs, v) })
	if err == nil {
		err = p.each(root.Member("fieldOverrides"), func(v *jsontree.Value) error { return p.override(&defs, v) })
	}
	return defs, err
}

// each calls read for each object of an array, which may be absent.
func (p *parser) each(list *jsontree.Value, read func(*jsontree.Value) error) error {
	if list.IsNull() {
		return nil
	}
	if !list.IsArray() {
		return p.unexpected(list, "a list")
	}
	for _, v := range list.Items {
		if !v.IsObject() {
			return p.unexpected(v, "an object")
		}
		if err := read(v); err != nil {
			return err
		}
	}
	return nil
}

// text returns the text of a member, or "" if it is absent.
func (p *parser) textOf(v *jsontree.Value, name string) (string, error) {
	m := v.Member(name)
	if m.IsNull() {
		return "", nil
	}
	text, ok := m.Text()
	if !ok {
		return "", p.unexpected(m, "a string")
	}
	return text, nil
}

// group returns the collection group of an index or override.
func (p *parser) group(v *jsontree.Value) (string, error) {
	group, err := p.textOf(v, "collectionGroup")
	if err != nil || group != "" {
		if old := v.Member("collectionId"); !old.IsNull() {
			p.remarks.Add(old, noEffect+" beside collectionGroup")
		}
		return group, err
	}
	group, err = p.textOf(v, "collectionId")
	if group != "" {
		p.remarks.Add(v.Member("collectionId"), "is the form of v1beta1 for collectionGroup")
	}
	return group, err
}

// idle adds remarks on members of an index or of one of an override that Firestore has and Clave does not.
func (p *parser) idle(v *jsontree.Value) {
	usual := map[string]string{"apiScope": `"ANY_API"`, "density": `"SPARSE_ALL"`, "multikey": "false", "unique": "false"}
	for _, m := range v.Members {
		if plain, ok := usual[m.Name]; ok && !m.IsNull() && string(m.Raw) != plain && string(m.Raw) != `"DENSITY_UNSPECIFIED"` {
			p.remarks.Add(m, noEffect)
		}
	}
}

// index reads one composite index.
func (p *parser) index(defs *Definitions, v *jsontree.Value) error {
	// name and state are members of the API's indexes, which only describe.
	p.remarks.Unknown(v, "collectionGroup", "collectionId", "queryScope", "fields", "apiScope", "density", "multikey", "unique", "name", "state")
	p.idle(v)
	def := Definition{}
	var err error
	if def.CollectionGroup, err = p.group(v); err != nil {
		return err
	}
	named, err := p.textOf(v, "queryScope")
	if err != nil {
		return err
	}
	var ok bool
	if def.Group, ok = scope(named); !ok || def.CollectionGroup == "" {
		return p.at(v.Offset, `an index needs a "collectionGroup" and a "queryScope" of "COLLECTION" or "COLLECTION_GROUP"`)
	}
	arrays, searched := 0, false
	err = p.each(v.Member("fields"), func(f *jsontree.Value) error {
		if p.isSearch(f) {
			searched = true
			return nil
		}
		field, err := p.field(f)
		if field.Mode == Contains {
			arrays++
		}
		def.Fields = append(def.Fields, field)
		return err
	})
	if err != nil {
		return err
	}
	// A file that was exported names the document as the last field. Without it the definition equals one that was
	// written by hand.
	if last := len(def.Fields) - 1; last > 0 && def.Fields[last].Path == "__name__" && impliedName(def.Fields[last-1].Mode, def.Fields[last].Mode) {
		def.Fields = def.Fields[:last]
	}
	switch {
	case searched:
		return nil
	case len(def.Fields) == 0 || len(def.Fields) > maxFields || arrays > 1:
		return p.at(v.Offset, "an index has 1 to %d fields, at most one of them an array", maxFields)
	case !slices.ContainsFunc(defs.Indexes, def.Equal):
		defs.Indexes = append(defs.Indexes, def)
	}
	return nil
}

// impliedName reports whether a last field __name__ in the given order adds nothing to the field before it.
func impliedName(before, m Mode) bool {
	return m == before || m == Ascending && before != Descending
}

// isSearch reports whether a field is one of a text or geo search, and remarks that its index is left out.
func (p *parser) isSearch(f *jsontree.Value) bool {
	for _, before := range []string{"order", "arrayConfig", "vectorConfig"} {
		if !f.Member(before).IsNull() {
			return false
		}
	}
	search := f.Member("searchConfig")
	if search.IsNull() {
		return false
	}
	p.remarks.Add(search, "is not supported: its index is left out")
	return true
}

// The members of a field that give its mode, of which the first counts.
var modeMembers = []string{"order", "arrayConfig", "vectorConfig", "searchConfig", "mode"}

// mode reads the mode of a field, and the dimension of a vector. ok is false if it has none that is valid.
func (p *parser) mode(f *jsontree.Value) (mode Mode, dimension int, ok bool, err error) {
	from := ""
	for _, name := range modeMembers {
		switch m := f.Member(name); {
		case m.IsNull() || string(m.Raw) == `""`:
		case from == "":
			from = name
		default:
			p.remarks.Add(m, noEffect+" beside "+from)
		}
	}
	if from == "vectorConfig" {
		var config struct {
			Dimension int `json:"dimension"`
		}
		v := f.Member(from)
		if v.IsObject() {
			p.remarks.Unknown(v, "dimension", "flat")
		}
		ok = json.Unmarshal(v.Raw, &config) == nil && config.Dimension > 0
		return Vector, config.Dimension, ok, nil
	}
	if from == "" || from == "searchConfig" {
		return 0, 0, false, nil
	}
	text, err := p.textOf(f, from)
	if err != nil {
		return 0, 0, false, err
	}
	switch {
	case from == "arrayConfig":
		return Contains, 0, text == "CONTAINS", nil
	case from == "mode":
		p.remarks.Add(f.Member(from), "is the form of v1beta1 for order and arrayConfig")
	}
	mode, ok = map[string]Mode{"ASCENDING": Ascending, "DESCENDING": Descending}[text]
	if from == "mode" && text == "ARRAY_CONTAINS" {
		mode, ok = Contains, true
	}
	return mode, 0, ok, nil
}

// field reads one component of a composite index.
func (p *parser) field(f *jsontree.Value) (Field, error) {
	p.remarks.Unknown(f, append([]string{"fieldPath"}, modeMembers...)...)
	name, err := p.textOf(f, "fieldPath")
	if err != nil {
		return Field{}, err
	}
	mode, dimension, ok, err := p.mode(f)
	if err != nil {
		return Field{}, err
	}
	if !ok {
		return Field{}, p.at(f.Offset, `field %q needs one of "order", "arrayConfig" and "vectorConfig"`, name)
	}
	path, err := value.ParseFieldPath(name)
	if err != nil {
		return Field{}, p.at(f.Offset, "field path %q is not valid", name)
	}
	return Field{Path: path.String(), Mode: mode, Dimension: dimension}, nil
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
func (p *parser) override(defs *Definitions, v *jsontree.Value) error {
	p.remarks.Unknown(v, "collectionGroup", "collectionId", "fieldPath", "ttl", "indexes")
	o := Override{}
	ttl := v.Member("ttl")
	var err error
	if o.TTL, err = p.flag(ttl); err != nil {
		return err
	}
	if o.CollectionGroup, err = p.group(v); err != nil {
		return err
	}
	if o.Path, err = p.textOf(v, "fieldPath"); err != nil {
		return err
	}
	if o.CollectionGroup == "" || o.Path == "" {
		return p.at(v.Offset, `an override needs a "collectionGroup" and a "fieldPath"`)
	}
	if o.Path != "*" {
		path, err := value.ParseFieldPath(o.Path)
		if err != nil {
			return p.at(v.Offset, "field path %q is not valid", o.Path)
		}
		o.Path = path.String()
	}
	if o.TTL && p.idleTTL(defs, o, ttl) {
		o.TTL = false
	}
	// An override lists all indexes of its field: if the list is empty, the field has none.
	err = p.each(v.Member("indexes"), func(f *jsontree.Value) error { return p.single(&o, f) })
	defs.Overrides = append(defs.Overrides, o)
	return err
}

// flag reads a member that is true or false. One that is absent is false.
func (p *parser) flag(v *jsontree.Value) (bool, error) {
	on, ok := v.Bool()
	if !ok && v != nil && !v.IsNull() {
		return false, p.unexpected(v, "true or false")
	}
	return on, nil
}

// idleTTL reports whether the TTL policy of an override has no effect, and remarks it: Firestore has policies for one
// field of a collection group, which must be named.
func (p *parser) idleTTL(defs *Definitions, o Override, ttl *jsontree.Value) bool {
	if o.Path == "*" {
		p.remarks.Add(ttl, noEffect+": it needs the name of a field")
		return true
	}
	for _, other := range defs.Overrides {
		if other.TTL && other.CollectionGroup == o.CollectionGroup && other.Path != o.Path {
			p.remarks.Add(ttl, noEffect+": documents of "+o.CollectionGroup+" expire by "+other.Path)
			return true
		}
	}
	return false
}

// single reads one index of an override.
func (p *parser) single(o *Override, f *jsontree.Value) error {
	p.remarks.Unknown(f, append([]string{"queryScope", "apiScope", "density", "multikey", "unique"}, modeMembers...)...)
	p.idle(f)
	mode, _, ok, err := p.mode(f)
	if err != nil {
		return err
	}
	named, err := p.textOf(f, "queryScope")
	if err != nil {
		return err
	}
	group, okScope := scope(named)
	if !ok || !okScope || mode == Vector {
		return p.at(f.Offset, `an index of field %q needs an "order" or an "arrayConfig", and a "queryScope"`, o.Path)
	}
	single := &o.Collection
	if group {
		single = &o.Group
	}
	single.Ascending = single.Ascending || mode == Ascending
	single.Descending = single.Descending || mode == Descending
	single.Contains = single.Contains || mode == Contains
	return nil
}
