package accountimport

import (
	"context"
	"slices"
	"sort"
	"strings"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/hasher"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/base/clock"
)

// Importer imports accounts.
type Importer struct {
	// Accounts stores the accounts.
	Accounts *account.Store
	// Hasher has the parameters of projects' own hashes.
	Hasher *hasher.Hasher
	// Clock is the source of time.
	Clock clock.Clock
	// Emulator accepts what only the official emulator does: accounts with passwords in plain text, and hashes without an
	// algorithm.
	Emulator bool
	// AsEmulator selects the official emulator's behaviour where it differs from production's.
	AsEmulator bool
	// HashMemCost is the memory cost of hashes without an algorithm, as a power of two.
	HashMemCost int
}

// Target is where accounts are imported to.
type Target struct {
	// Scope is the project and the tenant of the accounts.
	Scope account.Scope
	// Transfer is set for imports of whole projects, which are not limited as the official emulator limits requests.
	Transfer bool
	// Hash hashes a password that is given in plain text.
	Hash func(password string) (*passhash.Hash, error)
}

// Problem is the reason why the account with an index in the request was not imported.
type Problem struct {
	Index   int    `json:"index"`
	Message string `json:"message"`
}

// Import imports the accounts of a request and returns those that were not imported, in the order of the request. It
// replaces an account whose id exists, as production does; the official emulator does so only with allowOverwrite.
func (m *Importer) Import(ctx context.Context, to Target, r *Request) ([]Problem, error) {
	if err := CheckUnique(r.Users, optional.Bool(r.SanityCheck, false), m.keeps(to, r)); err != nil {
		return nil, err
	}
	hash, err := hashOf(r)
	if err != nil {
		return nil, err
	}
	if hash != nil && slices.ContainsFunc(r.Users, func(u User) bool { return u.PasswordHash != "" }) {
		if err := m.Hasher.Adopt(ctx, to.Scope.Project, hash); err != nil {
			return nil, err
		}
	}
	in, err := m.each(ctx, to, r, hash)
	if err != nil {
		return nil, err
	}
	return in.sorted(m.store(ctx, to, in))
}

// Check returns what Import would return for any number of accounts, and stores nothing.
func (m *Importer) Check(ctx context.Context, to Target, r *Request) ([]Problem, error) {
	hash, err := hashOf(r)
	if err != nil {
		return nil, err
	}
	in, err := m.each(ctx, to, r, hash)
	if err != nil {
		return nil, err
	}
	return in.sorted(m.try(ctx, to, in))
}

// hashOf returns the parameters of a request's hashes, or nil if it has none.
func hashOf(r *Request) (*passhash.Hash, error) {
	if r.HashAlgorithm == "" {
		return nil, nil
	}
	return r.Hash()
}

// batch holds the accounts of an import that passed the checks, by id, with their order and their indexes in the
// request.
type batch struct {
	users map[string]*account.User
	order []string
	index map[string]int
	// problems are the accounts that are not imported.
	problems []Problem
}

// sorted returns the problems in the order of the request, unless err is set.
func (in *batch) sorted(err error) ([]Problem, error) {
	if err != nil {
		return nil, err
	}
	slices.SortFunc(in.problems, func(a, b Problem) int { return a.Index - b.Index })
	return in.problems, nil
}

// conflicts adds the problem of an account that conflicts with another one.
func (in *batch) conflicts(uid string, err error) {
	in.problems = append(in.problems, Problem{Index: in.index[uid], Message: taken(err)})
}

// each checks the accounts of an import one by one.
func (m *Importer) each(ctx context.Context, to Target, r *Request, hash *passhash.Hash) (*batch, error) {
	in := &batch{users: make(map[string]*account.User), index: make(map[string]int)}
	for i, given := range r.Users {
		u, problem, err := m.convert(ctx, to, given, hash)
		if err != nil {
			return nil, err
		}
		if problem == "" && m.keeps(to, r) {
			if problem, err = m.existing(to, given.LocalID); err != nil {
				return nil, err
			}
		}
		if problem != "" {
			in.problems = append(in.problems, Problem{Index: i, Message: problem})
			continue
		}
		if in.users[u.UID] == nil {
			in.order = append(in.order, u.UID)
		}
		in.users[u.UID], in.index[u.UID] = u, i
	}
	return in, nil
}

// keeps reports whether an import must not replace existing accounts.
func (m *Importer) keeps(to Target, r *Request) bool {
	return m.AsEmulator && !optional.Bool(r.AllowOverwrite, to.Transfer)
}

// existing returns the problem with an account that exists already and must not be overwritten.
func (m *Importer) existing(to Target, uid string) (problem string, err error) {
	u, err := m.Accounts.Get(to.Scope, uid)
	if err != nil || u == nil {
		return "", err
	}
	return "localId belongs to an existing account - can not overwrite.", nil
}

// chunkSize is the number of accounts that are imported in one batch of the store.
const chunkSize = 200

// store stores imported accounts in chunks. It stores a chunk with a conflict account by account.
func (m *Importer) store(ctx context.Context, to Target, in *batch) error {
	put := func(uids []string) error {
		return m.Accounts.Change(ctx, to.Scope, uids, func(ch *account.Change) error {
			ch.Imports()
			for _, uid := range uids {
				ch.Put(in.users[uid])
			}
			return nil
		})
	}
	for chunk := range slices.Chunk(in.order, chunkSize) {
		err := put(chunk)
		if err == nil {
			continue
		}
		if !apierror.Is(err) {
			return err
		}
		// A change is stored whole or not at all, so one conflict refuses the chunk. Storing each account alone shows which
		// ones conflict.
		for _, uid := range chunk {
			if err := put([]string{uid}); err != nil {
				if !apierror.Is(err) {
					return err
				}
				in.conflicts(uid, err)
			}
		}
	}
	return nil
}

// maxConflicts is the maximum number of conflicting accounts that Check reports.
const maxConflicts = 20

// try adds to the problems of an import the accounts that conflict with existing accounts or with accounts before
// them in the import, up to maxConflicts.
func (m *Importer) try(ctx context.Context, to Target, in *batch) error {
	order := slices.Clone(in.order)
	attempt := func(n int) error {
		return m.Accounts.Try(ctx, to.Scope, order[:n], func(ch *account.Change) error {
			for _, uid := range order[:n] {
				ch.Put(in.users[uid])
			}
			return nil
		})
	}
	for range maxConflicts {
		if attempt(len(order)) == nil {
			break
		}
		// The error of all accounts may be that of another conflict than the first one.
		first := sort.Search(len(order)-1, func(n int) bool { return attempt(n+1) != nil })
		err := attempt(first + 1)
		if !apierror.Is(err) {
			return err
		}
		in.conflicts(order[first], err)
		order = slices.Delete(order, first, first+1)
	}
	return nil
}

// taken describes which field of an imported account belongs to another account.
func taken(err error) string {
	switch code, _, _ := strings.Cut(apierror.Text(err), " "); code {
	case "EMAIL_EXISTS":
		return "email exists in other account in database"
	case "PHONE_NUMBER_EXISTS":
		return "phone number exists in other account in database"
	}
	return "raw id exists in other account in database"
}
