package api

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// Rollback ends a transaction without writes.
func (s *Server) Rollback(ctx context.Context, c token.Caller, db resource.Database, transaction []byte) (*wire.Empty, error) {
	if err := s.o.Authorizer.Rollback(ctx, c, db, transaction); err != nil {
		return nil, err
	}
	return &wire.Empty{}, nil
}
