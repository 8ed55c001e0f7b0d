package console

import (
	"encoding/json"
	"slices"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
)

// The default and the maximum number of versions of a document in a response.
const (
	usualVersions = 50
	mostVersions  = 1000
)

// versionJSON is a version of a document.
type versionJSON struct {
	Time    string   `json:"time"`
	Change  string   `json:"change"`
	Exists  bool     `json:"exists"`
	Changed []string `json:"changed"`
}

// documentOf returns the document that a request names.
func (in *call) documentOf(p databaseBody, path string) (resource.Document, error) {
	db, err := in.database(p)
	if err != nil {
		return resource.Document{}, err
	}
	return resource.ParseDocument(db.Root() + "/" + path)
}

// getHistory returns the kept versions of a document, newest first.
func (c *Console) getHistory(in *call) (any, error) {
	name, err := in.documentOf(databaseBody{}, in.query("path"))
	if err != nil {
		return nil, err
	}
	limit, err := in.number("limit", usualVersions, mostVersions)
	if err != nil {
		return nil, err
	}
	versions := []versionJSON{} // oldest first, and one more than is shown
	caller := in.caller(name.DB.Project)
	since, err := c.o.Authorizer.History(in.Context(), caller, name, func(v clock.Version, change document.Change) error {
		if b := change.Before; len(versions) == 0 && b != nil {
			versions = append(versions, versionJSON{timeText(b.UpdateTime.Time()), "before", true, []string{}})
		}
		if len(versions) > limit {
			versions = versions[1:]
		}
		versions = append(versions, versionJSON{timeText(v.Time()), kindOf(change), change.After != nil, changedFields(change)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(versions) == 0 {
		d, err := c.documentAt(in, name, 0)
		if err != nil {
			return nil, err
		}
		if d != nil {
			versions = append(versions, versionJSON{timeText(d.UpdateTime.Time()), "before", true, []string{}})
		}
	}
	slices.Reverse(versions)
	more := len(versions) > limit
	return map[string]any{"path": name.Path, "since": timeText(since.Time()), "versions": versions[:min(limit, len(versions))], "more": more}, nil
}

// kindOf returns the kind of a change.
func kindOf(c document.Change) string {
	switch {
	case c.Before == nil:
		return "create"
	case c.After == nil:
		return "delete"
	}
	return "update"
}

// changedFields returns the names of the fields that a change affected, sorted.
func changedFields(c document.Change) []string {
	out := []string{}
	var before, after value.Map
	if c.Before != nil {
		before = c.Before.Fields
	}
	if c.After != nil {
		after = c.After.Fields
	}
	for name, v := range before {
		if w, ok := after[name]; !ok || !value.Identical(v, w) {
			out = append(out, name)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// restoring returns the write that makes a document as it was, with the order of its fields.
func restoring(d *document.Document, p document.Precondition) document.Write {
	return document.Write{Name: d.Name, Fields: d.Fields, Layout: d.Layout, Precondition: p}
}

// documentAt returns a document as of a version, where 0 is the latest. It returns nil if the document was absent.
func (c *Console) documentAt(in *call, name resource.Document, at clock.Version) (found *document.Document, err error) {
	err = c.o.Authorizer.Get(in.Context(), in.caller(name.DB.Project), name.DB, []resource.Document{name}, request.At{ReadTime: at},
		func(authz.Snapshot) error { return nil }, func(_ resource.Document, d *document.Document) error { found = d; return nil })
	return found, err
}

// parseTime parses a time in the past.
func parseTime(text string) (clock.Version, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return 0, fault.E(fault.InvalidArgument, "at must be a time such as 2026-01-02T15:04:05.000000Z.")
	}
	return clock.VersionOf(t), nil
}

// documentJSON returns a document in its REST form, or nil for nil.
func documentJSON(d *document.Document) (json.RawMessage, error) {
	if d == nil {
		return nil, nil
	}
	return wire.AppendDocumentJSON(nil, d)
}

// getVersion returns a document as of a time.
func (c *Console) getVersion(in *call) (any, error) {
	name, err := in.documentOf(databaseBody{}, in.query("path"))
	if err != nil {
		return nil, err
	}
	at, err := parseTime(in.query("at"))
	if err != nil {
		return nil, err
	}
	d, err := c.documentAt(in, name, at)
	if err != nil {
		return nil, err
	}
	text, err := documentJSON(d)
	return map[string]any{"time": timeText(at.Time()), "document": text}, err
}

// postRestoreVersion restores the state of a document as of a time: it writes the document, or deletes it if it was
// absent.
func (c *Console) postRestoreVersion(in *call) (any, error) {
	var body struct {
		databaseBody
		Path string `json:"path"`
		At   string `json:"at"`
	}
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	name, err := in.documentOf(body.databaseBody, body.Path)
	if err != nil {
		return nil, err
	}
	at, err := parseTime(body.At)
	if err != nil {
		return nil, err
	}
	d, err := c.documentAt(in, name, at)
	if err != nil {
		return nil, err
	}
	write := document.Write{Op: document.Delete, Name: name}
	if d != nil {
		write = restoring(d, document.Precondition{})
	}
	result, err := c.o.Authorizer.Commit(in.Context(), in.caller(name.DB.Project), name.DB, request.Commit{Writes: []document.Write{write}})
	switch {
	case err != nil:
		return nil, err
	case d == nil:
		return map[string]any{"deleted": true}, nil
	}
	return map[string]any{"updateTime": timeText(result.Version.Time())}, nil
}
