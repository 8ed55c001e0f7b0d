// Package limits limits the rates of sign-ins, sign-ups, codes and guesses of passwords, by client address and by
// account.
package limits

import (
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"slices"
	"strings"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/mailbox"
	"clave/server/internal/httpx/clientaddr"
	"clave/server/internal/limit/rate"
)

// Action is an action whose rate is limited by address.
type Action string

// The limited actions.
const (
	SignIn Action = "sign-in"
	SignUp Action = "sign-up"
	Code   Action = "code"
	Factor Action = "factor"
	Hash   Action = "hash"
)

// byAddress holds the allowances of one client address. Firebase's limit for new accounts is 100 an hour.
var byAddress = map[Action]rate.Rate{
	SignIn: {Burst: 60, Every: 2 * time.Second}, SignUp: {Burst: 100, Every: 36 * time.Second}, Code: {Burst: 30, Every: 24 * time.Second},
	Factor: {Burst: 60, Every: 2 * time.Second}, Hash: {Burst: 30, Every: 2 * time.Second},
}

// Allowances by account and by recipient.
var (
	// byRecipient is for codes that are sent to one mailbox or phone.
	byRecipient = rate.Rate{Burst: 5, Every: 5 * time.Minute}
	// codesThere and codesElsewhere are for wrong codes of six digits for one account or phone: from all networks from
	// which its owner has signed in, and from all others. Of an app's codes up to 21 are valid at a time, so the tries of
	// a day from elsewhere succeed with a probability of less than 1 in 1,000.
	codesThere     = rate.Rate{Burst: 10, Every: 15 * time.Minute}
	codesElsewhere = rate.Rate{Burst: 10, Every: time.Hour}
	// wrongCodes is for wrong codes of all accounts and phones from one address. Without it, one client could try codes of
	// thousands of phones.
	wrongCodes = rate.Rate{Burst: 30, Every: 5 * time.Minute}
	// guessesThere is for wrong passwords of one account from one address.
	guessesThere = rate.Rate{Burst: 10, Every: 30 * time.Second}
	// guessesElsewhere is for wrong passwords of one account from all addresses together from which its owner has not
	// signed in.
	guessesElsewhere = rate.Rate{Burst: 50, Every: 2 * time.Minute}
)

// Client is the client of a request and the scope of the accounts that it names.
type Client struct {
	Project, Tenant string
	// Address is the client's network address; empty for this program itself.
	Address string
	// Admin is set for administrators.
	Admin bool
}

// Options configure Limits.
type Options struct {
	Clock clock.Clock
	// Off switches all limits off.
	Off bool
	// Refused is called with the name of each limit that has refused a request, if not nil.
	Refused func(limit string)
}

// Limits holds the rate limiters. Client addresses have a limiter of their own: clients can't choose them freely, and
// keys that clients can choose must not evict them. It is safe for concurrent use.
type Limits struct {
	o                   Options
	addresses, accounts *rate.Limiter
}

// New returns limits with nothing counted.
func New(o Options) *Limits {
	return &Limits{o: o, addresses: rate.New(rate.Options{Clock: o.Clock}), accounts: rate.New(rate.Options{Clock: o.Clock})}
}

// counts reports whether a request counts. Requests of administrators and of this program itself don't.
func (l *Limits) counts(c Client) bool { return !l.o.Off && !c.Admin && c.Address != "" }

// network returns the address of the client.
func (c Client) network() netip.Addr { return clientaddr.Client(c.Address, nil, 0) }

// Take counts an action for the client's address, and returns an error if it exceeds the allowance.
func (l *Limits) Take(c Client, what Action) error {
	if l.counts(c) && l.addresses.Take(rate.ForAddress(string(what), c.network(), byAddress[what])...) > 0 {
		l.refused(string(what))
		return apierror.New("TOO_MANY_ATTEMPTS_TRY_LATER")
	}
	return nil
}

// refused records that a limit has refused a request.
func (l *Limits) refused(limit string) {
	if l.o.Refused != nil {
		l.o.Refused(limit)
	}
}

// TakeRecipient counts a code that a client requests for an e-mail address or a phone.
func (l *Limits) TakeRecipient(c Client, to string) error { return l.takeMessage(c, "recipient", to) }

// TakeFormer counts a change of address by a client, of which the former address is notified. Codes that others request
// for the address do not count: they must not prevent its owner from changing it.
func (l *Limits) TakeFormer(c Client, from string) error { return l.takeMessage(c, "former", from) }

// takeMessage counts a message to an e-mail address or a phone. All addresses of a mailbox count together.
func (l *Limits) takeMessage(c Client, what, to string) error {
	if l.counts(c) && !l.accounts.Allow(c.accountKey(what, mailbox.Of(to)), byRecipient) {
		l.refused("recipient")
		return apierror.New("TOO_MANY_ATTEMPTS_TRY_LATER")
	}
	return nil
}

// StartFactor counts an attempt at a code of an account's second factor before the code is checked. Owners can present
// theirs while others guess: guesses from networks from which the owner has signed in count apart.
func (l *Limits) StartFactor(c Client, u *account.User) (*Guess, error) {
	if err := l.Take(c, Factor); err != nil {
		return nil, err
	}
	return l.startCode(c, "factor", u.UID, u)
}

// StartPhone counts an attempt at a code that was sent to a phone, as StartFactor does. u is the account with the
// number, or nil. The caller has taken Factor.
func (l *Limits) StartPhone(c Client, phone string, u *account.User) (*Guess, error) {
	return l.startCode(c, "phone", phone, u)
}

// startCode counts an attempt at a code of six digits.
func (l *Limits) startCode(c Client, what, of string, u *account.User) (*Guess, error) {
	g := &Guess{limiter: l.accounts}
	if !l.counts(c) {
		return g, nil
	}
	demand := rate.Demand{Key: c.accountKey(what+" elsewhere", of), Rate: codesElsewhere}
	if known(c, u) {
		demand = rate.Demand{Key: c.accountKey(what, of), Rate: codesThere}
	}
	taken := append(rate.ForAddress(c.accountKey("wrong code", ""), c.network(), wrongCodes), demand)
	if g.limiter.Take(taken...) > 0 {
		l.refused("factor")
		return nil, apierror.New("TOO_MANY_ATTEMPTS_TRY_LATER")
	}
	g.taken = taken
	return g, nil
}

// accountKey returns the key of an account's bucket. A name that is too long for an account is truncated, so that keys
// stay small.
func (c Client) accountKey(what, account string) string {
	const longest = 512
	return what + "\x00" + c.Project + "\x00" + c.Tenant + "\x00" + strings.ToLower(account[:min(len(account), longest)])
}

// tooManyGuesses returns Firebase's error for too many wrong passwords of an account.
func tooManyGuesses() error {
	return apierror.New("TOO_MANY_ATTEMPTS_TRY_LATER : Access to this account has been temporarily disabled due to many failed login attempts. " +
		"You can immediately restore it by resetting your password or you can try again later.")
}

// Guess is an attempt at a password or a code that has been counted as a wrong one in advance.
type Guess struct {
	limiter *rate.Limiter
	taken   []rate.Demand
}

// StartGuess counts an attempt at the password of an e-mail address before it is checked, so that concurrent attempts
// count too. u is the account with the address, or nil.
//
// Others must not lock the owner out. Wrong passwords count for the pair of account and client address and, with
// another allowance, for the account from all addresses together. The latter does not apply to a network from which the
// owner has signed in before.
func (l *Limits) StartGuess(c Client, email string, u *account.User) (*Guess, error) {
	g := &Guess{limiter: l.accounts}
	if !l.counts(c) {
		return g, nil
	}
	taken := rate.ForAddress(c.accountKey("password", email), c.network(), guessesThere)
	if !known(c, u) {
		taken = append(taken, rate.Demand{Key: c.accountKey("password", email), Rate: guessesElsewhere})
	}
	if g.limiter.Take(taken...) > 0 {
		l.refused("guesses")
		return nil, tooManyGuesses()
	}
	g.taken = taken
	return g, nil
}

// Right reverses the count of the attempt: the password or code was right.
func (g *Guess) Right() {
	if len(g.taken) > 0 {
		g.limiter.Return(g.taken...)
	}
}

// maxPlaces is the number of networks from which a user has signed in that are kept.
const maxPlaces = 8

// placeOf returns a hash that identifies the client's network for an account, without revealing it to readers of the
// account.
func placeOf(c Client, uid string) string {
	demands := rate.ForAddress(uid, c.network(), rate.Rate{})
	sum := sha256.Sum256([]byte(demands[0].Key))
	const enough = 8
	return hex.EncodeToString(sum[:enough])
}

// known reports whether the owner of an account has signed in from the client's network. u may be nil.
func known(c Client, u *account.User) bool {
	return u != nil && slices.Contains(u.SignedInFrom, placeOf(c, u.UID))
}

// NotePlace stores the network from which a user has just signed in. Only the latest are kept.
func (l *Limits) NotePlace(c Client, u *account.User) {
	if !l.counts(c) {
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

// ResetGuesses resets the counts of wrong passwords of an account: its owner has set a new one by a code.
func (l *Limits) ResetGuesses(c Client, email string) {
	key := c.accountKey("password", email)
	l.accounts.Reset(key)
	for _, d := range rate.ForAddress(key, c.network(), guessesThere) {
		l.accounts.Reset(d.Key)
	}
}

// Queue returns the client's name in a queue: one name for all administrators, an IPv4 address, or an
// IPv6 /48, which a single client may own.
func (c Client) Queue() string {
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
