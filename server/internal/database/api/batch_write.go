package api

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// BatchWrite applies writes of different documents independently.
func (s *Server) BatchWrite(ctx context.Context, c token.Caller, db resource.Database, writes []document.Write) (*wire.BatchWritten, error) {
	if err := eachOnce(writes); err != nil {
		return nil, err
	}
	if len(writes) == 0 {
		return &wire.BatchWritten{}, nil
	}
	statuses, err := s.o.Authorizer.BatchWrite(ctx, c, db, writes)
	if err != nil {
		return nil, err
	}
	return &wire.BatchWritten{Statuses: statuses}, nil
}

// eachOnce refuses two writes of one document.
func eachOnce(writes []document.Write) error {
	seen := make(map[string]bool, len(writes))
	for _, w := range writes {
		if seen[w.Name.Path] {
			return fault.E(fault.InvalidArgument, "the same document cannot be written more than once in a single request")
		}
		seen[w.Name.Path] = true
	}
	return nil
}
