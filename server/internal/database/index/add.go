package index

import (
	"cmp"
	"encoding/json"
	"fmt"

	"clave/server/internal/model/value"
)

// Single reports whether the definition has only one field. firestore.indexes.json holds such an index among the
// overrides, because Firebase refuses it as a composite index. The document's name and vectors do not count.
func (d Definition) Single() bool {
	return len(d.Fields) == 1 && d.Fields[0].Path != "__name__" && d.Fields[0].Mode != Vector
}

// singleJSON is one index of a field in an override.
type singleJSON struct {
	Order       string `json:"order,omitempty"`
	ArrayConfig string `json:"arrayConfig,omitempty"`
	QueryScope  string `json:"queryScope"`
}

// automatic are the indexes that a field has without an override, which an override has to repeat.
var automatic = []singleJSON{
	{Order: "ASCENDING", QueryScope: "COLLECTION"},
	{Order: "DESCENDING", QueryScope: "COLLECTION"},
	{ArrayConfig: "CONTAINS", QueryScope: "COLLECTION"},
}

// Add returns the text of a firestore.indexes.json with one more definition. It preserves everything else and the
// order.
func Add(text []byte, d Definition) ([]byte, error) {
	file := make(map[string]json.RawMessage)
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	member, add := "indexes", d.addComposite
	if d.Single() {
		member, add = "fieldOverrides", d.addSingle
	}
	var list []json.RawMessage
	if raw, ok := file[member]; ok {
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("%s: %w", member, err)
		}
	}
	list, err := add(list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", member, err)
	}
	if file[member], err = json.Marshal(list); err != nil {
		return nil, err
	}
	out, err := json.MarshalIndent(file, "", "  ")
	return append(out, '\n'), err
}

// addComposite adds the definition to the composite indexes of a file.
func (d Definition) addComposite(list []json.RawMessage) ([]json.RawMessage, error) {
	return append(list, json.RawMessage(d.JSON())), nil
}

// addSingle adds the definition to the overrides of a file: to the field's own, if it has one.
func (d Definition) addSingle(list []json.RawMessage) ([]json.RawMessage, error) {
	type override struct {
		CollectionGroup string       `json:"collectionGroup"`
		CollectionID    string       `json:"collectionId,omitempty"` // in the form v1beta1
		FieldPath       string       `json:"fieldPath"`
		Indexes         []singleJSON `json:"indexes"`
	}
	one := singleJSON{QueryScope: d.scopeName()}
	if one.Order = d.Fields[0].Mode.order(); one.Order == "" {
		one.ArrayConfig = "CONTAINS"
	}
	base := automatic
	for i, raw := range list {
		var o override
		if err := json.Unmarshal(raw, &o); err != nil {
			return nil, err
		}
		switch path, err := value.ParseFieldPath(o.FieldPath); {
		case cmp.Or(o.CollectionGroup, o.CollectionID) != d.CollectionGroup:
		case o.FieldPath == "*":
			base = nil // The field has no automatic indexes.
		case err == nil && path.String() == d.Fields[0].Path:
			members := make(map[string]json.RawMessage)
			if err := json.Unmarshal(raw, &members); err != nil {
				return nil, err
			}
			var err error
			if members["indexes"], err = json.Marshal(append(o.Indexes, one)); err != nil {
				return nil, err
			}
			list[i], err = json.Marshal(members)
			return list, err
		}
	}
	raw, err := json.Marshal(override{
		CollectionGroup: d.CollectionGroup, FieldPath: d.Fields[0].Path, Indexes: append(base[:len(base):len(base)], one),
	})
	return append(list, raw), err
}
