// Package verify compares the records of a store with each other: documents with their index entries and the log of
// commits, and accounts with the names by which they are found.
package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"clave/server/internal/auth/account"
	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine/catalogue"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/past"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// Report is what a verification has counted and found.
type Report struct {
	Databases, Documents, Entries, Commits, Accounts int64
	// Problems are descriptions of damaged records, each with the name of its document or account, and Found is their
	// number, which may be greater.
	Problems []string
	Found    int64
	// Entry is the number of the problems with index entries.
	Entry int64
}

// described is the number of problems that a report describes.
const described = 100

// String returns the counts.
func (r *Report) String() string {
	return fmt.Sprintf("%d databases, %d documents, %d index entries, %d commits and %d accounts", r.Databases, r.Documents, r.Entries, r.Commits, r.Accounts)
}

// found adds a problem.
func (r *Report) found(format string, args ...any) {
	if r.Found++; r.Found <= described {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

// Store verifies a store on which no engine is open. Problems are in the report; an error means that the store could
// not be read. It requires the entries of each document in all built indexes, and does not look for entries without a
// document, which an interrupted change of the indexes may leave. progress, if not nil, receives how many of how many
// documents are verified.
func Store(ctx context.Context, s store.Store, progress func(done, all int64)) (*Report, error) {
	r := &Report{}
	snap := s.Snapshot()
	defer func() { _ = snap.Close() }() // a read
	var all int64
	if progress != nil {
		var err error
		if all, err = count(ctx, snap); err != nil {
			return r, err
		}
	}
	err := catalogue.Scan(ctx, snap, func(d catalogue.Database) error {
		r.Databases++
		v := &verification{report: r, snap: snap, db: d, progress: progress, all: all}
		if err := v.documents(ctx); err != nil {
			return err
		}
		return v.commits(ctx)
	})
	if err != nil {
		return r, err
	}
	return r, accounts(ctx, account.New(s), r)
}

// verification is the verification of a database.
type verification struct {
	report *Report
	snap   store.Snapshot
	db     catalogue.Database
	// progress receives how many of all documents are verified; nil for none.
	progress func(done, all int64)
	all      int64
}

// count counts the documents of all databases.
func count(ctx context.Context, snap store.Snapshot) (all int64, err error) {
	err = catalogue.Scan(ctx, snap, func(d catalogue.Database) error {
		it := snap.Scan(store.Prefix(keys.Prefix(keys.KindDocument, d.Number)))
		defer func() { _ = it.Close() }() // Err has returned all errors of a read.
		for it.Next() {
			if all++; all%1000 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
		return it.Err()
	})
	return all, err
}

// documents verifies the documents and their index entries.
func (v *verification) documents(ctx context.Context) error {
	built, err := v.built()
	if err != nil {
		return err
	}
	prefix := keys.Prefix(keys.KindIndex, v.db.Number)
	it := v.snap.Scan(store.Prefix(keys.Prefix(keys.KindDocument, v.db.Number)))
	defer func() { _ = it.Close() }() // Err has returned all errors of a read.
	for it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if v.report.Documents++; v.progress != nil && v.report.Documents%1000 == 0 {
			v.progress(v.report.Documents, v.all)
		}
		path, err := keys.DocumentPath(it.Key())
		if err != nil {
			v.report.found("%s: the key %q is not that of a document", v.db.Name, it.Key())
			continue
		}
		record, err := it.Value()
		if err != nil {
			return err
		}
		d, err := records.Decode(resource.Document{DB: v.db.Name, Path: path}, record)
		if err != nil {
			v.report.found("%s/%s: the document can't be decoded: %v", v.db.Name, path, err)
			continue
		}
		if group := keys.Group(v.db.Number, path); group != nil {
			if _, ok, err := v.snap.Get(group); err != nil {
				return err
			} else if !ok {
				v.report.found("%s/%s: the document is missing in its collection group", v.db.Name, path)
			}
		}
		if built == nil {
			continue
		}
		entries, err := built.Entries(prefix, path, d.Fields)
		if err != nil {
			v.report.found("%s/%s: the document does not fit into the indexes: %v", v.db.Name, path, err)
			continue
		}
		if err := v.entries(path, entries); err != nil {
			return err
		}
	}
	return it.Err()
}

// built returns the indexes that have all entries, or nil while the definitions are being changed, when some entries
// may be missing.
func (v *verification) built() (*index.Set, error) {
	set, err := catalogue.LoadSet(v.snap, v.db.Number)
	if err != nil {
		return nil, fmt.Errorf("%s: read the index definitions: %w", v.db.Name, err)
	}
	if set.Rebuilding {
		return nil, nil
	}
	if err := set.DropBuilding(); err != nil {
		return nil, err
	}
	return set.Indexes(), nil
}

// entries compares the index entries of a document with those that it should have.
func (v *verification) entries(path string, want []index.Entry) error {
	for _, e := range want {
		v.report.Entries++
		stored, ok, err := v.snap.Get(e.Key)
		switch {
		case err != nil:
			return err
		case !ok:
			v.report.Entry++
			v.report.found("%s/%s: the index entry %x is missing", v.db.Name, path, e.Key)
		case !bytes.Equal(stored, e.Value):
			v.report.Entry++
			v.report.found("%s/%s: the index entry %x differs", v.db.Name, path, e.Key)
		}
	}
	return nil
}

// commits verifies the history and the log: each commit can be decoded, and the document of a version is that of the
// commit.
func (v *verification) commits(ctx context.Context) error {
	err := past.ScanAll(ctx, v.snap, v.db.Number, past.Scope{}, 0, math.MaxInt64-1, func(at clock.Version, images []records.Image) error {
		v.report.Commits++
		changes, err := records.Changes(v.db.Name, images)
		if err != nil {
			v.report.found("%s: the commit of %s can't be decoded: %v", v.db.Name, at.Time(), err)
			return nil
		}
		for i := range changes {
			path := images[i].Path
			record, ok, err := v.snap.Get(keys.Document(v.db.Number, path))
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			d, err := records.Decode(resource.Document{DB: v.db.Name, Path: path}, record)
			if err == nil && d.UpdateTime == at && !bytes.Equal(record, images[i].After) {
				v.report.found("%s/%s: the document differs from its last commit", v.db.Name, path)
			}
		}
		return nil
	})
	if errors.Is(err, keys.ErrCorrupt) {
		v.report.found("%s: %v", v.db.Name, err)
		return nil
	}
	return err
}

// accounts verifies the accounts of all projects.
func accounts(ctx context.Context, s *account.Store, r *Report) error {
	scopes, err := s.Scopes(ctx)
	if err != nil {
		return err
	}
	for _, scope := range scopes {
		var lookupErr error
		err := s.List(ctx, scope, "", func(u *account.User) bool {
			r.Accounts++
			lookupErr = names(s, scope, u, r)
			return lookupErr == nil
		})
		if err != nil {
			return fmt.Errorf("accounts of %s: %w", scope.Project, err)
		}
		if lookupErr != nil {
			return lookupErr
		}
	}
	return nil
}

// names verifies that an account is found by its e-mail address, its phone number and its providers' ids.
func names(s *account.Store, scope account.Scope, u *account.User, r *Report) error {
	find := func(what string, by func() (*account.User, error)) error {
		owner, err := by()
		if err == nil && (owner == nil || owner.UID != u.UID) {
			r.found("account %s of %s: it is not found by its %s", u.UID, scope.Project, what)
		}
		return err
	}
	var all []error
	if u.Email != "" {
		all = append(all, find("e-mail address", func() (*account.User, error) { return s.ByEmail(scope, u.Email) }))
	}
	if u.Phone != "" {
		all = append(all, find("phone number", func() (*account.User, error) { return s.ByPhone(scope, u.Phone) }))
	}
	for _, p := range u.Providers {
		all = append(all, find("id of "+p.ProviderID, func() (*account.User, error) { return s.ByProvider(scope, p.ProviderID, p.RawID) }))
	}
	return errors.Join(all...)
}
