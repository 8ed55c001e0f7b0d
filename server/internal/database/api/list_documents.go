package api

import (
	"context"
	"encoding/base64"
	"errors"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
)

// Sizes of a listing's page.
const (
	defaultPage = 300
	maxPage     = 1000
)

// ListDocuments returns a page of the documents of a collection, or of all collections of a parent if the request names
// none. In the order of names it can include missing documents; other orders are queries.
func (s *Server) ListDocuments(ctx context.Context, c token.Caller, db resource.Database, r request.Documents) (*wire.Page, error) {
	size, err := pageSize(r.Page.Size, maxPage)
	if err != nil {
		return nil, err
	}
	if r.Page.Size == 0 {
		size = defaultPage
	}
	orders, err := parseOrderBy(r.Orders)
	if err != nil {
		return nil, err
	}
	if r.ShowMissing && len(orders) > 0 {
		return nil, fault.E(fault.InvalidArgument, "cannot specify an order when show_missing is true")
	}
	l := listing{db: db, parent: r.Parent, collection: r.Collection, orders: orders, size: size, token: r.Page.Token}
	var page request.ListPage
	if l.byName() {
		page, err = s.listByName(ctx, c, l, r.At, r.ShowMissing)
	} else {
		page, err = s.listByQuery(ctx, c, l, r.At)
	}
	if err != nil {
		return nil, err
	}
	// A missing document, which only has documents below it, consists of its name and has no times.
	out := &wire.Page{Next: page.Next, Documents: make([]*document.Document, len(page.Documents))}
	for i, d := range page.Documents {
		out.Documents[i] = r.Mask.Apply(d)
	}
	return out, nil
}

// listing holds the parameters of a listing.
type listing struct {
	db         resource.Database
	parent     string
	collection string
	orders     []query.Order
	size       int
	token      string
}

// byName reports whether one collection is listed in the order of names.
func (l listing) byName() bool {
	named := len(l.orders) == 0 || (len(l.orders) == 1 && l.orders[0].Path.IsName() && !l.orders[0].Desc)
	return named && l.collection != ""
}

// listByName lists one collection in the order of names.
func (s *Server) listByName(ctx context.Context, c token.Caller, l listing, at request.At, showMissing bool) (request.ListPage, error) {
	if err := resource.CheckCollectionID(l.collection); err != nil {
		return request.ListPage{}, err
	}
	collection := resource.Collection{DB: l.db, Parent: l.parent, ID: l.collection}
	if err := resource.CheckPath(collection.Path()); err != nil {
		return request.ListPage{}, err
	}
	return s.o.Authorizer.List(ctx, c, l.db, request.List{
		Collection: collection, PageSize: l.size, PageToken: l.token, ShowMissing: showMissing,
	}, at)
}

// errPageFull ends a query once its page is full and another document exists.
var errPageFull = errors.New("page full")

// listByQuery lists in any order. A page token is the position after the page's last document.
func (s *Server) listByQuery(ctx context.Context, c token.Caller, l listing, at request.At) (request.ListPage, error) {
	q, err := (&query.Query{
		DB: l.db, Parent: l.parent, From: []query.From{{Collection: l.collection}}, OrderBy: l.orders, Limit: l.size + 1,
	}).Normalize()
	if err != nil {
		return request.ListPage{}, err
	}
	if q.Start, err = parseCursorToken(l.token, len(q.OrderBy)); err != nil {
		return request.ListPage{}, err
	}
	var page request.ListPage
	_, err = s.o.Authorizer.Query(ctx, c, q, at, ignoreSnapshot, func(d *document.Document) error {
		if len(page.Documents) == l.size {
			page.Next = cursorToken(q.CursorAt(page.Documents[l.size-1], false))
			return errPageFull
		}
		page.Documents = append(page.Documents, d)
		return nil
	})
	if errors.Is(err, errPageFull) {
		err = nil
	}
	return page, err
}

// cursorMark is the first byte of a page token that holds a cursor.
const cursorMark = 'c'

// cursorToken returns the page token for a cursor.
func cursorToken(c *query.Cursor) string {
	return base64.RawURLEncoding.EncodeToString(value.AppendBinary([]byte{cursorMark}, value.Array(c.Values)))
}

// parseCursorToken returns the cursor of a page token, which must have the given number of values, or nil for an empty
// token.
func parseCursorToken(pageToken string, values int) (*query.Cursor, error) {
	if pageToken == "" {
		return nil, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(pageToken)
	if err != nil || len(b) == 0 || b[0] != cursorMark {
		return nil, errPageToken()
	}
	v, rest, err := value.Decode(b[1:])
	items, ok := v.(value.Array)
	if err != nil || len(rest) > 0 || !ok || len(items) != values {
		return nil, errPageToken()
	}
	if _, ok := items[values-1].(value.Reference); !ok {
		return nil, errPageToken()
	}
	return &query.Cursor{Values: items}, nil
}
