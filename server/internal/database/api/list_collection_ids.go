package api

import (
	"context"
	"encoding/base64"
	"sort"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// maxCollectionIDs is the maximum number of ids in a page.
const maxCollectionIDs = 1000

// ListCollectionIds returns the ids of the collections under a document or the root, in order. A page token is the last
// id of the previous page.
func (s *Server) ListCollectionIds(ctx context.Context, c token.Caller, db resource.Database, r request.Collections) (*wire.CollectionIDs, error) {
	if r.Page.Size < 0 {
		return nil, fault.E(fault.InvalidArgument, "page_size must be greater than or equal to zero.")
	}
	size, err := pageSize(r.Page.Size, maxCollectionIDs)
	if err != nil {
		return nil, err
	}
	last, err := parseIDToken(r.Page.Token)
	if err != nil {
		return nil, err
	}
	ids, err := s.o.Authorizer.CollectionIDs(ctx, c, db, r.Parent, request.At{ReadTime: r.ReadTime})
	if err != nil {
		return nil, err
	}
	sort.Strings(ids)
	if last != "" {
		ids = ids[sort.Search(len(ids), func(i int) bool { return ids[i] > last }):]
	}
	out := &wire.CollectionIDs{IDs: ids}
	if len(ids) > size {
		out.IDs = ids[:size]
		out.Next = idToken(ids[size-1])
	}
	return out, nil
}

// pageSize returns the size of a page, which is greatest if none is requested.
func pageSize(requested int32, greatest int) (int, error) {
	if requested < 0 {
		return 0, fault.E(fault.InvalidArgument, "Page size must be nonnegative.")
	}
	if requested == 0 {
		return greatest, nil
	}
	return min(int(requested), greatest), nil
}

// idMark is the first byte of a page token that holds an id.
const idMark = 'i'

// idToken returns the page token for the last id of a page.
func idToken(id string) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte{idMark}, id...))
}

// parseIDToken returns the id in a page token, or empty for an empty token.
func parseIDToken(pageToken string) (string, error) {
	if pageToken == "" {
		return "", nil
	}
	b, err := base64.RawURLEncoding.DecodeString(pageToken)
	if err != nil || len(b) < 2 || b[0] != idMark {
		return "", errPageToken()
	}
	return string(b[1:]), nil
}

// errPageToken refuses a page token.
func errPageToken() error { return fault.E(fault.InvalidArgument, "invalid page token") }
