package api

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// DeleteDocument removes a document.
func (s *Server) DeleteDocument(ctx context.Context, c token.Caller, db resource.Database, w document.Write) (*wire.Empty, error) {
	if _, err := s.o.Authorizer.Commit(ctx, c, db, request.Commit{Writes: []document.Write{w}}); err != nil {
		return nil, err
	}
	return &wire.Empty{}, nil
}
