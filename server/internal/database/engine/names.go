package engine

import (
	"context"
	"errors"

	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
)

// Names calls yield with the names of a normalized query's results in order. It reads documents only if the index does
// not suffice. It is not for transactions, since it takes no locks.
func (r *Reading) Names(ctx context.Context, q *query.Query, yield func(resource.Document) error) error {
	if q.Limit == 0 {
		return nil
	}
	x, err := r.newRun(ctx, q)
	if err != nil {
		return err
	}
	skipped, given := 0, 0
	err = x.Names(func(path string) error {
		if skipped < q.Offset {
			skipped++
			return nil
		}
		if err := yield(r.db.document(path)); err != nil {
			return err
		}
		if given++; given == q.Limit {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
