package transfer

import (
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
)

// Source names what a migration reads.
type Source struct {
	// Folder is an export of the Emulator Suite or a managed export; empty for none.
	Folder string
	// Database is the database of a managed export; empty for the default one.
	Database string
	// UsersFile is a file that `firebase auth:export` wrote, JSON or CSV, and HashFile one with the parameters of its
	// password hashes; empty for none.
	UsersFile, HashFile string
}

// Paths returns the absolute paths of what is read.
func (s Source) Paths() (all []string, err error) {
	for _, p := range []string{s.Folder, s.UsersFile} {
		if p == "" {
			continue
		}
		absolute, err := filepath.Abs(p)
		if err != nil {
			return nil, err
		}
		all = append(all, absolute)
	}
	return all, nil
}

// Survey reads a source and changes nothing. The Tally counts what Load would write, and has what it would omit because
// Clave refuses it. Damaged sources are errors.
func (t *Transfer) Survey(ctx context.Context, s Source) (*Tally, Summary, error) {
	var sum Summary
	p := &pass{verify: true, tally: newTally()}
	err := t.read(ctx, s, p, &sum)
	return p.tally, sum, err
}

// Load writes what a survey of the source has accepted, except the first skip documents, which an earlier process has
// written. It calls written after each commit with the number of the documents, and at the end compare, while the data
// are still marked as incomplete. If it fails, or if the process ends, the data stay marked with the source's name.
func (t *Transfer) Load(ctx context.Context, s Source, name string, tally *Tally, skip int64, written func(documents int64) error, compare func(Summary) error) error {
	tally.seen = make(map[accountName]bool)
	return t.marked(name, func() error {
		var sum Summary
		if err := t.read(ctx, s, &pass{tally: tally, skip: skip, written: written}, &sum); err != nil {
			return err
		}
		return compare(sum)
	})
}

// read makes one pass over a source.
func (t *Transfer) read(ctx context.Context, s Source, p *pass, sum *Summary) error {
	if s.Folder != "" {
		content, err := contentOf(s.Folder)
		if err != nil {
			return err
		}
		if s.Database != "" {
			if content.Firestore == nil || content.Firestore.Path != "" || len(content.Databases) > 0 {
				return fault.E(fault.InvalidArgument, "%s says itself of which databases it is: name none", s.Folder)
			}
			if _, err := resource.ParseDatabase(resource.Database{Project: t.o.Project, ID: s.Database}.String()); err != nil {
				return err
			}
			content.Firestore.Database = s.Database
		}
		if err := t.importContent(ctx, s.Folder, content, p, sum); err != nil {
			return err
		}
	}
	if s.UsersFile == "" {
		return nil
	}
	hash, err := ReadHash(s.HashFile)
	if err != nil {
		return err
	}
	return t.importUsers(ctx, s.UsersFile, hash, p, sum)
}

// Counts counts the project's documents and accounts. Of accounts that a survey found incomplete, it does not count
// what the source lacks. source may be nil.
func (t *Transfer) Counts(ctx context.Context, source *Tally) (*Tally, error) {
	tally := newTally()
	for _, db := range t.databases() {
		err := t.documents(ctx, db, query.NoLimit, time.Time{}, func(d *document.Document) error {
			tally.document(d.Name, d.Fields)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	ids, err := t.tenantIDs(ctx)
	if err != nil {
		return nil, err
	}
	own, err := t.o.Identity.OwnHash(ctx, t.admin(""))
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if err := t.countAccounts(ctx, id, own, tally, source); err != nil {
			return nil, err
		}
	}
	return tally, nil
}

// countAccounts counts the accounts of a tenant, or of none. own has the parameters of the server's own hashes.
func (t *Transfer) countAccounts(ctx context.Context, tenant string, own *accountimport.Request, tally, source *Tally) error {
	reader := &accountsIn{t: t}
	return t.o.Identity.Export(ctx, t.admin(tenant), own, func(i userinfo.Info, _ *accountimport.Request) error {
		// The account is read as that of a file, so that both are compared in the same form.
		text, err := json.Marshal(i)
		if err != nil {
			return err
		}
		given, err := decodeAccount(text)
		if err != nil {
			return err
		}
		u, err := reader.user(given)
		if err != nil {
			return err
		}
		var without lacks
		if source != nil {
			without = source.partial[accountName{tenant, u.LocalID}]
		}
		tally.account(tenant, &u, without)
		return nil
	})
}
