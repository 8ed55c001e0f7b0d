package datastore

import (
	"context"
	"errors"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/changelog"
	"clave/server/internal/store/postgres"
)

// Changes returns the log that collects what is written to the store of a server that ships it; nil for others. For a
// store that nodes share, it continues the log of the node that led before, and nothing may be written meanwhile.
func (d *Opener) Changes(ctx context.Context, s Store) (*changelog.Log, error) {
	shared, ok := s.(*postgres.Store)
	if !ok || !d.c.Ships() {
		return d.Log, nil
	}
	l := changelog.New(changelog.Options{Dir: d.c.DataDir, Shared: shared, Clock: shared.Clock(), Logger: d.o.Log})
	row, err := l.Continue(ctx)
	if err == nil {
		err = shared.Pass(ctx, row, l)
	}
	switch {
	case errors.Is(err, postgres.ErrRowsMissing):
		id, _ := l.ID()
		l.End(id, fault.Reason(err))
		return l, nil
	case fault.Is(err, fault.Unavailable): // PostgreSQL does not answer: the node follows, and tries again when it leads.
		return nil, errors.Join(store.ErrMoved, err)
	}
	return l, err
}
