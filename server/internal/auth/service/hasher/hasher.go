// Package hasher hashes and checks passwords with the parameters of their project, a bounded number at once.
package hasher

import (
	"cmp"
	"context"
	"log/slog"
	"runtime"
	"sync"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/limit/fair"
)

// rounds is the number of rounds of Firebase's scrypt for new passwords.
const rounds = 8

// Options configure a Hasher.
type Options struct {
	// Accounts holds the parameters of the projects.
	Accounts *account.Store
	// MemCost is the memory cost of new hashes, as a power of two.
	MemCost int
	// Workers is the number of passwords that are hashed at once; zero means half of the cores. PerClient is the maximum
	// number of passwords of one client that wait; zero means no limit.
	Workers, PerClient int
	// Log logs stored hashes that can't be checked.
	Log *slog.Logger
}

// Hasher hashes passwords. It is safe for concurrent use.
type Hasher struct {
	o     Options
	queue *fair.Queue
	mu    struct {
		sync.Mutex
		// params holds the parameters of each project that has been used.
		params map[string]passhash.Params
	}
}

// New returns a Hasher.
func New(o Options) *Hasher {
	h := &Hasher{o: o, queue: fair.New(fair.Options{
		Workers: cmp.Or(o.Workers, max(runtime.GOMAXPROCS(0)/2, 1)), Waiting: cmp.Or(o.PerClient, -1), Full: fault.E(fault.FailedPrecondition, "TOO_MANY_ATTEMPTS_TRY_LATER"),
	})}
	h.mu.params = make(map[string]passhash.Params)
	return h
}

// newParams returns new hash parameters, for a project that has not hashed a password yet.
func (h *Hasher) newParams() passhash.Params {
	return passhash.Params{SignerKey: randid.Bytes(64), Separator: []byte{7}, Rounds: rounds, MemCost: h.o.MemCost}
}

// Params returns the parameters with which a project hashes passwords. The first call creates the project's signer
// key, which never changes.
func (h *Hasher) Params(ctx context.Context, project string) (passhash.Params, error) {
	return h.choose(ctx, project, h.newParams)
}

// choose returns the parameters with which a project hashes passwords. The first call for a project stores
// the result of first, which never changes.
func (h *Hasher) choose(ctx context.Context, project string, first func() passhash.Params) (passhash.Params, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p, ok := h.mu.params[project]; ok {
		return p, nil
	}
	root := account.Scope{Project: project}
	var p passhash.Params
	err := h.o.Accounts.Change(ctx, root, []string{"\x00" + item}, func(ch *account.Change) error {
		found, err := ch.Load(item, "", &p)
		if err != nil || found {
			return err
		}
		p = first()
		return ch.Save(item, "", p)
	})
	if err != nil {
		return passhash.Params{}, err
	}
	if !p.Adopted {
		p.MemCost = h.o.MemCost
	}
	h.mu.params[project] = p
	return p, nil
}

// Adopt makes the parameters of imported hashes the project's own. It applies to the first import in Firebase's scrypt,
// if the project has hashed no password itself and the hashes are as costly as its own would be. The imported passwords
// then need not be hashed again, and a later export contains them as its own.
func (h *Hasher) Adopt(ctx context.Context, project string, imported *passhash.Hash) error {
	if imported.Alg != "SCRYPT" || len(imported.Key) == 0 || imported.Rounds < rounds || imported.MemCost < h.o.MemCost {
		return nil
	}
	_, err := h.choose(ctx, project, func() passhash.Params {
		return passhash.Params{SignerKey: imported.Key, Separator: imported.Separator, Rounds: imported.Rounds, MemCost: imported.MemCost, Adopted: true}
	})
	return err
}

// Present returns the parameters with which a project hashes passwords, without storing new ones if there are none yet:
// no password has been hashed then.
func (h *Hasher) Present(ctx context.Context, project string) (passhash.Params, error) {
	h.mu.Lock()
	p, known := h.mu.params[project]
	h.mu.Unlock()
	if known {
		return p, nil
	}
	found, err := h.o.Accounts.Load(account.Scope{Project: project}, item, "", &passhash.Params{})
	if err != nil || !found {
		return h.newParams(), err
	}
	return h.Params(ctx, project)
}

// item is the kind of item that stores a project's hash parameters.
const item = "hash"

// Hash hashes a new password when it is the client's turn.
func (h *Hasher) Hash(ctx context.Context, project, client, password string) (*passhash.Hash, error) {
	params, err := h.Params(ctx, project)
	if err != nil {
		return nil, err
	}
	salt := randid.Bytes(12)
	var made *passhash.Hash
	var hashErr error
	if err := h.queue.Do(ctx, client, func() { made, hashErr = params.New(password, salt) }); err != nil {
		return nil, err
	}
	return made, hashErr
}

// Rehash hashes a password with the project's own parameters if its present hash was imported with others. It returns
// nil if there is no need.
func (h *Hasher) Rehash(ctx context.Context, project, client string, present *passhash.Hash, password string) (*passhash.Hash, error) {
	params, err := h.Params(ctx, project)
	if err != nil || present.Current(params) {
		return nil, err
	}
	return h.Hash(ctx, project, client, password)
}

// Check reports whether a hash is that of the password. Without a hash, and for a wrong password and an imported hash,
// which may be cheap, it also computes a hash of the project's own kind, so that the time does not reveal whether an
// account exists.
func (h *Hasher) Check(ctx context.Context, project, client string, stored *passhash.Hash, password string) (bool, error) {
	params, err := h.Present(ctx, project)
	if err != nil {
		return false, err
	}
	ok := false
	err = h.queue.Do(ctx, client, func() {
		if stored != nil {
			var badHash error
			if ok, badHash = stored.Verify(password, params); badHash != nil {
				h.o.Log.Warn("a stored password hash cannot be checked", "algorithm", stored.Alg, "error", badHash)
			}
		}
		if !ok && (stored == nil || !stored.Current(params)) {
			_, _ = params.New(password, make([]byte, 12)) // only the time matters
		}
	})
	return ok, err
}
