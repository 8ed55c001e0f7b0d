package token

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"clave/server/internal/base/clock"
)

// ringName names the purpose of a ring of keys. It is also the name of its folder.
type ringName string

// The rings. A key of one never verifies a token of another.
const (
	ringID      ringName = "securetoken"
	ringSession ringName = "session"
	ringAccess  ringName = "access"
	ringBlob    ringName = "signblob"
	ringEvents  ringName = "events"
	// ringAppCheck signs App Check tokens.
	ringAppCheck ringName = "appcheck"
)

// subjects holds the common names in the certificates, the same as Google's.
var subjects = map[ringName]string{
	ringID:       "securetoken.system.gserviceaccount.com",
	ringSession:  "session.firebase.google.com",
	ringAccess:   "access.clave",
	ringBlob:     "signblob.clave",
	ringEvents:   "events.clave",
	ringAppCheck: "appcheck.clave",
}

// maxLifetimes holds the maximum lifetimes of the tokens of each ring. A key is published for that much longer than it
// signs.
var maxLifetimes = map[ringName]time.Duration{
	ringID: time.Hour, ringSession: 14 * 24 * time.Hour, ringAccess: time.Hour, ringBlob: time.Hour, ringEvents: time.Hour, ringAppCheck: MaxAppCheckLife,
}

// MaxAppCheckLife is the maximum lifetime of an App Check token.
const MaxAppCheckLife = 7 * 24 * time.Hour

// KeyOptions configure Keys.
type KeyOptions struct {
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Dir holds the keys, in files that only their owner can read. If it is empty, the keys are in Vault, or in memory if
	// that is nil.
	Dir   string
	Vault Vault
	// Period is the time for which a key signs; zero means 14 days.
	Period time.Duration
	// MaxAge is the time for which clients may cache the published certificates; zero means 6 hours. A new certificate is
	// published for twice that time before its key signs.
	MaxAge time.Duration
	// Follow is set if another node that shares the vault creates and removes the keys. Reload reads them.
	Follow bool
	// Events creates keys for the tokens of events too.
	Events bool
	// AppCheck creates keys for App Check tokens too.
	AppCheck bool
	// Log logs rotations; nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *KeyOptions) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Period == 0 {
		o.Period = 14 * 24 * time.Hour
	}
	if o.MaxAge == 0 {
		o.MaxAge = 6 * time.Hour
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Dir != "" {
		o.Vault = folder(o.Dir)
	}
}

// Keys holds the key pairs that sign our tokens. Which key signs and which are published depends only on their ages, so
// it survives a restart. Keys is safe for concurrent use.
type Keys struct {
	o KeyOptions
	// generation counts the changes of the keys. It grows after a change is visible.
	generation atomic.Uint64
	mu         struct {
		sync.RWMutex
		rings map[ringName][]*key // oldest first, never changed in place
	}
}

// OpenKeys loads the keys of a folder or vault and creates missing ones.
func OpenKeys(o KeyOptions) (*Keys, error) {
	o.EnsureDefaults()
	k := &Keys{o: o}
	k.mu.rings = make(map[ringName][]*key)
	if err := k.Reload(); err != nil || o.Follow {
		return k, err
	}
	return k, k.Rotate()
}

// Reload reads the keys of the vault.
func (k *Keys) Reload() error {
	if k.o.Vault == nil {
		return nil
	}
	for _, ring := range k.rings() {
		keys, err := loadKeys(k.o.Vault, ring)
		if err != nil {
			return err
		}
		k.replace(ring, keys)
	}
	return nil
}

// rings returns the required rings.
func (k *Keys) rings() []ringName {
	all := []ringName{ringID, ringSession, ringAccess, ringBlob}
	if k.o.Events {
		all = append(all, ringEvents)
	}
	if k.o.AppCheck {
		all = append(all, ringAppCheck)
	}
	return all
}

// lead returns the time for which a key is published before it signs.
func (k *Keys) lead() time.Duration { return 2 * k.o.MaxAge }

// MaxAge returns the time for which clients may cache the published certificates.
func (k *Keys) MaxAge() time.Duration { return k.o.MaxAge }

// Run rotates the keys until ctx is done, unless another node does (Follow).
func (k *Keys) Run(ctx context.Context) error {
	if k.o.Follow {
		<-ctx.Done()
		return nil
	}
	for {
		if clock.Sleep(ctx, k.o.Clock, k.o.MaxAge/2) != nil {
			return nil
		}
		if err := k.Rotate(); err != nil {
			k.o.Log.Error("keys were not rotated", "error", err)
		}
	}
}

// Rotate creates the keys that are due and removes those whose tokens have all expired.
func (k *Keys) Rotate() error {
	now := k.o.Clock.Now()
	for _, ring := range k.rings() {
		k.mu.RLock()
		keys := k.mu.rings[ring]
		k.mu.RUnlock()
		kept := k.live(ring, keys, now)
		changed := len(kept) != len(keys)
		if len(kept) == 0 || !now.Before(kept[len(kept)-1].created.Add(k.o.Period)) {
			made, err := newKey(subjects[ring], now, now.Add(2*k.o.Period+k.lead()+maxLifetimes[ring]+skew))
			if err != nil {
				return err
			}
			if k.o.Vault != nil {
				if err := made.save(k.o.Vault, ring); err != nil {
					return err
				}
			}
			kept, changed = append(kept, made), true
			k.o.Log.Info("new key", "ring", ring, "kid", made.id)
		}
		if changed {
			k.replace(ring, kept)
		}
		if err := k.dropUnkept(ring, keys, kept); err != nil {
			return err
		}
	}
	return nil
}

// replace replaces the keys of a ring.
func (k *Keys) replace(ring ringName, keys []*key) {
	k.mu.Lock()
	k.mu.rings[ring] = keys
	k.mu.Unlock()
	k.generation.Add(1)
}

// live returns the keys whose tokens may still be valid.
func (k *Keys) live(ring ringName, keys []*key, now time.Time) []*key {
	var kept []*key
	for i, key := range keys {
		if k.lives(ring, keys, i, now) {
			kept = append(kept, key)
		}
	}
	return kept
}

// lives reports whether tokens of the key at a place among a ring's keys may still be valid.
func (k *Keys) lives(ring ringName, keys []*key, i int, now time.Time) bool {
	return i+1 == len(keys) || !now.After(keys[i+1].created.Add(k.lead()+maxLifetimes[ring]+skew))
}

// dropUnkept removes from the vault the keys that were not kept.
func (k *Keys) dropUnkept(ring ringName, keys, kept []*key) error {
	if k.o.Vault == nil {
		return nil
	}
	keep := make(map[string]bool, len(kept))
	for _, key := range kept {
		keep[key.id] = true
	}
	for _, key := range keys {
		if keep[key.id] {
			continue
		}
		if err := k.o.Vault.Remove(string(ring), key.id); err != nil {
			return err
		}
	}
	return nil
}

// signer returns the key that signs: the youngest that has been published long enough, or the oldest if there is none.
func (k *Keys) signer(ring ringName, now time.Time) *key {
	k.mu.RLock()
	defer k.mu.RUnlock()
	keys := k.mu.rings[ring]
	for i := len(keys) - 1; i > 0; i-- {
		if !now.Before(keys[i].created.Add(k.lead())) {
			return keys[i]
		}
	}
	return keys[0]
}

// published returns the keys whose certificates are published.
func (k *Keys) published(ring ringName, now time.Time) []*key {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.live(ring, k.mu.rings[ring], now)
}

// sign returns a JWT with the claims, signed by the ring's present key.
func (k *Keys) sign(ring ringName, claims map[string]any) (string, error) {
	key := k.signer(ring, k.o.Clock.Now())
	return signRS256(key.private, key.id, claims)
}

// signed reports whether a published key of the ring, the one that the token names, signed it.
func (k *Keys) signed(ring ringName, t *jwt, now time.Time) bool {
	return k.signerOf(ring, t, now) != nil
}

// signerOf returns the published key of the ring that signed a token and that the token names, or nil.
func (k *Keys) signerOf(ring ringName, t *jwt, now time.Time) *key {
	key := k.named(ring, t.header.Kid, now)
	if key == nil || !t.signedBy(&key.private.PublicKey) {
		return nil
	}
	return key
}

// publishes reports whether a key is among the published ones of a ring.
func (k *Keys) publishes(ring ringName, of *key, now time.Time) bool {
	return k.named(ring, of.id, now) == of
}

// named returns the ring's published key with the given id, or nil.
func (k *Keys) named(ring ringName, kid string, now time.Time) *key {
	k.mu.RLock()
	defer k.mu.RUnlock()
	keys := k.mu.rings[ring]
	for i, key := range keys {
		if key.id == kid && k.lives(ring, keys, i, now) {
			return key
		}
	}
	return nil
}
