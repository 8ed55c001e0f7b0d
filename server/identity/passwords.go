package identity

import (
	"context"
	"crypto/rand"
	"errors"

	"clave/server/account"
	"clave/server/account/passhash"
	"clave/server/fault"
	"clave/server/identity/hashqueue"
)

// hashRounds is the number of rounds of Firebase's scrypt for new passwords.
const hashRounds = 8

// newParams returns new hash parameters, for a project that has not hashed a password yet.
func (s *Service) newParams() passhash.Params {
	p := passhash.Params{SignerKey: make([]byte, 64), Separator: []byte{7}, Rounds: hashRounds, MemCost: s.o.HashMemCost}
	rand.Read(p.SignerKey)
	return p
}

// hashParams returns the parameters with which a project hashes passwords. The first call creates the project's signer
// key, which never changes.
func (s *Service) hashParams(ctx context.Context, project string) (passhash.Params, error) {
	return s.chooseHashParams(ctx, project, s.newParams)
}

// chooseHashParams returns the parameters with which a project hashes passwords. The first call for a project stores
// the result of first, which never changes.
func (s *Service) chooseHashParams(ctx context.Context, project string, first func() passhash.Params) (passhash.Params, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.mu.hashes[project]; ok {
		return p, nil
	}
	root := account.Scope{Project: project}
	var p passhash.Params
	err := s.accounts.Change(ctx, root, []string{"\x00" + hashItem}, func(ch *account.Change) error {
		found, err := ch.Load(hashItem, "", &p)
		if err != nil || found {
			return err
		}
		p = first()
		return ch.Save(hashItem, "", p)
	})
	if err != nil {
		return passhash.Params{}, err
	}
	if !p.Adopted {
		p.MemCost = s.o.HashMemCost
	}
	s.mu.hashes[project] = p
	return p, nil
}

// adopt makes the parameters of imported hashes the project's own. It applies to the first import in Firebase's scrypt,
// if the project has hashed no password itself and the hashes are as costly as its own would be. The imported passwords
// then need not be hashed again, and a later export contains them as its own.
func (s *Service) adopt(ctx context.Context, project string, h *passhash.Hash) error {
	if h.Alg != "SCRYPT" || len(h.Key) == 0 || h.Rounds < hashRounds || h.MemCost < s.o.HashMemCost {
		return nil
	}
	_, err := s.chooseHashParams(ctx, project, func() passhash.Params {
		return passhash.Params{SignerKey: h.Key, Separator: h.Separator, Rounds: h.Rounds, MemCost: h.MemCost, Adopted: true}
	})
	return err
}

// presentParams returns the parameters with which a project hashes passwords, without storing new ones if there are none yet: no password has been hashed
// then.
func (s *Service) presentParams(ctx context.Context, project string) (passhash.Params, error) {
	s.mu.Lock()
	p, known := s.mu.hashes[project]
	s.mu.Unlock()
	if known {
		return p, nil
	}
	found, err := s.accounts.Load(account.Scope{Project: project}, hashItem, "", &passhash.Params{})
	if err != nil || !found {
		return s.newParams(), err
	}
	return s.hashParams(ctx, project)
}

// hashItem is the kind of item that stores a project's hash parameters.
const hashItem = "hash"

// hash hashes a new password. It counts for the client's address, since hashing is the most costly operation that a
// client can request.
func (s *Service) hash(ctx context.Context, c Call, password string) (*passhash.Hash, error) {
	if err := s.limit(c, limitHash); err != nil {
		return nil, err
	}
	return s.hashUncounted(ctx, c, password)
}

// hashUncounted hashes a password for a client whose request was counted already.
func (s *Service) hashUncounted(ctx context.Context, c Call, password string) (*passhash.Hash, error) {
	params, err := s.hashParams(ctx, c.Project)
	if err != nil {
		return nil, err
	}
	salt := make([]byte, 12)
	rand.Read(salt)
	var made *passhash.Hash
	var hashErr error
	if err := s.whenItsTurn(ctx, c, func() { made, hashErr = params.New(password, salt) }); err != nil {
		return nil, err
	}
	return made, hashErr
}

// whenItsTurn runs hash when it is the client's turn.
func (s *Service) whenItsTurn(ctx context.Context, c Call, hash func()) error {
	err := s.hashing.Do(ctx, c.queueOf(), hash)
	if errors.Is(err, hashqueue.ErrFull) {
		return fault.Wrap(err, fault.FailedPrecondition, "TOO_MANY_ATTEMPTS_TRY_LATER")
	}
	return err
}

// passwordOK reports whether the password is the user's. Without a hash, and for a wrong password and an imported hash,
// which may be cheap, it also computes a hash of the project's own kind, so that the time does not reveal whether an
// account exists.
func (s *Service) passwordOK(ctx context.Context, c Call, h *passhash.Hash, password string) (bool, error) {
	params, err := s.presentParams(ctx, c.Project)
	if err != nil {
		return false, err
	}
	ok := false
	err = s.whenItsTurn(ctx, c, func() {
		if h != nil {
			var badHash error
			if ok, badHash = h.Verify(password, params); badHash != nil {
				s.o.Log.Warn("a stored password hash cannot be checked", "algorithm", h.Alg, "error", badHash)
			}
		}
		if !ok && (h == nil || !h.Current(params)) {
			_, _ = params.New(password, make([]byte, 12)) // only the time matters
		}
	})
	return ok, err
}
