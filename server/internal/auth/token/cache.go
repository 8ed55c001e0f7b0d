package token

import (
	"container/list"
	"crypto/rsa"
	"crypto/sha256"
	"sync"
	"sync/atomic"
	"time"
)

// The bounds of the verified tokens that a Verifier keeps. A token with a dozen claims takes about 8 KiB.
const (
	maxKeptTokens = 10_000
	maxKeptBytes  = 16 << 20
)

// maxKeptToken is the maximum length of a token that is kept. Those of Firebase have about 1 KiB.
const maxKeptToken = 8 << 10

// digest is the SHA-256 of a token as the client sent it, its signature included.
type digest [sha256.Size]byte

// verifiedToken is an ID token or an App Check token that was verified for the project that it names. It is shared by
// all callers that present the token, and nobody changes it except for derived.
type verifiedToken struct {
	// jwt is the token without its signed part and its signature.
	jwt *jwt
	id  ID
	// key has signed the token; nil if tokens are not signed.
	key *key
	// foreign has signed an App Check token of another service, instead of key; nil for other tokens.
	foreign *rsa.PublicKey
	// derived is the value of Caller.Derived; nil before its first call.
	derived atomic.Pointer[any]
}

// cache holds ID tokens whose signature was verified, by their digests. It decides nothing about them but that: whoever
// takes a token from it checks the key, the project, the times and the session again.
//
// Only tokens that were verified are stored, so tokens that somebody has invented neither fill it nor displace others.
// A token has one valid form of its bytes (parseJWT), so nobody can store one token twice. When a bound is exceeded,
// the tokens leave that were not used for longest.
//
// It is safe for concurrent use.
type cache struct {
	mu struct {
		sync.Mutex
		entries map[digest]*list.Element
		recent  list.List // of *entry; the first is the one used last
		bytes   int
		// generation is that of the keys with which all of the tokens were verified.
		generation uint64
	}
}

// entry is a token in a cache.
type entry struct {
	digest digest
	token  *verifiedToken
	bytes  int
}

// newCache returns an empty cache.
func newCache() *cache {
	c := &cache{}
	c.mu.entries = make(map[digest]*list.Element)
	return c
}

// get returns a token that was verified with a generation of the keys, or nil.
func (c *cache) get(d digest, generation uint64) *verifiedToken {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.renewLocked(generation)
	e := c.mu.entries[d]
	if e == nil {
		return nil
	}
	c.mu.recent.MoveToFront(e)
	return e.Value.(*entry).token
}

// put stores a token that was verified with a generation of the keys. A generation that has passed stores nothing.
func (c *cache) put(d digest, t *verifiedToken, generation uint64, now time.Time) {
	bytes := t.bytes()
	if bytes > maxKeptBytes/2 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.renewLocked(generation)
	if c.mu.entries[d] != nil || generation != c.mu.generation {
		return
	}
	for e := c.mu.recent.Back(); e != nil; e = c.mu.recent.Back() {
		full := len(c.mu.entries) >= maxKeptTokens || c.mu.bytes+bytes > maxKeptBytes
		if !full && now.Before(e.Value.(*entry).token.id.Expires) {
			break
		}
		c.removeLocked(e)
	}
	c.mu.entries[d] = c.mu.recent.PushFront(&entry{d, t, bytes})
	c.mu.bytes += bytes
}

// drop removes a token.
func (c *cache) drop(d digest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.mu.entries[d]; e != nil {
		c.removeLocked(e)
	}
}

// removeLocked removes a token.
func (c *cache) removeLocked(e *list.Element) {
	gone := c.mu.recent.Remove(e).(*entry)
	delete(c.mu.entries, gone.digest)
	c.mu.bytes -= gone.bytes
}

// renewLocked removes all tokens if the keys have a later generation than theirs.
func (c *cache) renewLocked(generation uint64) {
	if generation <= c.mu.generation {
		return
	}
	c.mu.generation = generation
	c.mu.entries = make(map[digest]*list.Element)
	c.mu.recent.Init()
	c.mu.bytes = 0
}

// bytes returns about how much memory a token takes in the cache, with a value that rules derive from its claims.
func (t *verifiedToken) bytes() int {
	const fixed = 1024
	return fixed + 2*footprint(t.jwt.claims)
}

// footprint returns about how much memory a decoded JSON value takes.
func footprint(v any) int {
	const (
		word     = 16  // of an interface or a string
		ofMap    = 384 // of a map with up to eight members
		ofMember = 5 * word
	)
	switch v := v.(type) {
	case string:
		return 2*word + len(v)
	case []any:
		n := 2 * word
		for _, item := range v {
			n += 2*word + footprint(item)
		}
		return n
	case map[string]any:
		n := ofMap
		for name, item := range v {
			n += ofMember + len(name) + footprint(item)
		}
		return n
	}
	return word
}
