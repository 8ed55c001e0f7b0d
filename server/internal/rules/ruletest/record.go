package ruletest

import (
	"bytes"
	"encoding/json"

	"clave/server/internal/model/document"
	"clave/server/internal/model/wire"
	"clave/server/internal/rules"
)

// Recorded returns a decided request as a case with the documents that its decision read, by path; nil for those that
// did not exist. A commit of several writes is decided by several requests, each of which becomes a case.
func Recorded(id string, q *rules.Request, allowed bool, read map[string]*document.Document) (*Case, error) {
	now := q.Time.Time()
	c := &Case{ID: id, Now: &now, Docs: make(map[string]json.RawMessage), Expect: verdictOf(allowed)}
	if q.Auth != nil {
		c.Auth = &Auth{UID: q.Auth.UID, Token: q.Auth.Claims}
	}
	keep := func(path string, d *document.Document) (err error) {
		if d == nil {
			c.Docs[path] = json.RawMessage("null")
			return nil
		}
		c.Docs[path], err = formatFields(d)
		return err
	}
	for path, d := range read {
		if err := keep(path, d); err != nil {
			return nil, err
		}
	}
	c.Op.Method = q.Method.String()
	if q.Query != nil {
		text, err := wire.AppendJSON(nil, wire.FormatQuery(q.Query))
		// A case has its own database. The references in a query must point into it.
		c.Op.Parent, c.Op.Query = q.Query.Parent, bytes.ReplaceAll(text, []byte(`"`+q.Query.DB.Root()+"/"), []byte(`"`+Database.Root()+"/"))
		return c, err
	}
	// The rules get the document itself as resource, without a read.
	if err := keep(q.Name.Path, q.Before); err != nil {
		return nil, err
	}
	c.Op.Path = q.Name.Path
	if q.After == nil || q.Method == rules.Get {
		return c, nil
	}
	var err error
	c.Op.Data, err = formatFields(q.After)
	return c, err
}

// formatFields returns a document's fields in the REST form.
func formatFields(d *document.Document) (json.RawMessage, error) {
	text, err := wire.AppendDocumentJSON(nil, d)
	if err != nil {
		return nil, err
	}
	var m struct {
		Fields json.RawMessage `json:"fields"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	if m.Fields == nil {
		m.Fields = json.RawMessage("{}")
	}
	return m.Fields, nil
}
