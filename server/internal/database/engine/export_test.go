package engine

import (
	"context"

	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
)

// SetMaxOverlay limits reads of the past to n changed documents.
func (e *Engine) SetMaxOverlay(n int) { e.maxOverlay = n }

// BeginIndex executes the first step of building an index.
func (e *Engine) BeginIndex(ctx context.Context, name resource.Database, d index.Definition) error {
	db, err := e.database(name)
	if err != nil {
		return err
	}
	_, _, err = e.beginIndex(ctx, db, d)
	return err
}
