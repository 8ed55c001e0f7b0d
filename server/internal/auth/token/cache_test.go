package token

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
)

// noon is the initial time of the clocks.
var noon = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

// cacheFixture is a verifier with signatures on, whose cache the tests look into.
type cacheFixture struct {
	*Verifier
	clock *clocktest.Manual
	keys  *Keys
}

// pems is a Vault of keys by ring and id.
type pems map[string]map[string][]byte

// Load implements Vault.
func (p pems) Load(ring string) (map[string][]byte, error) { return p[ring], nil }

// Save implements Vault.
func (p pems) Save(ring, id string, text []byte) error {
	if p[ring] == nil {
		p[ring] = make(map[string][]byte)
	}
	p[ring][id] = text
	return nil
}

// Remove implements Vault.
func (p pems) Remove(ring, id string) error { return errors.New("the tests remove no key") }

// madeKeys returns keys that were made at noon, once for all tests because that takes long. Nobody changes them.
var madeKeys = sync.OnceValues(func() (pems, error) {
	made := make(pems)
	_, err := OpenKeys(KeyOptions{Clock: clocktest.NewManual(noon), Vault: made})
	return made, err
})

// newCacheFixture returns a verifier. Its sessions are valid unless session returns an error.
func newCacheFixture(t testing.TB, session func(context.Context, ID) error) *cacheFixture {
	t.Helper()
	made, err := madeKeys()
	if err != nil {
		t.Fatal(err)
	}
	h := clocktest.NewManual(noon)
	keys, err := OpenKeys(KeyOptions{Clock: h, Vault: made})
	if err != nil {
		t.Fatal(err)
	}
	return &cacheFixture{New(Options{Clock: h, Keys: keys, Session: session}), h, keys}
}

// token returns an ID token of a project's user.
func (c *cacheFixture) token(t testing.TB, project, uid string) string {
	t.Helper()
	raw, err := c.MintID(project, uid, map[string]any{"auth_time": c.clock.Now().Unix(), "firebase": map[string]any{"sign_in_provider": "password"}})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// check presents a token for a project and fails unless it is accepted or refused with a code.
func (c *cacheFixture) check(t testing.TB, what, raw, project string, want fault.Code) {
	t.Helper()
	caller, err := c.Caller(t.Context(), "Bearer "+raw, project)
	if fault.CodeOf(err) != want || (caller.UID != "") != (want == fault.OK) {
		t.Errorf("%s: Caller = %q, %v; want %v", what, caller.UID, err, want)
	}
	if _, err = c.IDOnly(raw, project); want != fault.OK && c.o.Session == nil && fault.CodeOf(err) != want {
		t.Errorf("%s: IDOnly = %v, want %v", what, err, want)
	}
}

// size returns the number of tokens in the cache and their bytes, after checking that these are consistent.
func (c *cacheFixture) size(t testing.TB) (tokens, bytes int) {
	t.Helper()
	mu := &c.tokens.mu
	mu.Lock()
	defer mu.Unlock()
	for e := mu.recent.Front(); e != nil; e = e.Next() {
		bytes += e.Value.(*entry).bytes
	}
	if bytes != mu.bytes || mu.recent.Len() != len(mu.entries) {
		t.Errorf("%d bytes counted as %d, %d tokens in the list and %d in the map", bytes, mu.bytes, mu.recent.Len(), len(mu.entries))
	}
	return len(mu.entries), bytes
}

// wantSize fails unless the cache holds a number of tokens.
func (c *cacheFixture) wantSize(t testing.TB, what string, want int) {
	t.Helper()
	if got, _ := c.size(t); got != want {
		t.Errorf("%s: %d tokens are kept, want %d", what, got, want)
	}
}

func TestATokenIsVerifiedOnce(t *testing.T) {
	c := newCacheFixture(t, nil)
	raw := c.token(t, "p1", "ann")
	c.check(t, "at first", raw, "p1", fault.OK)
	first, err := c.Caller(t.Context(), "Bearer "+raw, "p1")
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Caller(t.Context(), "firebase  "+raw+" ", "p1")
	if err != nil || again.token != first.token {
		t.Errorf("the token was verified again (%v)", err)
	}
	c.wantSize(t, "of one token", 1)
	kept := c.tokens.get(c.tokens.mu.recent.Front().Value.(*entry).digest, c.keys.generation.Load())
	if kept.jwt.signed != "" || kept.jwt.signature != nil {
		t.Error("the cache keeps the token itself")
	}
	authorization := "Bearer " + raw
	const most = 1 // the bytes that are hashed
	if n := testing.AllocsPerRun(100, func() { _, err = c.Caller(t.Context(), authorization, "p1") }); n > most || err != nil {
		t.Errorf("a verified token costs %v allocations (%v), want at most %d", n, err, most)
	}
	computed := 0
	for range 3 {
		again, err = c.Caller(t.Context(), authorization, "p1")
		if got := again.Derived(func(c Caller) any { computed++; return c.UID }); err != nil || got != "ann" {
			t.Errorf("Derived = %v (%v), want ann", got, err)
		}
	}
	if computed != 1 {
		t.Errorf("a value was derived %d times from one token, want once", computed)
	}
}

// TestTokensThatDifferInAByte changes each byte of a token that is in the cache.
func TestTokensThatDifferInAByte(t *testing.T) {
	c := newCacheFixture(t, nil)
	raw := c.token(t, "p1", "ann")
	c.check(t, "the token", raw, "p1", fault.OK)
	alphabet := "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for i := range raw {
		others := []string{"\n", "A"}
		if i%16 == 0 {
			others = append(others, "\r", "=", ".", "-")
		}
		if i == len(raw)-1 { // Its last bits belong to no byte of the signature.
			others = strings.Split(alphabet, "")
		}
		for _, other := range others {
			if other == raw[i:i+1] {
				continue
			}
			for name, changed := range map[string]string{"replaced": raw[:i] + other + raw[i+1:], "inserted": raw[:i] + other + raw[i:]} {
				if strings.TrimSpace(changed) != raw {
					c.check(t, fmt.Sprintf("%q %s at %d of %d", other, name, i, len(raw)), changed, "p1", fault.Unauthenticated)
				}
			}
		}
	}
	for _, changed := range []string{raw + "=", raw + "==", raw + "A", raw + "." + raw, raw[:len(raw)-1], raw + "\x00"} {
		c.check(t, "a longer or shorter token", changed, "p1", fault.Unauthenticated)
	}
	if _, err := c.IDOnly(raw+"\n", "p1"); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("a line end after the token: %v, want Unauthenticated", err)
	}
	c.wantSize(t, "after them", 1)
	c.check(t, "the token again", raw, "p1", fault.OK)
}

func TestTwoProjectsAndTheCache(t *testing.T) {
	c := newCacheFixture(t, nil)
	one, two := c.token(t, "p1", "ann"), c.token(t, "p2", "ann")
	for range 2 {
		c.check(t, "in the other project", one, "p2", fault.PermissionDenied)
		c.check(t, "in its project", one, "p1", fault.OK)
		c.check(t, "in a project whose name begins like it", one, "p", fault.PermissionDenied)
		c.check(t, "the other one", two, "p2", fault.OK)
		c.check(t, "the other one in the other project", two, "p1", fault.PermissionDenied)
		if id, err := c.ID(t.Context(), two, "p2"); err != nil || id.Project != "p2" {
			t.Errorf("ID = %v, %v, want one of p2", id.Project, err)
		}
	}
	if _, err := c.Cookie(one, "p1"); err == nil {
		t.Error("a kept ID token was accepted as a session cookie")
	}
	if _, err := c.Admin(t.Context(), "Bearer "+one, "p1"); err == nil {
		t.Error("a kept ID token was accepted as an administrator's")
	}
	cookie, err := c.MintCookie(ID{Project: "p1", Claims: part(t, c, one)}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Cookie(cookie, "p1"); err != nil {
		t.Errorf("a session cookie: %v", err)
	}
	c.check(t, "a session cookie as an ID token", cookie, "p1", fault.Unauthenticated)
	c.wantSize(t, "of two tokens", 2)
}

// part returns the claims of a token.
func part(t *testing.T, c *cacheFixture, raw string) map[string]any {
	t.Helper()
	id, err := c.IDOnly(raw, "p1")
	if err != nil {
		t.Fatal(err)
	}
	return id.Claims
}

func TestTheClockAndTheCache(t *testing.T) {
	c := newCacheFixture(t, nil)
	raw := c.token(t, "p1", "ann")
	c.check(t, "now", raw, "p1", fault.OK)
	for _, at := range []struct {
		name string
		move time.Duration
		want fault.Code
	}{
		{"a second before its expiry", Life - time.Second, fault.OK},
		{"at its expiry", time.Second, fault.Unauthenticated},
		{"back a minute", -time.Minute, fault.OK},
		{"back to its issue", time.Minute - Life, fault.OK},
		{"back five minutes more", -skew, fault.OK},
		{"back six minutes", -time.Minute, fault.Unauthenticated},
		{"forward to its issue", skew + time.Minute, fault.OK},
		{"forward two hours", 2 * time.Hour, fault.Unauthenticated},
		{"forward thirty days, when its key is no longer published", 30 * 24 * time.Hour, fault.Unauthenticated},
		{"back to its issue again", -2*time.Hour - 30*24*time.Hour, fault.OK},
	} {
		c.clock.Advance(at.move)
		c.check(t, at.name, raw, "p1", at.want)
		c.check(t, at.name+", again", raw, "p1", at.want)
	}
	c.clock.Advance(Life)
	c.check(t, "expired", raw, "p1", fault.Unauthenticated)
	c.wantSize(t, "after the expiry", 0)
	c.clock.Advance(-Life)
	c.check(t, "before", raw, "p1", fault.OK)
	c.clock.Advance(Life)
	c.check(t, "another one", c.token(t, "p1", "eve"), "p1", fault.OK)
	c.wantSize(t, "when a token comes after the expiry of another", 1)
}

func TestRevocationAndTheCache(t *testing.T) {
	var verdict error
	c := newCacheFixture(t, func(_ context.Context, id ID) error {
		if id.UID == "ann" {
			return verdict
		}
		return nil
	})
	ann, eve := c.token(t, "p1", "ann"), c.token(t, "p1", "eve")
	for range 2 {
		for _, text := range []string{"TOKEN_EXPIRED", "USER_DISABLED", "USER_NOT_FOUND", "TENANT_NOT_FOUND"} {
			verdict = nil
			c.check(t, "before "+text, ann, "p1", fault.OK)
			open, err := c.Caller(t.Context(), "Bearer "+ann, "p1")
			if err != nil {
				t.Fatal(err)
			}
			verdict = fault.E(fault.FailedPrecondition, "%s", text)
			c.check(t, text, ann, "p1", fault.Unauthenticated)
			if err := c.CheckSession(t.Context(), open); !fault.Is(err, fault.Unauthenticated) {
				t.Errorf("%s: CheckSession = %v, want Unauthenticated", text, err)
			}
			c.check(t, "another user after "+text, eve, "p1", fault.OK)
		}
	}
}

func TestRotationAndTheCache(t *testing.T) {
	c := newCacheFixture(t, nil)
	raw := c.token(t, "p1", "ann")
	c.check(t, "before", raw, "p1", fault.OK)
	if err := c.keys.Rotate(); err != nil {
		t.Fatal(err)
	}
	c.wantSize(t, "after a rotation that changes nothing", 1)
	if err := c.keys.Reload(); err != nil {
		t.Fatal(err)
	}
	c.check(t, "with the same keys read again", raw, "p1", fault.OK)
	c.wantSize(t, "then", 1)
	// The key goes and comes back.
	c.keys.mu.Lock()
	before := c.keys.mu.rings[ringID]
	c.keys.mu.Unlock()
	other, err := newKey(subjects[ringID], noon, noon.Add(24*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c.keys.replace(ringID, []*key{other})
		c.check(t, "without its key", raw, "p1", fault.Unauthenticated)
		c.wantSize(t, "without its key", 0)
		c.keys.replace(ringID, nil)
		c.check(t, "without any key", raw, "p1", fault.Unauthenticated)
		c.keys.replace(ringID, before)
		c.check(t, "with its key again", raw, "p1", fault.OK)
	}
	impostor := *other
	impostor.id = before[0].id
	c.keys.replace(ringID, []*key{&impostor})
	c.check(t, "with another key of the same id", raw, "p1", fault.Unauthenticated)
	c.keys.replace(ringID, before)
	// A token whose verification began before a change is not stored after it.
	p, err := c.read(raw)
	if err != nil {
		t.Fatal(err)
	}
	c.keys.replace(ringID, before)
	c.check(t, "after the change", c.token(t, "p1", "eve"), "p1", fault.OK)
	if _, err := c.verifyID(p, "p1"); err != nil {
		t.Fatal(err)
	}
	c.wantSize(t, "after a late verification", 1)
}

// TestAKeyIsReplacedWithoutANewGeneration checks a kept token in the moment between the change of the keys and that of
// their generation.
func TestAKeyIsReplacedWithoutANewGeneration(t *testing.T) {
	c := newCacheFixture(t, nil)
	raw := c.token(t, "p1", "ann")
	c.check(t, "before", raw, "p1", fault.OK)
	c.keys.mu.Lock()
	c.keys.mu.rings[ringID] = nil
	c.keys.mu.Unlock()
	c.check(t, "without its key", raw, "p1", fault.Unauthenticated)
}

// TestInventedTokensAreNotKept presents random tokens, some with the form of a valid one.
func TestInventedTokensAreNotKept(t *testing.T) {
	c := newCacheFixture(t, nil)
	raw := c.token(t, "p1", "ann")
	c.check(t, "before", raw, "p1", fault.OK)
	signed := raw[:strings.LastIndexByte(raw, '.')+1]
	for i := range 2_000 {
		signature := make([]byte, keyBits/8)
		_, _ = rand.Read(signature)
		signature[0] = 0
		invented := signed + base64.RawURLEncoding.EncodeToString(signature)
		if i%2 == 0 {
			invented = base64.RawURLEncoding.EncodeToString(signature)
		}
		if _, err := c.Caller(t.Context(), "Bearer "+invented, "p1"); err == nil {
			t.Fatal("an invented token was accepted")
		}
	}
	c.wantSize(t, "after invented tokens", 1)
}

// large returns a verified token of a user with claims of about 5 KiB, without the cost of its signature.
func large(uid string, expires time.Time) *verifiedToken {
	deep := any("x")
	for range 40 {
		deep = map[string]any{"a": deep}
	}
	claims := map[string]any{"sub": uid, "text": strings.Repeat("x", 512), "deep": deep, "list": make([]any, 64), "firebase": map[string]any{"sign_in_provider": "password"}}
	return &verifiedToken{jwt: &jwt{claims: claims}, id: ID{UID: uid, Claims: claims, Expires: expires}}
}

// TestBoundsOfTheCache stores more tokens than fit.
func TestBoundsOfTheCache(t *testing.T) {
	c := newCacheFixture(t, nil)
	number := func(i int) (d digest) { copy(d[:], fmt.Sprint(i)); return d }
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	expires := noon.Add(time.Hour)
	before := live()
	const stored = 4000
	for i := range stored {
		c.tokens.put(number(i), large("ann", expires), 1, noon)
		c.tokens.get(number(0), 1)
	}
	used := live() - before
	kept, bytes := c.size(t)
	if bytes > maxKeptBytes || kept < 100 || kept >= stored || used > maxKeptBytes {
		t.Errorf("%d of %d tokens are kept, counted as %d bytes and taking %d, want at most %d", kept, stored, bytes, used, maxKeptBytes)
	}
	if c.tokens.get(number(0), 1) == nil || c.tokens.get(number(1), 1) != nil || c.tokens.get(number(stored-1), 1) == nil {
		t.Error("not the tokens that were used last are kept")
	}
	for i := range maxKeptTokens + 100 {
		c.tokens.put(number(stored+i), &verifiedToken{jwt: &jwt{}, id: ID{Expires: expires}}, 1, noon)
	}
	if kept, bytes := c.size(t); kept > maxKeptTokens || bytes > maxKeptBytes {
		t.Errorf("%d small tokens of %d bytes are kept, want at most %d", kept, bytes, maxKeptTokens)
	}
	c.tokens.put(number(1), large("ann", expires), 2, noon)
	c.wantSize(t, "with new keys", 1)
	c.tokens.put(number(2), large("ann", expires), 1, noon)
	c.wantSize(t, "with a token of the keys before", 1)
	huge := &verifiedToken{jwt: &jwt{claims: map[string]any{"a": make([]any, maxKeptBytes/32)}}}
	c.tokens.put(number(3), huge, 2, noon)
	if c.tokens.get(number(3), 2) != nil || c.tokens.get(number(1), 2) == nil {
		t.Error("a token that takes most of the cache displaced another")
	}
}

// TestTheCacheIsUsedConcurrently presents tokens of two projects while keys change and the clock moves.
func TestTheCacheIsUsedConcurrently(t *testing.T) {
	c := newCacheFixture(t, func(context.Context, ID) error { return nil })
	users := []string{"ann", "ben", "eve"}
	tokens := make(map[string]string)
	for _, uid := range users {
		tokens[uid] = c.token(t, "p1", uid)
	}
	c.keys.mu.Lock()
	keys := c.keys.mu.rings[ringID]
	c.keys.mu.Unlock()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 200 {
				uid := users[(i+j)%len(users)]
				caller, err := c.Caller(t.Context(), "Bearer "+tokens[uid], "p1")
				if err == nil && (caller.UID != uid || caller.Derived(func(c Caller) any { return c.UID }) != uid) {
					t.Errorf("the token of %s is that of %s", uid, caller.UID)
				}
				if _, err := c.IDOnly(tokens[uid], "p2"); err == nil {
					t.Error("a token was accepted in another project")
				}
			}
		})
	}
	wg.Go(func() {
		for range 50 {
			c.keys.replace(ringID, nil)
			c.keys.replace(ringID, keys)
			c.clock.Advance(2 * Life)
			c.clock.Advance(-2 * Life)
		}
	})
	wg.Wait()
	for uid, raw := range tokens {
		c.check(t, uid, raw, "p1", fault.OK)
	}
	c.wantSize(t, "at last", len(users))
}
