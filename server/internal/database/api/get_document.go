package api

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// GetDocument returns the document of a request with one name.
func (s *Server) GetDocument(ctx context.Context, c token.Caller, db resource.Database, r request.Get) (*wire.Document, error) {
	var found *wire.Document
	err := s.o.Authorizer.Get(ctx, c, db, r.Names, r.At, ignoreSnapshot, func(name resource.Document, d *document.Document) error {
		if d == nil {
			return fault.E(fault.NotFound, "Document \"%s\" not found.", name)
		}
		found = (*wire.Document)(r.Mask.Apply(d))
		return nil
	})
	return found, err
}
