package engine

import (
	"context"

	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
)

// Names calls yield with the names of a normalized query's results, in order except for values that an index truncates,
// unless the query has an offset or a limit. It reads documents only if the index does not suffice. It is not for
// transactions, since it takes no locks.
func (r *Reading) Names(ctx context.Context, q *query.Query, yield func(resource.Document) error) error {
	x, err := r.newRun(ctx, q)
	if err != nil {
		return err
	}
	return x.Names(func(path string) error { return yield(r.db.document(path)) })
}
