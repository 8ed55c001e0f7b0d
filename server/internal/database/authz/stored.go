package authz

import (
	"context"
	"errors"
	"strings"

	"clave/server/internal/auth/token"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/observe/usage"
)

// errCounted ends a count of documents at its limit.
var errCounted = errors.New("the maximum number of documents was counted")

// Stored adds up what the documents of a project occupy as production bills their storage, in all its databases, or
// with an empty name those of all projects. It reads at most most documents.
func (az *Authorizer) Stored(ctx context.Context, c token.Caller, project string, most int) (usage.StorageReport, error) {
	if err := privileged(c); err != nil {
		return usage.StorageReport{}, err
	}
	var sum usage.Storage
	count := func(path string, document, entries int64) error {
		if most--; most < 0 {
			return errCounted
		}
		sum.Add(path[:strings.LastIndexByte(path, '/')], document, entries)
		return nil
	}
	for _, db := range az.engine.Databases() {
		if project != "" && db.Project != project {
			continue
		}
		if err := az.sizes(ctx, c, db, count); errors.Is(err, errCounted) {
			r := sum.Report()
			r.Partial = true
			return r, nil
		} else if err != nil {
			return usage.StorageReport{}, err
		}
	}
	return sum.Report(), nil
}

// sizes calls yield with the sizes of the documents of a database and of their index entries.
func (az *Authorizer) sizes(ctx context.Context, c token.Caller, db resource.Database, yield func(path string, document, entries int64) error) error {
	reading, err := az.read(ctx, c, db, "", request.At{})
	if err != nil {
		return err
	}
	defer reading.Close()
	return reading.BilledSizes(ctx, yield)
}
