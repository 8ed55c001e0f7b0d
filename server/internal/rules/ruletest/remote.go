package ruletest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
)

// maxRemoteDocument is the maximum size of a response with a document, in bytes: JSON is longer than what it encodes.
const maxRemoteDocument = 16 << 20

// FetchFrom returns a Fetch that reads the documents of a project from a development server at host:port, as its owner.
func FetchFrom(address, project string) Fetch {
	return func(ctx context.Context, name resource.Document) (*document.Document, error) {
		u := url.URL{Scheme: "http", Host: address, Path: "/v1/projects/" + project + "/databases/" + resource.DefaultDatabase + "/documents/" + name.Path}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
		if err != nil {
			return nil, fault.Wrap(err, fault.InvalidArgument, "%s is no address of a server.", address)
		}
		r.Header.Set("Authorization", "Bearer owner")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "%s does not respond: %v", address, err)
		}
		defer func() { _ = res.Body.Close() }() // a read
		if res.StatusCode == http.StatusNotFound {
			return nil, nil
		}
		var body struct {
			Fields json.RawMessage `json:"fields"`
		}
		text, err := io.ReadAll(io.LimitReader(res.Body, maxRemoteDocument))
		if err == nil && res.StatusCode == http.StatusOK {
			err = json.Unmarshal(text, &body)
		}
		if err != nil || res.StatusCode != http.StatusOK {
			return nil, fault.E(fault.Unavailable, "%s cannot be read from %s: it responded with %s.", name.Path, address, res.Status)
		}
		fields, layout, err := parseFields(body.Fields)
		return &document.Document{Name: name, Fields: fields, Layout: layout}, err
	}
}
