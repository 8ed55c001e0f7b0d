package seed

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
	"clave/server/internal/model/wire/firestorepb"
)

// The sizes of requests for documents.
const (
	// readTogether is the number of documents that one request reads. Each may have a MiB, and more as JSON.
	readTogether = 40
	// writtenTogether is the number of documents, and bytesTogether that of bytes as JSON, that one commit writes.
	writtenTogether = 400
	bytesTogether   = 8 << 20
	// listedTogether is the number of documents of a page, without their fields.
	listedTogether = 300
)

// compareDocuments compares the documents.
func compareDocuments(ctx context.Context, t *Target, s *Seed, prune bool) (out []*Difference, err error) {
	for some := range slices.Chunk(s.Documents, readTogether) {
		found, err := t.get(ctx, some)
		if err != nil {
			return nil, err
		}
		for _, d := range some {
			one := &Difference{Action: Add, Kind: kindDocument, Name: d.Name.Path, Place: d.Place, document: d}
			have, exists := found[d.Name.String()]
			if exists {
				if same(d.fields, have) {
					continue
				}
				one.Action = Change
				one.compareFields("", d.fields, have)
			}
			out = append(out, one)
		}
	}
	if !prune {
		return out, nil
	}
	extra, err := s.extraDocuments(ctx, t)
	return append(out, extra...), err
}

// get reads documents. The result has the fields of those that exist, by their names.
func (t *Target) get(ctx context.Context, some []*Document) (map[string]value.Map, error) {
	names := make([]string, len(some))
	for i, d := range some {
		names[i] = d.Name.String()
	}
	var answers []struct {
		Found *struct {
			Name   string          `json:"name"`
			Fields json.RawMessage `json:"fields"`
		} `json:"found"`
	}
	if err := t.call(ctx, http.MethodPost, t.documents(":batchGet"), map[string]any{"documents": names}, &answers); err != nil {
		return nil, err
	}
	out := make(map[string]value.Map)
	for _, a := range answers {
		if a.Found == nil {
			continue
		}
		text := string(a.Found.Fields)
		if text == "" {
			text = "{}"
		}
		fields, _, err := wire.ParseFieldsJSON(text)
		if err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "the server returned %s in a form that is not Firestore's", a.Found.Name)
		}
		if fields == nil {
			fields = value.Map{}
		}
		out[a.Found.Name] = fields
	}
	return out, nil
}

// extraDocuments returns the documents that the seed does not have, in the collections of which it has documents.
func (s *Seed) extraDocuments(ctx context.Context, t *Target) (out []*Difference, err error) {
	known, collections := make(map[string]bool), []string(nil)
	for _, d := range s.Documents {
		known[d.Name.String()] = true
		collections = append(collections, d.Name.Collection().Path())
	}
	slices.Sort(collections)
	for _, collection := range slices.Compact(collections) {
		for token := ""; ; {
			var page struct {
				Documents []struct {
					Name string `json:"name"`
				} `json:"documents"`
				Next string `json:"nextPageToken"`
			}
			query := url.Values{"pageSize": {strconv.Itoa(listedTogether)}, "mask.fieldPaths": {"__name__"}, "pageToken": {token}}
			if err := t.call(ctx, http.MethodGet, t.documents(collection)+"?"+query.Encode(), nil, &page); err != nil {
				return nil, err
			}
			for _, d := range page.Documents {
				name, err := resource.ParseDocument(d.Name)
				if err != nil {
					return nil, err
				}
				if !known[d.Name] {
					out = append(out, &Difference{Action: Remove, Kind: kindDocument, Name: name.Path})
				}
			}
			if token = page.Next; token == "" {
				break
			}
		}
	}
	return out, nil
}

// writeDocuments writes and deletes the documents of differences.
func writeDocuments(ctx context.Context, t *Target, differences []*Difference) error {
	body, count := []byte(nil), 0
	commit := func() error {
		if count == 0 {
			return nil
		}
		request := append(append([]byte(`{"writes":[`), body...), `]}`...)
		body, count = body[:0], 0
		return t.call(ctx, http.MethodPost, t.documents(":commit"), json.RawMessage(request), nil)
	}
	for _, d := range differences {
		write, err := d.write(t.DB)
		if err != nil {
			return err
		}
		if count == writtenTogether || count > 0 && len(body)+len(write) > bytesTogether {
			if err := commit(); err != nil {
				return err
			}
		}
		if count > 0 {
			body = append(body, ',')
		}
		body, count = append(body, write...), count+1
	}
	return commit()
}

// write returns the JSON of the write that a difference requires.
func (d *Difference) write(db resource.Database) ([]byte, error) {
	if d.Action == Remove {
		return json.Marshal(map[string]string{"delete": db.Root() + "/" + d.Name})
	}
	fields, _ := plain(d.document.fields).(value.Map)
	return wire.AppendJSON(nil, &firestorepb.Write{Operation: &firestorepb.Write_Update{
		Update: &firestorepb.Document{Name: d.document.Name.String(), Fields: wire.FormatFields(fields)},
	}})
}
