package firestoreadmin

import (
	"context"
	"encoding/json"
	"strings"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/index"
	"clave/server/internal/model/value"
)

// fieldJSON is a field of the API.
type fieldJSON struct {
	Name        string           `json:"name"`
	IndexConfig *indexConfigJSON `json:"indexConfig,omitempty"`
	TTLConfig   *ttlConfigJSON   `json:"ttlConfig,omitempty"`
}

// indexConfigJSON has the single-field indexes of a field.
type indexConfigJSON struct {
	Indexes            []*indexJSON `json:"indexes"`
	UsesAncestorConfig bool         `json:"usesAncestorConfig,omitempty"`
	AncestorField      string       `json:"ancestorField,omitempty"`
	Reverting          bool         `json:"reverting,omitempty"`
}

// ttlConfigJSON is the TTL policy of a field. State is set by the server.
type ttlConfigJSON struct {
	State            string `json:"state,omitempty"`
	ExpirationOffset string `json:"expirationOffset,omitempty"`
}

// The group and the field that have the configuration of all fields without one of their own.
const (
	defaultGroup = "__default__"
	anyField     = "*"
)

// automatic are the single-field indexes of a field without a configuration.
var automatic = index.Single{Ascending: true, Descending: true, Contains: true}

// fieldName returns the name of a field.
func fieldName(database, group, path string) string {
	return database + "/collectionGroups/" + group + "/fields/" + path
}

// shownField returns a field as the API shows it: by its override, or without one by that of the fields of its group,
// or without both by the default.
func shownField(database, group, path string, own, ofGroup *index.Override) *fieldJSON {
	out := &fieldJSON{Name: fieldName(database, group, path), IndexConfig: &indexConfigJSON{Indexes: []*indexJSON{}}}
	config := &index.Override{Collection: automatic}
	switch {
	case own != nil:
		config = own
	case ofGroup != nil:
		config = ofGroup
		out.IndexConfig.UsesAncestorConfig, out.IndexConfig.AncestorField = true, fieldName(database, group, anyField)
	case group != defaultGroup:
		out.IndexConfig.UsesAncestorConfig, out.IndexConfig.AncestorField = true, fieldName(database, defaultGroup, anyField)
	}
	add := func(scope string, order, array string) {
		out.IndexConfig.Indexes = append(out.IndexConfig.Indexes, &indexJSON{QueryScope: scope, Fields: []indexFieldJSON{{FieldPath: path, Order: order, ArrayConfig: array}}, State: stateReady})
	}
	for _, s := range []struct {
		index.Single
		scope string
	}{{config.Collection, index.Scope(false)}, {config.Group, index.Scope(true)}} {
		if s.Ascending {
			add(s.scope, "ASCENDING", "")
		}
		if s.Descending {
			add(s.scope, "DESCENDING", "")
		}
		if s.Contains {
			add(s.scope, "", "CONTAINS")
		}
	}
	if own != nil && own.TTL {
		out.TTLConfig = &ttlConfigJSON{State: "ACTIVE"}
	}
	return out
}

// override returns the override of a field, or nil.
func override(defs index.Definitions, group, path string) *index.Override {
	for i, o := range defs.Overrides {
		if o.CollectionGroup == group && o.Path == path {
			return &defs.Overrides[i]
		}
	}
	return nil
}

// listFields returns the fields with a configuration of their own, and that of all others. Clients ask for these only:
// the server does not know the fields of documents.
func (a *API) listFields(_ context.Context, c *route.Call) (any, error) {
	name, err := a.database(c)
	if err != nil {
		return nil, err
	}
	filter := c.Query.Get("filter")
	if !strings.Contains(filter, "usesAncestorConfig") && !strings.Contains(filter, "ttlConfig") {
		return nil, fault.E(fault.InvalidArgument, "Only filters of indexConfig.usesAncestorConfig=false and ttlConfig:* are supported.")
	}
	overridden := strings.Contains(filter, "usesAncestorConfig")
	defs, err := a.o.Releases.Definitions(c.Vars["database"])
	if err != nil {
		return nil, err
	}
	var all []*fieldJSON
	if group := c.Vars["group"]; overridden && (group == "-" || group == defaultGroup) {
		all = append(all, shownField(name, defaultGroup, anyField, nil, nil))
	}
	for i, o := range defs.Overrides {
		if group := c.Vars["group"]; (group == "-" || group == o.CollectionGroup) && (overridden || o.TTL) {
			all = append(all, shownField(name, o.CollectionGroup, o.Path, &defs.Overrides[i], nil))
		}
	}
	page, next, err := route.Page(c, all, maxPage)
	return struct {
		Fields []*fieldJSON `json:"fields,omitempty"`
		Next   string       `json:"nextPageToken,omitempty"`
	}{page, next}, err
}

// path returns the canonical path of the field of a call.
func path(c *route.Call) (string, error) {
	text := c.Vars["field"]
	if text == anyField {
		return text, nil
	}
	p, err := value.ParseFieldPath(text)
	if err != nil {
		return "", fault.Wrap(err, fault.InvalidArgument, "Invalid field path %q.", text)
	}
	return p.String(), nil
}

// getField returns a field.
func (a *API) getField(_ context.Context, c *route.Call) (any, error) {
	name, err := a.database(c)
	if err != nil {
		return nil, err
	}
	p, err := path(c)
	if err != nil {
		return nil, err
	}
	defs, err := a.o.Releases.Definitions(c.Vars["database"])
	if err != nil {
		return nil, err
	}
	group := c.Vars["group"]
	return shownField(name, group, p, override(defs, group, p), override(defs, group, anyField)), nil
}

// updateField begins to change the configuration of a field.
func (a *API) updateField(ctx context.Context, c *route.Call) (any, error) {
	name, err := a.database(c)
	if err != nil {
		return nil, err
	}
	var in fieldJSON
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	p, err := path(c)
	if err != nil {
		return nil, err
	}
	group := c.Vars["group"]
	if group == defaultGroup {
		return nil, fault.E(fault.Unimplemented, "This server cannot change the indexes of all fields of a database. Change those of a collection group by its field *.")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	current, err := a.currentLocked(c.Vars["database"], group, p)
	if err == nil && current == nil {
		err = a.fieldRoomLocked(c.Vars["database"])
	}
	if err != nil {
		return nil, err
	}
	next, err := in.change(c.Query.Get("updateMask"), group, p, current)
	if err != nil {
		return nil, err
	}
	o := &operation{Database: c.Vars["database"], By: c.By(), Group: group, Path: p, Override: next}
	if err := a.beginLocked(ctx, o); err != nil {
		return nil, err
	}
	return shownOperation(name, o), nil
}

// currentLocked returns the override that a field will have after all operations; mu is held.
func (a *API) currentLocked(database, group, path string) (*index.Override, error) {
	defs, err := a.o.Releases.Definitions(database)
	if err != nil {
		return nil, err
	}
	current := override(defs, group, path)
	for _, o := range a.ofLocked(database) {
		if !o.isDone() && o.Index == nil && o.Group == group && o.Path == path {
			current = o.Override
		}
	}
	return current, nil
}

// maxFields is the maximum number of fields with a configuration of their own in a database.
const maxFields = 1000

// fieldRoomLocked returns ResourceExhausted if a database, after all operations, has the maximum number of fields with
// a configuration of their own; mu is held.
func (a *API) fieldRoomLocked(database string) error {
	defs, err := a.o.Releases.Definitions(database)
	if err != nil {
		return err
	}
	n := len(defs.Overrides)
	for _, o := range a.ofLocked(database) {
		if !o.isDone() && o.Override != nil {
			n++
		}
	}
	if n >= maxFields {
		return fault.E(fault.ResourceExhausted, "The database has %d fields with a configuration of their own, the maximum.", maxFields)
	}
	return nil
}

// change returns the override of a field after an update, nil if it has the default configuration. Without a mask, the
// update is of the indexes and the TTL policy.
func (in *fieldJSON) change(mask, group, path string, current *index.Override) (*index.Override, error) {
	indexes, ttl := mask == "", mask == ""
	for name := range strings.SplitSeq(mask, ",") {
		switch strings.TrimSpace(name) {
		case "indexConfig", "index_config":
			indexes = true
		case "ttlConfig", "ttl_config":
			ttl = true
		case "":
		default:
			return nil, fault.E(fault.InvalidArgument, "Invalid field mask: %q is neither indexConfig nor ttlConfig.", name)
		}
	}
	next := index.Override{CollectionGroup: group, Path: path, Collection: automatic}
	if current != nil {
		next = *current
	}
	switch {
	case indexes && in.IndexConfig != nil && !in.IndexConfig.UsesAncestorConfig:
		single, group, err := in.IndexConfig.singles(next.CollectionGroup, path)
		if err != nil {
			return nil, err
		}
		next.Collection, next.Group = single, group
	case indexes:
		next.Collection, next.Group = automatic, index.Single{}
	}
	if ttl {
		if in.TTLConfig != nil && in.TTLConfig.ExpirationOffset != "" {
			return nil, fault.E(fault.Unimplemented, "This server has no TTL policies with an offset (expirationOffset).")
		}
		if in.TTLConfig != nil && path == anyField {
			return nil, fault.E(fault.InvalidArgument, "A TTL policy needs the name of a field.")
		}
		next.TTL = in.TTLConfig != nil
	}
	reset := indexes && (in.IndexConfig == nil || in.IndexConfig.UsesAncestorConfig) || current == nil && !indexes
	if reset && !next.TTL {
		return nil, nil
	}
	return &next, nil
}

// singles returns the single-field indexes of a configuration. They are checked as those of a file.
func (c *indexConfigJSON) singles(group, path string) (collection, all index.Single, err error) {
	list := []any{}
	for _, i := range c.Indexes {
		if i == nil || len(i.Fields) != 1 || i.Fields[0].FieldPath != path && i.Fields[0].FieldPath != "" && i.Fields[0].FieldPath != anyField {
			return collection, all, fault.E(fault.InvalidArgument, "Each index of a field has one field, %s.", path)
		}
		list = append(list, map[string]any{"order": i.Fields[0].Order, "arrayConfig": i.Fields[0].ArrayConfig, "queryScope": i.QueryScope})
	}
	text, err := json.Marshal(map[string]any{"fieldOverrides": []any{map[string]any{"collectionGroup": group, "fieldPath": path, "indexes": list}}})
	if err != nil {
		return collection, all, err
	}
	defs, _, err := index.ParseDefinitions(text)
	if err != nil {
		return collection, all, fault.Wrap(err, fault.InvalidArgument, "The indexes of the field are not valid: %s", fault.FromError(err).Message)
	}
	return defs.Overrides[0].Collection, defs.Overrides[0].Group, nil
}
