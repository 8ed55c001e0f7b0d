package api

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// UpdateDocument creates or changes a document.
func (s *Server) UpdateDocument(ctx context.Context, c token.Caller, db resource.Database, r request.Update) (*wire.Document, error) {
	return s.writeOne(ctx, c, db, r.Write, r.Mask)
}
