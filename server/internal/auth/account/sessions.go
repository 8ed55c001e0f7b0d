package account

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
)

// Sessions is the part of a stored account that decides whether a session is valid. Its fields are those of User.
type Sessions struct {
	Disabled   bool   `json:"disabled,omitempty"`
	Created    int64  `json:"created"`
	ValidSince *int64 `json:"validSince,omitempty"`
	Epoch      int64  `json:"epoch,omitempty"`
}

// Sessions returns the part of the account that decides about its sessions; nil for no account.
func (u *User) Sessions() *Sessions {
	if u == nil {
		return nil
	}
	return &Sessions{Disabled: u.Disabled, Created: u.Created, ValidSince: u.ValidSince, Epoch: u.Epoch}
}

// Since returns the time in seconds from which sessions are valid.
func (s *Sessions) Since() int64 {
	if s.ValidSince != nil {
		return *s.ValidSince
	}
	return s.Created / 1000
}

// Sessions returns the part of an account that decides about its sessions, or nil when there is no account. It must not
// be changed. Each call of a signed-in user needs it. The account is read from the store each time; only its decoding
// is saved while its bytes stay the same.
func (s *Store) Sessions(sc Scope, uid string) (*Sessions, error) {
	value, found, err := s.store.Get(sc.key(userKey(uid)))
	if err != nil || !found {
		return nil, err
	}
	return s.sessions.of(value)
}

// maxDecodedSessions is the maximum number of decoded sessions that are kept, which take 2 MiB.
const maxDecodedSessions = 10_000

// decodedSessions holds decoded Sessions by the SHA-256 of the stored accounts. It is safe for concurrent use.
type decodedSessions struct {
	mu struct {
		sync.Mutex
		known map[[sha256.Size]byte]*Sessions
	}
}

// of returns the sessions of a stored account.
func (d *decodedSessions) of(value []byte) (*Sessions, error) {
	sum := sha256.Sum256(value)
	d.mu.Lock()
	known := d.mu.known[sum]
	d.mu.Unlock()
	if known != nil {
		return known, nil
	}
	decoded := &Sessions{}
	if err := json.Unmarshal(value, decoded); err != nil {
		return nil, fmt.Errorf("stored account: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.mu.known == nil {
		d.mu.known = make(map[[sha256.Size]byte]*Sessions)
	}
	for other := range d.mu.known { // in random order
		if len(d.mu.known) < maxDecodedSessions {
			break
		}
		delete(d.mu.known, other)
	}
	d.mu.known[sum] = decoded
	return decoded, nil
}
