package api

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// BeginTransaction begins a transaction.
func (s *Server) BeginTransaction(ctx context.Context, c token.Caller, db resource.Database, o request.TransactionOptions) (*wire.Begun, error) {
	id, err := s.o.Authorizer.Begin(ctx, c, db, o)
	if err != nil {
		return nil, err
	}
	return &wire.Begun{Transaction: id}, nil
}
