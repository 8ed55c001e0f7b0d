package move

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"clave/server/internal/auth/token"
	"clave/server/internal/auth/token/storevault"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/inventory"
	"clave/server/internal/store"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/release"
)

// Report holds the counts of both sides, for the report.
type Report struct{ From, To []inventory.Count }

// sharedPrefixes lists the prefixes of sources and targets of moves that are not folders.
var sharedPrefixes = []string{"postgres://", "postgresql://"}

// isShared reports whether a source or target of a move is PostgreSQL.
func isShared(at string) bool {
	return slices.ContainsFunc(sharedPrefixes, func(scheme string) bool { return strings.HasPrefix(at, scheme) })
}

// Options are what a move needs of the program.
type Options struct {
	// Open opens the store of an existing data folder.
	Open func(ctx context.Context, dir string) (Store, error)
	// Local are the options of stores in folders, and Node is the name of this process for other nodes.
	Local pebble.Options
	Node  string
	// Progress reports how many of about how many keys have been copied from PostgreSQL.
	Progress func(done, about int64)
	Clock    clock.Clock
	Log      *slog.Logger
	// Notices receives lines for the operator.
	Notices io.Writer
}

// Store is the open store of a data folder.
type Store interface {
	store.Reader
	// Close closes it.
	Close() error
}

// Data copies everything from a data folder to an empty PostgreSQL, or back to an empty or absent folder. The source
// does not change.
func Data(ctx context.Context, from, to string, o Options) (*Report, error) {
	switch {
	case from == "" || to == "" || isShared(from) == isShared(to):
		return nil, fault.E(fault.InvalidArgument, "clave move: one of --from and --to is a data folder, the other a URL such as postgres://user@host/database; clave backup copies a folder")
	case isShared(from):
		return o.toFolder(ctx, from, to)
	}
	return o.toShared(ctx, from, to)
}

// copied reports whether a key of a store is copied.
func copied(key []byte) bool {
	return !derive.IsEntry(key) && !postgres.IsPosition(key) && !bytes.Equal(key, release.Key()) && !storevault.Has(key)
}

// pair is a key with its value.
type pair struct{ key, value []byte }

// signingPairs returns the signing keys of a data folder in the order of their keys: those of its files, and those of
// its store for rings without files, as in a copy of a replica.
func signingPairs(store store.Reader, dir string) ([]pair, error) {
	var pairs []pair
	inStore := storevault.New(store, nil)
	for _, ring := range token.Rings() {
		all, err := token.InData(dir).Load(ring)
		if err == nil && len(all) == 0 {
			all, err = inStore.Load(ring)
		}
		if err != nil {
			return nil, err
		}
		for id, text := range all {
			pairs = append(pairs, pair{storevault.Key(ring, id), text})
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
func compare(from, to *inventory.Inventory) (*Report, error) {
	m := &Report{From: from.Counts(), To: to.Counts()}
	if kinds := inventory.Differing(m.From, m.To); len(kinds) > 0 {
		return m, fault.E(fault.DataLoss, "clave move: the written data differ from the source: %s. Nothing was moved.", strings.Join(kinds, "; "))
	}
	return m, nil
}

// toShared copies a data folder into an empty PostgreSQL.
func (o *Options) toShared(ctx context.Context, dir, to string) (m *Report, err error) {
	store, err := o.Open(ctx, dir)
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

// toFolder copies PostgreSQL, on which no node runs, into an empty or absent data folder.
func (o *Options) toFolder(ctx context.Context, from, dir string) (m *Report, err error) {
	err = backup.Build("PostgreSQL"+hostAndDatabase(from)+" by clave move", dir, func(part string) error {
		source, err := o.copyShared(ctx, from, part)
		if err != nil {
			return err
		}
		fmt.Fprintf(o.Notices, "Written; reading it back\n")
		target, err := o.adoptReplica(ctx, part, dir)
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
func (o *Options) copyShared(ctx context.Context, from, part string) (n *inventory.Inventory, err error) {
	store, err := postgres.Open(ctx, postgres.Options{
		URL: from, Dir: part, Local: o.Local, Node: o.Node, Clock: o.Clock, Log: o.Log,
		Derived: derive.IsEntry, Derive: derive.Entries, Progress: o.Progress,
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
		if copied(key) || storevault.Has(key) {
			return n.Add(key, value)
		}
		return nil
	})
}

// adoptReplica makes the replica in part the store of the data folder dir, and counts the folder's data.
func (o *Options) adoptReplica(ctx context.Context, part, dir string) (n *inventory.Inventory, err error) {
	st, err := pebble.Open(part, o.Local)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := storevault.Copy(storevault.New(st, nil), token.InData(dir)); err != nil {
		return nil, err
	}
	gone := store.Batch{Deletes: true}
	gone.Delete(release.Key())
	signing := storevault.Range()
	gone.DeleteRange(signing.From, signing.To)
	postgres.DropPosition(&gone)
	if err := st.Apply(ctx, &gone); err != nil {
		return nil, err
	}
	pairs, err := signingPairs(st, dir)
	if err != nil {
		return nil, err
	}
	return inventoryOf(ctx, st, pairs)
}
