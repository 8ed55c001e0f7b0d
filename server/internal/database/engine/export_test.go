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

// ArchiveOrDrop moves old commits to the history, or drops them in an engine without one, as Run does.
func (e *Engine) ArchiveOrDrop(ctx context.Context) error {
	if e.o.History > e.o.Retention {
		return e.Archive(ctx)
	}
	return e.dropHistory(ctx)
}

// SetSegmentBytes sets the size of segments of the history.
func (e *Engine) SetSegmentBytes(n int) { e.archiver.size = n }

// Archive moves old commits to the history, and drops what is older.
func (e *Engine) Archive(ctx context.Context) error { return e.archiver.archive(ctx) }
