package download

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/index"
)

// indexJSON is an index of the Firestore Admin API.
type indexJSON struct {
	Name       string      `json:"name"`
	QueryScope string      `json:"queryScope"`
	APIScope   string      `json:"apiScope"`
	Density    string      `json:"density"`
	Fields     []indexPart `json:"fields"`
}

// indexPart is a field of an index, in the API and in the file.
type indexPart struct {
	FieldPath    string          `json:"fieldPath"`
	Order        string          `json:"order,omitempty"`
	ArrayConfig  string          `json:"arrayConfig,omitempty"`
	VectorConfig json.RawMessage `json:"vectorConfig,omitempty"`
	SearchConfig json.RawMessage `json:"searchConfig,omitempty"`
}

// fieldJSON is a field of the API.
type fieldJSON struct {
	Name        string `json:"name"`
	IndexConfig struct {
		Indexes            []indexJSON `json:"indexes"`
		UsesAncestorConfig bool        `json:"usesAncestorConfig"`
	} `json:"indexConfig"`
	TTLConfig *struct{} `json:"ttlConfig"`
}

// definition is a composite index of the file.
type definition struct {
	CollectionGroup string      `json:"collectionGroup"`
	QueryScope      string      `json:"queryScope"`
	Fields          []indexPart `json:"fields"`
}

// fieldOverride is a field of the file.
type fieldOverride struct {
	CollectionGroup string        `json:"collectionGroup"`
	FieldPath       string        `json:"fieldPath"`
	TTL             bool          `json:"ttl,omitempty"`
	Indexes         []singleIndex `json:"indexes"`
}

// singleIndex is an index of a fieldOverride.
type singleIndex struct {
	Order       string `json:"order,omitempty"`
	ArrayConfig string `json:"arrayConfig,omitempty"`
	QueryScope  string `json:"queryScope"`
}

// definitions is the content of firestore.indexes.json.
type definitions struct {
	Indexes   []definition    `json:"indexes"`
	Overrides []fieldOverride `json:"fieldOverrides"`
}

// indexes downloads the definitions of the indexes of all databases.
func (d *download) indexes(ctx context.Context) error {
	if d.o.NoIndexes {
		return nil
	}
	if d.o.Endpoints[APIAdmin] == "" {
		d.remark("indexes: the endpoint of firestore-admin is not named; give --indexes-file")
		return nil
	}
	for _, db := range d.s.Databases {
		defs := definitions{Indexes: []definition{}, Overrides: []fieldOverride{}}
		err := d.composites(ctx, db, &defs)
		if err == nil {
			err = d.fields(ctx, db, &defs)
		}
		if optional(err) {
			d.remark(fmt.Sprintf("indexes of %s: %s (the service account needs the role Cloud Datastore Viewer); give --indexes-file", db.ID, fault.FromError(err).Message))
			continue
		}
		if err != nil {
			return err
		}
		text, err := json.MarshalIndent(defs, "", "  ")
		if err != nil {
			return err
		}
		if err := d.writeFile(d.fileOf(db, indexesFile), append(text, '\n')); err != nil {
			return err
		}
		db.Indexes = true
	}
	return nil
}

// group returns the collection group and the rest of the name of an index or of a field of a database.
func (d *download) group(db *databaseState, name, kind string) (group, rest string, err error) {
	of, ok := strings.CutPrefix(name, d.s.database(db).String()+"/collectionGroups/")
	group, rest, found := strings.Cut(of, "/"+kind+"/")
	if !ok || !found || group == "" || rest == "" {
		return "", "", fault.E(fault.DataLoss, "the name %q is not one of %s of %s", name, kind, db.ID)
	}
	return group, rest, nil
}

// composites adds the composite indexes of a database.
func (d *download) composites(ctx context.Context, db *databaseState, to *definitions) error {
	path := "/v1/" + d.s.database(db).String() + "/collectionGroups/-/indexes"
	return d.pages(ctx, APIAdmin, path, url.Values{"pageSize": {"300"}}, func(text json.RawMessage) (string, error) {
		var page struct {
			Indexes []indexJSON `json:"indexes"`
			Next    string      `json:"nextPageToken"`
		}
		if err := json.Unmarshal(text, &page); err != nil {
			return "", err
		}
		for _, in := range page.Indexes {
			group, _, err := d.group(db, in.Name, "indexes")
			if err != nil {
				return "", err
			}
			def := definition{CollectionGroup: group, QueryScope: in.QueryScope, Fields: withoutName(in.Fields)}
			if why := in.unlike(definitions{Indexes: []definition{def}}); why != "" {
				d.remark(fmt.Sprintf("an index of %s on %s of %s: %s", group, pathsOf(in.Fields), db.ID, why))
				continue
			}
			to.Indexes = append(to.Indexes, def)
		}
		return page.Next, nil
	})
}

// unlike returns why Clave does not have an index, empty if it has it.
func (in *indexJSON) unlike(as definitions) string {
	switch {
	case in.APIScope != "" && in.APIScope != "ANY_API":
		return "it is for queries of " + in.APIScope
	case in.Density != "" && in.Density != "SPARSE_ALL" && in.Density != "DENSITY_UNSPECIFIED":
		return "its density is " + in.Density
	case slices.ContainsFunc(in.Fields, func(f indexPart) bool { return f.SearchConfig != nil }):
		return "it is for searches"
	}
	return as.refusal()
}

// refusal returns why Clave refuses definitions, empty if it accepts them.
func (d definitions) refusal() string {
	text, err := json.Marshal(d)
	if err == nil {
		_, _, err = index.ParseDefinitions(text)
	}
	if err != nil {
		return fault.FromError(err).Message
	}
	return ""
}

// pathsOf returns the paths of the fields of an index.
func pathsOf(fields []indexPart) string {
	var all []string
	for _, f := range fields {
		all = append(all, f.FieldPath)
	}
	return strings.Join(all, ", ")
}

// withoutName returns the fields of an index without the document's name, where the API adds it to those that a file
// has: at the end, or before a vector, with the order of the last field that has one.
func withoutName(fields []indexPart) []indexPart {
	last := "ASCENDING"
	for i, f := range fields {
		if f.FieldPath != "__name__" {
			if f.Order != "" {
				last = f.Order
			}
			continue
		}
		added := i == len(fields)-1 || fields[i+1].VectorConfig != nil
		if added && f.Order == last && len(fields) > 1 {
			return slices.Delete(slices.Clone(fields), i, i+1)
		}
	}
	return fields
}

// fields adds the fields of a database that have indexes of their own or a TTL policy.
func (d *download) fields(ctx context.Context, db *databaseState, to *definitions) error {
	path := "/v1/" + d.s.database(db).String() + "/collectionGroups/-/fields"
	query := url.Values{"pageSize": {"300"}, "filter": {"indexConfig.usesAncestorConfig=false OR ttlConfig:*"}}
	return d.pages(ctx, APIAdmin, path, query, func(text json.RawMessage) (string, error) {
		var page struct {
			Fields []fieldJSON `json:"fields"`
			Next   string      `json:"nextPageToken"`
		}
		if err := json.Unmarshal(text, &page); err != nil {
			return "", err
		}
		for _, f := range page.Fields {
			group, fieldPath, err := d.group(db, f.Name, "fields")
			if err != nil {
				return "", err
			}
			if group == "__default__" {
				if !f.isDefault() {
					d.remark(fmt.Sprintf("the indexes of all fields of %s that have none of their own: Clave has the default ones", db.ID))
				}
				continue
			}
			o := f.override(group, fieldPath)
			if why := (definitions{Indexes: []definition{}, Overrides: []fieldOverride{o}}).refusal(); why != "" {
				d.remark(fmt.Sprintf("the indexes of the field %s of %s in %s: %s", fieldPath, group, db.ID, why))
				continue
			}
			to.Overrides = append(to.Overrides, o)
		}
		return page.Next, nil
	})
}

// override returns a field as a file has it.
func (f *fieldJSON) override(group, path string) fieldOverride {
	o := fieldOverride{CollectionGroup: group, FieldPath: path, TTL: f.TTLConfig != nil, Indexes: []singleIndex{}}
	for _, in := range f.IndexConfig.Indexes {
		for _, part := range in.Fields {
			o.Indexes = append(o.Indexes, singleIndex{Order: part.Order, ArrayConfig: part.ArrayConfig, QueryScope: in.QueryScope})
		}
	}
	return o
}

// isDefault reports whether a configuration has the three indexes that fields have without one.
func (f *fieldJSON) isDefault() bool {
	all := f.override("", "").Indexes
	want := []singleIndex{{"ASCENDING", "", "COLLECTION"}, {"DESCENDING", "", "COLLECTION"}, {"", "CONTAINS", "COLLECTION"}}
	return len(all) == len(want) && !slices.ContainsFunc(want, func(w singleIndex) bool { return !slices.Contains(all, w) })
}
