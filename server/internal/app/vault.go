package app

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/auth/token/storevault"
	"clave/server/internal/store"
)

// vault returns the store of the signing keys: the data folder, PostgreSQL, so that all nodes have the same keys, or
// nil for memory.
func (a *App) vault(ctx context.Context, st dataStore) (token.Vault, error) {
	ctx = context.WithoutCancel(ctx)
	inStore := storevault.New(st, func(b *store.Batch) error { return st.Apply(ctx, b) })
	switch {
	case a.config.Store != "":
		return inStore, nil
	case a.config.Memory:
		return nil, nil
	}
	dir := token.InData(a.config.DataDir)
	return dir, storevault.Copy(inStore, dir) // a copy of a replica has its keys in the store
}
