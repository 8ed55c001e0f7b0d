package authz

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
)

// The methods below are for the console, and for privileged callers: rules have no methods for them.

// Indexes returns the composite indexes of a database.
func (az *Authorizer) Indexes(c token.Caller, db resource.Database) ([]index.Status, error) {
	if err := privileged(c); err != nil {
		return nil, err
	}
	return az.engine.Indexes(db)
}

// IndexSize returns the number of entries of a composite index and the size of their keys in bytes. It counts at most
// most entries.
func (az *Authorizer) IndexSize(ctx context.Context, c token.Caller, db resource.Database, d index.Definition, most int) (entries int, bytes int64, err error) {
	if err := privileged(c); err != nil {
		return 0, 0, err
	}
	return az.engine.IndexSize(ctx, db, d, most)
}

// Below calls yield with the names of the documents at and below a path, which names a document or a collection.
func (az *Authorizer) Below(ctx context.Context, c token.Caller, db resource.Database, path string, yield func(resource.Document) error) error {
	if err := privileged(c); err != nil {
		return err
	}
	reading, err := az.read(ctx, c, db, "", request.At{})
	if err != nil {
		return err
	}
	defer reading.Close()
	return reading.Below(ctx, path, yield)
}

// Groups returns the ids of all collections in a database.
func (az *Authorizer) Groups(ctx context.Context, c token.Caller, db resource.Database) ([]string, error) {
	if err := privileged(c); err != nil {
		return nil, err
	}
	reading, err := az.read(ctx, c, db, "", request.At{})
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	return reading.Groups(ctx)
}

// History calls yield with the retained changes of a document, oldest first, and returns the version after which they
// are complete.
func (az *Authorizer) History(ctx context.Context, c token.Caller, name resource.Document, yield func(clock.Version, document.Change) error) (since clock.Version, err error) {
	if err := privileged(c); err != nil {
		return 0, err
	}
	return az.engine.History(ctx, name, yield)
}

// Changes calls yield with the commits after one version and up to another, in order.
func (az *Authorizer) Changes(ctx context.Context, c token.Caller, db resource.Database, after, upto clock.Version, yield func(document.Commit) error) error {
	if err := privileged(c); err != nil {
		return err
	}
	return az.engine.Changes(ctx, db, after, upto, yield)
}
