package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"clave/server/internal/app/config"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/inventory"
	"clave/server/internal/store"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/release"
)

// How data are moved between a data folder and PostgreSQL. All keys of the store are copied, except derived keys, the
// position of a replica, and the release, since a folder's server uses its own files. Signing keys are files in a
// folder and keys of the store in PostgreSQL. Both sides are counted by kind with checksums, and the target is read
// back for that, before the move takes effect.

// Move holds the counts of both sides, for the report.
type Move struct{ From, To []inventory.Count }

// sharedPrefixes lists the prefixes of sources and targets of moves that are not folders.
var sharedPrefixes = []string{"postgres://", "postgresql://"}

// isShared reports whether a source or target of a move is PostgreSQL.
func isShared(at string) bool {
	return slices.ContainsFunc(sharedPrefixes, func(scheme string) bool { return strings.HasPrefix(at, scheme) })
}

// MoveData copies everything from a data folder to an empty PostgreSQL, or back to an empty or absent folder. The
// source does not change.
func MoveData(ctx context.Context, from, to string, o Options) (*Move, error) {
	o.EnsureDefaults()
	switch {
	case from == "" || to == "" || isShared(from) == isShared(to):
		return nil, fault.E(fault.InvalidArgument, "clave move: one of --from and --to is a data folder, the other a URL such as postgres://user@host/database; clave backup copies a folder")
	case isShared(from):
		return moveToFolder(ctx, from, to, o)
	}
	return moveToShared(ctx, from, to, o)
}

// copied reports whether a key of a store is copied.
func copied(key []byte) bool {
	return !derive.IsEntry(key) && !postgres.IsPosition(key) && !bytes.Equal(key, release.Key()) && !bytes.HasPrefix(key, signingPrefix)
}

// pair is a key with its value.
type pair struct{ key, value []byte }

// signingPairs returns the signing keys of a data folder in the order of their keys: those of its files, and those of
// its store for rings without files, as in a copy of a replica.
func signingPairs(store store.Reader, dir string) ([]pair, error) {
	var pairs []pair
	inStore := storeVault{store: store}
	for _, ring := range token.Rings() {
		all, err := token.Folder(filepath.Join(dir, keysDir)).Load(ring)
		if err == nil && len(all) == 0 {
			all, err = inStore.Load(ring)
		}
		if err != nil {
			return nil, err
		}
		for id, text := range all {
			pairs = append(pairs, pair{inStore.key(ring, id), text})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return bytes.Compare(a.key, b.key) })
	return pairs, nil
}

// inventoryOf counts the data of a folder with an open store.
func inventoryOf(ctx context.Context, store store.Reader, signing []pair) (*inventory.Inventory, error) {
	n := inventory.New()
	next, closing := folderPairs(store, signing)
	for {
		key, value, err := next()
		if err = errors.Join(err, ctx.Err()); err != nil || key == nil {
			return n, errors.Join(err, closing())
		}
		if err := n.Add(key, value); err != nil {
			return nil, errors.Join(err, closing())
		}
	}
}

// folderPairs returns a function that returns the next key with its value, or nil at the end, and one that closes it.
func folderPairs(st store.Reader, signing []pair) (next func() (key, value []byte, err error), closing func() error) {
	it := st.Scan(store.Range{})
	return func() ([]byte, []byte, error) {
		for it.Next() {
			if copied(it.Key()) {
				value, err := it.Value()
				return it.Key(), value, err
			}
		}
		if err := it.Err(); err != nil || len(signing) == 0 {
			return nil, nil, err
		}
		first := signing[0]
		signing = signing[1:]
		return first.key, first.value, nil
	}, it.Close
}

// compare returns the counts of both sides, or an error that lists the kinds that differ.
func compare(from, to *inventory.Inventory) (*Move, error) {
	m := &Move{From: from.Counts(), To: to.Counts()}
	if kinds := inventory.Differing(m.From, m.To); len(kinds) > 0 {
		return m, fault.E(fault.DataLoss, "clave move: the written data differ from the source: %s. Nothing was moved.", strings.Join(kinds, "; "))
	}
	return m, nil
}

// moveToShared copies a data folder into an empty PostgreSQL.
func moveToShared(ctx context.Context, dir, to string, o Options) (m *Move, err error) {
	a := &App{config: &config.Config{DataDir: dir}, o: o}
	store, err := a.openExisting(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	signing, err := signingPairs(store, dir)
	if err != nil {
		return nil, err
	}
	source, err := inventoryOf(ctx, store, signing)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(o.Notices, "Read %s\n", dir)
	next, closing := folderPairs(store, signing)
	target := inventory.New()
	err = postgres.Fill(ctx, postgres.Options{URL: to, Clock: o.Clock, Log: o.Log}, dir, next, func(read postgres.Read) error {
		fmt.Fprintf(o.Notices, "Written; reading it back\n")
		if err := read(target.Add); err != nil {
			return err
		}
		m, err = compare(source, target)
		return err
	})
	return m, errors.Join(err, closing())
}

// moveToFolder copies PostgreSQL, on which no node runs, into an empty or absent data folder.
func moveToFolder(ctx context.Context, from, dir string, o Options) (m *Move, err error) {
	a := &App{o: o}
	err = backup.Build("PostgreSQL"+hostAndDatabase(from)+" by clave move", dir, func(part string) error {
		source, err := a.copyShared(ctx, from, part)
		if err != nil {
			return err
		}
		fmt.Fprintf(o.Notices, "Written; reading it back\n")
		target, err := a.adoptReplica(ctx, part, dir)
		if err != nil {
			return err
		}
		m, err = compare(source, target)
		return err
	})
	if errors.Is(err, store.ErrFull) || errors.Is(err, syscall.ENOSPC) {
		err = fault.Wrap(err, fault.ResourceExhausted, "there is no space for the data in %s. Nothing was moved. Make space and run clave move again.", dir)
	}
	return m, err
}

// hostAndDatabase returns the host and database of a URL, without user and password.
func hostAndDatabase(at string) string {
	u, err := url.Parse(at)
	if err != nil {
		return ""
	}
	return " at " + u.Host + u.Path
}

// copyShared creates a replica of PostgreSQL in a folder, and counts the data in PostgreSQL. It holds the lease
// meanwhile.
func (a *App) copyShared(ctx context.Context, from, part string) (n *inventory.Inventory, err error) {
	store, err := postgres.Open(ctx, postgres.Options{
		URL: from, Dir: part, Local: a.sizes(), Node: "clave move on " + hostName(), Clock: a.o.Clock, Log: a.o.Log,
		Derived: derive.IsEntry, Derive: derive.Entries, Progress: a.progress(),
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := store.TryLead(ctx); err != nil {
		return nil, err
	}
	n = inventory.New()
	return n, store.ReadState(ctx, func(key, value []byte) error {
		if copied(key) || bytes.HasPrefix(key, signingPrefix) {
			return n.Add(key, value)
		}
		return nil
	})
}

// adoptReplica makes the replica in part the store of the data folder dir, and counts the folder's data.
func (a *App) adoptReplica(ctx context.Context, part, dir string) (n *inventory.Inventory, err error) {
	st, err := pebble.Open(part, a.sizes())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := copyKeys(storeVault{store: st}, token.Folder(filepath.Join(dir, keysDir))); err != nil {
		return nil, err
	}
	gone := store.Batch{Deletes: true}
	gone.Delete(release.Key())
	gone.DeleteRange(signingPrefix, store.PrefixEnd(signingPrefix))
	postgres.DropPosition(&gone)
	if err := st.Apply(ctx, &gone); err != nil {
		return nil, err
	}
	signing, err := signingPairs(st, dir)
	if err != nil {
		return nil, err
	}
	return inventoryOf(ctx, st, signing)
}
