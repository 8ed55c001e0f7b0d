package identity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"slices"
	"strings"
	"time"

	"clave/server/account"
	"clave/server/account/passhash"
	"clave/server/clock"
	"clave/server/forwarded"
	"clave/server/ratelimit"
)

// action is an action whose rate is limited.
type action string

// The limited actions.
const (
	limitSignIn action = "sign-in"
	limitSignUp action = "sign-up"
	limitCode   action = "code"
	limitFactor action = "factor"
	limitHash   action = "hash"
)

// byAddress holds the allowances of one client address. Firebase's limit for new accounts is 100 an hour.
var byAddress = map[action]ratelimit.Rate{
	limitSignIn: {Burst: 60, Every: 2 * time.Second}, limitSignUp: {Burst: 100, Every: 36 * time.Second}, limitCode: {Burst: 30, Every: 24 * time.Second},
	limitFactor: {Burst: 60, Every: 2 * time.Second}, limitHash: {Burst: 30, Every: 2 * time.Second},
}

// Allowances by account and by recipient.
var (
	// byRecipient is for codes that are sent to one e-mail address or phone.
	byRecipient = ratelimit.Rate{Burst: 5, Every: 5 * time.Minute}
	// byFactor is for codes of second factors that are tried for one account.
	byFactor = ratelimit.Rate{Burst: 5, Every: time.Minute}
	// guessesThere is for wrong passwords of one account from one address.
	guessesThere = ratelimit.Rate{Burst: 10, Every: 30 * time.Second}
	// guessesElsewhere is for wrong passwords of one account from all addresses together from which its owner has not signed in.
	guessesElsewhere = ratelimit.Rate{Burst: 50, Every: 2 * time.Minute}
)

// limits holds the rate limiters. Client addresses have a limiter of their own: clients can't choose them freely, and
// keys that clients can choose must not evict them.
type limits struct {
	addresses, accounts *ratelimit.Limiter
}

// newLimits returns limits with nothing counted.
func newLimits(c clock.Clock) limits {
	return limits{addresses: ratelimit.New(ratelimit.Options{Clock: c}), accounts: ratelimit.New(ratelimit.Options{Clock: c})}
}

// limited reports whether a call counts. Calls of administrators and of this program itself don't.
func (s *Service) limited(c Call) bool { return s.o.RateLimits && !c.Admin && c.Address != "" }

// network returns the address of the client.
func (c Call) network() netip.Addr { return forwarded.Client(c.Address, nil, 0) }

// limit counts an action for the client's address, and returns an error if it exceeds the allowance.
func (s *Service) limit(c Call, what action) error {
	if s.limited(c) && s.limits.addresses.Take(ratelimit.ForAddress(string(what), c.network(), byAddress[what])...) > 0 {
		s.refused(string(what))
		return apiError("TOO_MANY_ATTEMPTS_TRY_LATER")
	}
	return nil
}

// refused records that a limit has refused a request.
func (s *Service) refused(limit string) {
	if s.o.Limited != nil {
		s.o.Limited(limit)
	}
}

// limitRecipient counts a code that a client requests for an e-mail address or a phone.
func (s *Service) limitRecipient(c Call, to string) error { return s.limitMessage(c, "recipient", to) }

// limitFormer counts a change of address by a client, of which the former address is notified. Codes that others request for the address
// do not count: they must not prevent its owner from changing it.
func (s *Service) limitFormer(c Call, from string) error { return s.limitMessage(c, "former", from) }

// limitMessage counts a message to an e-mail address or a phone.
func (s *Service) limitMessage(c Call, what, to string) error {
	if s.limited(c) && !s.limits.accounts.Allow(c.accountKey(what, to), byRecipient) {
		s.refused("recipient")
		return apiError("TOO_MANY_ATTEMPTS_TRY_LATER")
	}
	return nil
}

// limitFactorOf counts a code that is tried for an account's second factor.
func (s *Service) limitFactorOf(c Call, uid string) error {
	if err := s.limit(c, limitFactor); err != nil {
		return err
	}
	if s.limited(c) && !s.limits.accounts.Allow(c.accountKey("factor", uid), byFactor) {
		s.refused("factor")
		return tooManyGuesses()
	}
	return nil
}

// accountKey returns the key of an account's bucket. A name that is too long for an account is truncated, so that keys
// stay small.
func (c Call) accountKey(what, account string) string {
	const longest = 512
	return what + "\x00" + c.Project + "\x00" + c.Tenant + "\x00" + strings.ToLower(account[:min(len(account), longest)])
}

// tooManyGuesses returns Firebase's error for too many wrong passwords of an account.
func tooManyGuesses() error {
	return apiError("TOO_MANY_ATTEMPTS_TRY_LATER : Access to this account has been temporarily disabled due to many failed login attempts. " +
		"You can immediately restore it by resetting your password or you can try again later.")
}

// guess is an attempt at a password that has been counted as a wrong one in advance.
type guess struct {
	limiter *ratelimit.Limiter
	taken   []ratelimit.Demand
}

// startGuess counts an attempt at the password of an e-mail address before it is checked, so that attempts at the same time count, too.
// u is the account with the address, or nil.
//
// Others must not lock the owner out. Wrong passwords count for the pair of account and client address and, with
// another allowance, for the account from all addresses together. The latter does not apply to a network from which the
// owner has signed in before.
func (s *Service) startGuess(c Call, email string, u *account.User) (*guess, error) {
	g := &guess{limiter: s.limits.accounts}
	if !s.limited(c) {
		return g, nil
	}
	taken := ratelimit.ForAddress(c.accountKey("password", email), c.network(), guessesThere)
	if u == nil || !slices.Contains(u.SignedInFrom, placeOf(c, u.UID)) {
		taken = append(taken, ratelimit.Demand{Key: c.accountKey("password", email), Rate: guessesElsewhere})
	}
	if g.limiter.Take(taken...) > 0 {
		s.refused("guesses")
		return nil, tooManyGuesses()
	}
	g.taken = taken
	return g, nil
}

// right reverses the count of the attempt: the password was right.
func (g *guess) right() { g.limiter.Return(g.taken...) }

// maxPlaces is the number of networks from which a user has signed in that are kept.
const maxPlaces = 8

// placeOf returns a hash that identifies the client's network for an account, without revealing it to readers of the
// account.
func placeOf(c Call, uid string) string {
	demands := ratelimit.ForAddress(uid, c.network(), ratelimit.Rate{})
	sum := sha256.Sum256([]byte(demands[0].Key))
	const enough = 8
	return hex.EncodeToString(sum[:enough])
}

// notePlace stores the network from which a user has just signed in. Only the latest are kept.
func (s *Service) notePlace(c Call, u *account.User) {
	if !s.limited(c) {
		return
	}
	place := placeOf(c, u.UID)
	if i := slices.Index(u.SignedInFrom, place); i == len(u.SignedInFrom)-1 && i >= 0 {
		return
	}
	u.SignedInFrom = append(slices.DeleteFunc(u.SignedInFrom, func(p string) bool { return p == place }), place)
	if extra := len(u.SignedInFrom) - maxPlaces; extra > 0 {
		u.SignedInFrom = u.SignedInFrom[extra:]
	}
}

// forgetGuesses resets the counts of wrong passwords of an account: its owner has set a new one by a code.
func (s *Service) forgetGuesses(c Call, email string) {
	key := c.accountKey("password", email)
	s.limits.accounts.Reset(key)
	for _, d := range ratelimit.ForAddress(key, c.network(), guessesThere) {
		s.limits.accounts.Reset(d.Key)
	}
}

// queueOf returns the client's name in the queue of hashes: one name for all administrators, an IPv4 address, or an
// IPv6 /48, which a single client may own.
func (c Call) queueOf() string {
	if c.Admin {
		return "administrators"
	}
	const site = 48
	address := c.network()
	if prefix, err := address.Prefix(site); address.Is6() && err == nil {
		return prefix.String()
	}
	return address.String()
}

// hash hashes a new password. It counts for the client's address, since hashing is the most costly operation that a client can request.
func (s *Service) hash(ctx context.Context, c Call, password string) (*passhash.Hash, error) {
	if err := s.limit(c, limitHash); err != nil {
		return nil, err
	}
	return s.hasher.Hash(ctx, c.Project, c.queueOf(), password)
}
