package app

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"clave/server/internal/auth/token"
	"clave/server/internal/store"
)

// vault returns the store of the signing keys: the data folder, PostgreSQL, so that all nodes have the same keys, or
// nil for memory.
func (a *App) vault(ctx context.Context, st dataStore) (token.Vault, error) {
	ctx = context.WithoutCancel(ctx)
	inStore := storeVault{st, func(b *store.Batch) error { return st.Apply(ctx, b) }}
	switch {
	case a.config.Store != "":
		return inStore, nil
	case a.config.Memory:
		return nil, nil
	}
	dir := token.Folder(filepath.Join(a.config.DataDir, keysDir))
	return dir, copyKeys(inStore, dir) // a copy of a replica has its keys in the store
}

// keysDir is the folder of signing keys in a data folder.
const keysDir = "keys"

// signingPrefix is the prefix of the keys of signing keys in a store.
var signingPrefix = []byte("signing/")

// copyKeys copies the keys of rings that are empty in the other vault.
func copyKeys(from, to token.Vault) error {
	for _, ring := range token.Rings() {
		there, err := to.Load(ring)
		if err != nil || len(there) > 0 {
			return err
		}
		keys, err := from.Load(ring)
		if err != nil {
			return err
		}
		for id, text := range keys {
			if err := to.Save(ring, id, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// storeVault stores signing keys in a store, under signing/RING/ID.
type storeVault struct {
	store store.Reader
	apply func(*store.Batch) error
}

// key returns the store's key of a signing key.
func (v storeVault) key(ring, id string) []byte {
	return []byte(string(signingPrefix) + ring + "/" + id)
}

// Load implements token.Vault.
func (v storeVault) Load(ring string) (map[string][]byte, error) {
	prefix := v.key(ring, "")
	it := v.store.Scan(store.Prefix(prefix))
	defer func() { _ = it.Close() }() // Err has returned all errors of a read.
	texts := make(map[string][]byte)
	for it.Next() {
		value, err := it.Value()
		if err != nil {
			return nil, fmt.Errorf("read the signing keys: %w", err)
		}
		texts[strings.TrimPrefix(string(it.Key()), string(prefix))] = append([]byte(nil), value...)
	}
	return texts, it.Err()
}

// Save implements token.Vault.
func (v storeVault) Save(ring, id string, text []byte) error {
	var b store.Batch
	b.Set(v.key(ring, id), text)
	return v.apply(&b)
}

// Remove implements token.Vault.
func (v storeVault) Remove(ring, id string) error {
	b := store.Batch{Deletes: true}
	b.Delete(v.key(ring, id))
	return v.apply(&b)
}
