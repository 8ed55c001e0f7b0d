package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// A page of rows has rowsOnPage documents at most, and ends after those that have rowsBytes together. The first part of
// a page has firstRows, which tell how large the others are. postRows returns maxRows documents at most.
const (
	rowsOnPage = 100
	rowsBytes  = 2 << 20
	firstRows  = 4
	maxRows    = 1000
)

// shownCharacters is the number of characters of a field that a table shows; the items of an array are counted too.
const shownCharacters = 256

// rowJSON is a document as a table shows it: the values of its fields are shortened. Size is that of the whole
// document.
type rowJSON struct {
	Document json.RawMessage `json:"document"`
	Size     int             `json:"size"`
}

// rowsJSON is a page of rows. Next is the token of the next page of a collection, and More is set if a query has more.
type rowsJSON struct {
	Rows []rowJSON `json:"rows"`
	Next string    `json:"next,omitempty"`
	More bool      `json:"more,omitempty"`
}

// add appends a document, whose fields with the given names are not shortened.
func (r *rowsJSON) add(d *document.Document, whole map[string]bool) error {
	short := *d
	short.Layout, short.Fields = value.Layout{}, make(value.Map, len(d.Fields))
	for name, v := range d.Fields {
		if left := shownCharacters; !whole[name] {
			v = shortened(v, &left)
		}
		short.Fields[name] = v
	}
	text, err := documentJSON(&short)
	if err != nil {
		return err
	}
	r.Rows = append(r.Rows, rowJSON{text, d.Size()})
	return nil
}

// shortened returns the beginning of a value. left is the number of letters that may be shown, and becomes what
// remains.
func shortened(v value.Value, left *int) value.Value {
	switch v := v.(type) {
	case value.String:
		most := max(*left, 0)
		*left -= len(v)
		if len(v) > most {
			return value.String(strings.ToValidUTF8(string(v[:most]), ""))
		}
	case value.Bytes:
		if *left -= 8; len(v) > shownCharacters {
			return value.String(fmt.Sprintf("%d B", len(v))) // a table shows no more of bytes
		}
	case value.Array:
		n := 0
		for out := make(value.Array, 0, min(len(v), shownCharacters)); ; n++ {
			if n == len(v) || *left <= 0 {
				return out
			}
			*left -= 2
			out = append(out, shortened(v[n], left))
		}
	case value.Map:
		out := make(value.Map)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if *left <= 0 {
				break
			}
			*left -= utf8.RuneCountInString(name) + 2
			out[name] = shortened(v[name], left)
		}
		return out
	default:
		*left -= 8
	}
	return v
}

// getRows returns a page of the documents of a collection in the order of names, or of a query.
func (c *Console) getRows(in *call) (any, error) {
	db, err := in.database(databaseBody{})
	if err != nil {
		return nil, err
	}
	if text := in.query("query"); text != "" {
		return c.queriedRows(in, db, text)
	}
	name, err := resource.ParseDocument(db.Root() + "/" + in.query("collection") + "/x")
	if err != nil {
		return nil, err
	}
	out := rowsJSON{Rows: []rowJSON{}, Next: in.query("pageToken")}
	size, bytes := firstRows, 0
	for len(out.Rows) < rowsOnPage && bytes < rowsBytes {
		page, err := c.o.Authorizer.List(in.Context(), in.caller(db.Project), db, request.List{
			Collection: name.Collection(), PageSize: min(size, rowsOnPage-len(out.Rows)), PageToken: out.Next, ShowMissing: true,
		}, request.At{})
		if err != nil {
			return nil, err
		}
		for _, d := range page.Documents {
			if err := out.add(d, nil); err != nil {
				return nil, err
			}
			bytes += d.Size()
		}
		if out.Next = page.Next; out.Next == "" {
			break
		}
		size = max(1, (rowsBytes-bytes)*len(out.Rows)/max(bytes, 1))
	}
	return out, nil
}

// errRowsFull ends a query whose page of rows is full.
var errRowsFull = errors.New("page of rows full")

// queriedRows returns a page of the documents of a query. The fields of its order are whole, because a cursor needs
// them.
func (c *Console) queriedRows(in *call, db resource.Database, text string) (any, error) {
	var structured pb.StructuredQuery
	if err := wire.ParseJSON([]byte(text), &structured); err != nil {
		return nil, err
	}
	q, err := wire.ParseQuery(strings.TrimSuffix(db.Root()+"/"+in.query("parent"), "/"), &structured)
	if err != nil {
		return nil, err
	}
	whole := make(map[string]bool)
	for _, o := range q.OrderBy {
		if !o.Path.IsName() {
			whole[o.Path[0]] = true
		}
	}
	out, bytes := rowsJSON{Rows: []rowJSON{}}, 0
	_, err = c.o.Authorizer.Query(in.Context(), in.caller(db.Project), q, request.At{}, func(authz.Snapshot) error { return nil }, func(d *document.Document) error {
		if bytes >= rowsBytes {
			out.More = true
			return errRowsFull
		}
		bytes += d.Size()
		return out.add(d, whole)
	})
	if err != nil && !errors.Is(err, errRowsFull) {
		return nil, err
	}
	return out, nil
}

// postRows returns the rows of the existing documents at some paths.
func (c *Console) postRows(in *call) (any, error) {
	var body struct {
		databaseBody
		Paths []string `json:"paths"`
	}
	db, err := in.decodeAt(&body, &body.databaseBody)
	if err != nil {
		return nil, err
	}
	if len(body.Paths) > maxRows {
		return nil, fault.E(fault.InvalidArgument, "paths may have %d paths at most.", maxRows)
	}
	names := make([]resource.Document, len(body.Paths))
	for i, path := range body.Paths {
		if names[i], err = resource.ParseDocument(db.Root() + "/" + path); err != nil {
			return nil, err
		}
	}
	out := rowsJSON{Rows: []rowJSON{}}
	err = c.o.Authorizer.Get(in.Context(), in.caller(db.Project), db, names, request.At{}, func(authz.Snapshot) error { return nil },
		func(_ resource.Document, d *document.Document) error {
			if d == nil {
				return nil
			}
			return out.add(d, nil)
		})
	return out, err
}
