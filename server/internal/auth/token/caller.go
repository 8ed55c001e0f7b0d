package token

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"time"

	"clave/server/internal/base/fault"
)

// Caller identifies the sender of a request.
type Caller struct {
	// Privileged callers are servers. Rules do not apply to them.
	Privileged bool
	// UID is the user's id; empty for anonymous and privileged callers.
	UID string
	// Claims are all claims of the ID token, as request.auth.token shows them. Values are nil, bool, int64,
	// float64, string, []any and map[string]any. They are shared and must not be changed.
	Claims map[string]any
	// Project is the project that the token is for.
	Project string
	// Tenant is the user's tenant, or empty.
	Tenant string
	// Provider is the sign-in method, such as "password" or "anonymous".
	Provider string
	// Expires is the time when the token expires; zero means never.
	Expires time.Time
	// Address is the client's network address, set by the transports. It is invalid if unknown.
	Address netip.Addr
	// ReadOnly callers may not change anything, even where no rules apply to them.
	ReadOnly bool
	// Journal records the caller's changes, if not nil.
	Journal Journal
	// Service is the e-mail address of the service account whose key identified the caller; empty for other callers.
	Service string
	// Role is that of the service account; Owner for other administrators, empty for users.
	Role Role
	// Refused is why a client that is known is refused, such as for its app; nil for others. Streams refuse each of its
	// targets and batches and stay open, because SDKs open streams again that end before anything was sent.
	Refused error
	// token is the ID token, whose session CheckSession checks; nil for callers without an account.
	token *verifiedToken
	// key is the id of the service account's key.
	key string
}

// Journal records changes.
type Journal interface {
	// Begin records a change before it is made. It returns a function that records the outcome, which must be called. An
	// error refuses the change.
	Begin(c Change) (ended func(error), err error)
}

// Change describes a change that a caller is about to make.
type Change struct {
	// Address is the caller's network address.
	Address netip.Addr
	// Method is the name of the called method, such as Commit.
	Method string
	// Database is the name of the database; empty for changes of other data than documents.
	Database string
	// Targets lists the changes, such as "update users/ada".
	Targets []string
	// Count is the number of changes, which may exceed the length of Targets.
	Count int
}

// Callers identifies the sender of a request by its Authorization header. Verifier implements it.
type Callers interface {
	// Caller returns the caller of project.
	Caller(ctx context.Context, authorization, project string) (Caller, error)
	// Admin returns the caller if it is an owner of project, and an error otherwise.
	Admin(ctx context.Context, authorization, project string) (Caller, error)
}

// Derived returns what compute returns for the caller. It keeps the first result with the ID token, so all calls must
// pass the same function, and nobody may change the result.
func (c Caller) Derived(compute func(Caller) any) any {
	if c.token == nil {
		return compute(c)
	}
	if kept := c.token.derived.Load(); kept != nil {
		return *kept
	}
	value := compute(c)
	c.token.derived.CompareAndSwap(nil, &value)
	return *c.token.derived.Load()
}

// errReadOnly is the error for a change by a ReadOnly caller.
var errReadOnly = fault.E(fault.PermissionDenied, "The console's session is read-only. clave console --write opens one that may change data.")

// Change records a change by the caller and returns a function that must be called with the outcome. It returns
// PermissionDenied for a ReadOnly caller.
func (c Caller) Change(change func() Change) (ended func(error), err error) {
	switch {
	case c.ReadOnly && c.Service != "":
		return nil, fault.Denied()
	case c.ReadOnly:
		return nil, errReadOnly
	case c.Journal == nil:
		return func(error) {}, nil
	}
	about := change()
	about.Address = c.Address
	return c.Journal.Begin(about)
}

// Anonymous reports whether no user is signed in.
func (c Caller) Anonymous() bool { return !c.Privileged && c.UID == "" }

// Unidentified reports whether only the address distinguishes the caller from others: no user is signed in, or the
// account is anonymous, which anyone may create.
func (c Caller) Unidentified() bool {
	return c.Anonymous() || !c.Privileged && c.Provider == "anonymous"
}

// CheckSession returns Unauthenticated if the caller's session has ended, or its service account's key was revoked,
// since the token was verified. It is for callers whose connection stays open. Callers without an account have no
// session.
func (v *Verifier) CheckSession(ctx context.Context, c Caller) error {
	switch {
	case c.Service != "":
		account, err := v.serviceAccount(ctx, c.Service)
		if err == nil && account.Keys[c.key] == nil {
			err = errUnauthenticated(errRevoked)
		}
		return err
	case c.token == nil:
		return nil
	}
	return v.checkSession(ctx, c.token.id)
}

// errRevoked is the logged cause of an error for a revoked key.
var errRevoked = errors.New("the service account's key was revoked")

// errUnauthenticated returns the error for an invalid token. cause is only logged.
func errUnauthenticated(cause error) error {
	return fault.Wrap(cause, fault.Unauthenticated, "Missing or invalid authentication.")
}

// bearer returns the token of an Authorization header. ok is false if the header has another scheme, which counts as no
// header.
func bearer(authorization string) (raw string, ok bool) {
	scheme, raw, found := strings.Cut(strings.TrimSpace(authorization), " ")
	if !found || !(strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "firebase")) {
		return "", false
	}
	return strings.TrimSpace(raw), true
}

// Caller returns the caller of project, identified by a request's Authorization header. An empty header means an
// anonymous caller. Caller returns Unauthenticated for an invalid token and PermissionDenied for a token of another
// project.
func (v *Verifier) Caller(ctx context.Context, authorization, project string) (Caller, error) {
	raw, ok := bearer(authorization)
	if !ok {
		return Caller{Project: project}, nil
	}
	if admin, is, err := v.server(ctx, raw, project); is {
		return forDocuments(admin, err)
	}
	p, err := v.read(raw)
	if err != nil {
		return Caller{}, errUnauthenticated(err)
	}
	if admin, is, err := v.serviceAccountOf(ctx, p, project); is {
		return forDocuments(admin, err)
	}
	t, err := v.verifyID(p, project)
	if v.o.Unsigned && errors.Is(err, errNoSubject) {
		return Caller{Project: project}, nil // The official emulator evaluates the rules for such a token too.
	}
	if err == nil {
		err = v.checkSession(ctx, t.id)
	}
	if err != nil {
		return Caller{}, err
	}
	caller := Caller{UID: t.id.UID, Claims: t.id.Claims, Project: project, Tenant: t.id.Tenant, Provider: t.id.Provider, token: t}
	if !v.o.Unsigned {
		caller.Expires = t.id.Expires
	}
	return caller, nil
}

// Admin returns the server that an Authorization header identifies. The error is nil only if the server is an owner of
// project. It is Unauthenticated for a missing or invalid header.
func (v *Verifier) Admin(ctx context.Context, authorization, project string) (Caller, error) {
	return forOwners(v.Account(ctx, authorization, project))
}

// Account returns the service account of project that an Authorization header identifies. The caller must judge its
// Role. The error is Unauthenticated for a missing or invalid header.
func (v *Verifier) Account(ctx context.Context, authorization, project string) (Caller, error) {
	raw, ok := bearer(authorization)
	if !ok {
		return Caller{}, errUnauthenticated(nil)
	}
	if admin, is, err := v.server(ctx, raw, project); is {
		return admin, err
	}
	if p, err := v.read(raw); err == nil {
		if admin, is, err := v.serviceAccountOf(ctx, p, project); is {
			return admin, err
		}
	}
	return Caller{}, errUnauthenticated(nil)
}

// server verifies the tokens of servers that are not JWTs. is reports whether raw has the form of one; err is then nil
// only if the server is of project. The Role of the caller is to be judged.
func (v *Verifier) server(ctx context.Context, raw, project string) (caller Caller, is bool, err error) {
	if v.o.Owner || v.o.Unsigned {
		if strings.EqualFold(raw, "owner") || strings.HasPrefix(raw, accessPrefix) && strings.Count(raw, ".") != 3 {
			return Caller{Role: Owner, Project: project}, true, nil
		}
	}
	if access, ok := strings.CutPrefix(raw, accessPrefix); ok {
		caller, err = v.access(ctx, access, project)
		return caller, true, err
	}
	return Caller{}, false, nil
}

// serviceAccountOf verifies a JWT that a service account's holder has signed. is and err are those of server.
func (v *Verifier) serviceAccountOf(ctx context.Context, p credential, project string) (caller Caller, is bool, err error) {
	if p.known != nil || !isServiceAccount(p.jwt) {
		return Caller{}, false, nil
	}
	if v.o.Owner || v.o.Unsigned {
		if !p.jwt.forService() {
			return Caller{}, false, nil
		}
		return Caller{Role: Owner, Project: project}, true, nil
	}
	caller, err = v.selfSigned(ctx, p.jwt, project)
	return caller, true, err
}
