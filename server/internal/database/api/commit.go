package api

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// Commit applies writes atomically, and ends the transaction if the request names one. An empty commit has no time.
func (s *Server) Commit(ctx context.Context, c token.Caller, db resource.Database, r request.Commit) (*wire.Committed, error) {
	if len(r.Writes) == 0 && len(r.Transaction) == 0 {
		return &wire.Committed{}, nil
	}
	result, err := s.o.Authorizer.Commit(ctx, c, db, r)
	switch {
	case err != nil:
		return nil, err
	case len(r.Writes) == 0:
		return &wire.Committed{}, nil
	}
	return &wire.Committed{Results: result.Results, Time: result.Version}, nil
}
