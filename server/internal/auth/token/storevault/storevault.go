// Package storevault keeps signing keys in a store, under signing/RING/ID, so that all nodes have the same keys.
package storevault

import (
	"bytes"
	"fmt"
	"strings"

	"clave/server/internal/auth/token"
	"clave/server/internal/store"
)

// prefix is the prefix of the keys of signing keys in a store.
const prefix = "signing/"

// Range returns the keys of all signing keys in a store.
func Range() store.Range { return store.Prefix([]byte(prefix)) }

// Has reports whether a key of a store is that of a signing key.
func Has(key []byte) bool { return bytes.HasPrefix(key, []byte(prefix)) }

// Copy copies the keys of rings that are empty in the other vault.
func Copy(from, to token.Vault) error {
	for _, ring := range token.Rings() {
		there, err := to.Load(ring)
		if err != nil {
			return err
		}
		if len(there) > 0 {
			continue
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

// Vault stores signing keys in a store.
type Vault struct {
	store store.Reader
	apply func(*store.Batch) error
}

// New returns the vault in a store. apply writes a batch; it is nil for a vault that is only read.
func New(st store.Reader, apply func(*store.Batch) error) Vault { return Vault{st, apply} }

// Key returns the store's key of a signing key.
func Key(ring, id string) []byte {
	return []byte(prefix + ring + "/" + id)
}

// Load implements token.Vault.
func (v Vault) Load(ring string) (map[string][]byte, error) {
	of := Key(ring, "")
	it := v.store.Scan(store.Prefix(of))
	defer func() { _ = it.Close() }() // Err has returned all errors of a read.
	texts := make(map[string][]byte)
	for it.Next() {
		value, err := it.Value()
		if err != nil {
			return nil, fmt.Errorf("read the signing keys: %w", err)
		}
		texts[strings.TrimPrefix(string(it.Key()), string(of))] = append([]byte(nil), value...)
	}
	return texts, it.Err()
}

// Save implements token.Vault.
func (v Vault) Save(ring, id string, text []byte) error {
	var b store.Batch
	b.Set(Key(ring, id), text)
	return v.apply(&b)
}

// Remove implements token.Vault.
func (v Vault) Remove(ring, id string) error {
	b := store.Batch{Deletes: true}
	b.Delete(Key(ring, id))
	return v.apply(&b)
}
