package firestore

import (
	"context"

	"clave/server/operation"
	"clave/server/token"
	"clave/server/wire"
	pb "clave/server/wire/firestorepb"
)

// Commit applies writes atomically, and ends the transaction if the request names one. An empty commit has no time.
func (s *Server) Commit(ctx context.Context, c token.Caller, r *pb.CommitRequest) (*wire.Committed, error) {
	db, writes, err := parseWrites(r)
	if err != nil {
		return nil, err
	}
	if len(writes) == 0 && len(r.GetTransaction()) == 0 {
		return &wire.Committed{}, nil
	}
	result, err := s.o.Guard.Commit(ctx, c, db, operation.Commit{Writes: writes, Transaction: r.GetTransaction()})
	switch {
	case err != nil:
		return nil, err
	case len(writes) == 0:
		return &wire.Committed{}, nil
	}
	return &wire.Committed{Results: result.Results, Time: result.Version}, nil
}
