package token

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"time"

	"clave/server/fault"
)

// Caller is who makes a request.
type Caller struct {
	// Privileged callers are servers: rules do not apply to them.
	Privileged bool
	// UID is the user's id; empty for anonymous and privileged callers.
	UID string
	// Claims are all claims of the ID token, as request.auth.token shows them. Values are nil, bool, int64,
	// float64, string, []any and map[string]any.
	Claims map[string]any
	// Project is the project that the token is for.
	Project string
	// Tenant is the user's tenant, or empty.
	Tenant string
	// Provider is how the user signed in, such as "password" or "anonymous".
	Provider string
	// Expires is when the token ends; zero means never.
	Expires time.Time
	// Address is the client's network address. The transports set it; it is invalid where none is known.
	Address netip.Addr
	// ReadOnly callers change nothing, also where no rules apply to them.
	ReadOnly bool
	// Journal, if not nil, notes what the caller changes.
	Journal Journal
	// session is what CheckSession checks; nil for callers without an account.
	session *ID
}

// Journal notes changes.
type Journal interface {
	// Begin announces a change before it is made, and returns what notes how it ended; it must be called. An error refuses the change.
	Begin(c Change) (ended func(error), err error)
}

// Change is what a caller is about to change.
type Change struct {
	// Address is the caller's network address.
	Address netip.Addr
	// Method is the method called, such as Commit.
	Method string
	// Database is the name of the database, empty for a change of anything but documents.
	Database string
	// Targets are what is changed, such as "update users/ada".
	Targets []string
	// Count is how many are changed, which may be more than Targets lists.
	Count int
}

// Callers identifies who makes a request from its Authorization header. A Verifier is one.
type Callers interface {
	// Caller returns who calls project.
	Caller(ctx context.Context, authorization, project string) (Caller, error)
	// Admin returns who administers project, and an error for other callers.
	Admin(ctx context.Context, authorization, project string) (Caller, error)
}

// errReadOnly is the error of a change by a ReadOnly caller.
var errReadOnly = fault.E(fault.PermissionDenied, "The console's session is read-only. clave console --write opens one that may change data.")

// Change announces a change by the caller and returns what is to be called with its outcome. It returns PermissionDenied for a caller
// that may change nothing.
func (c Caller) Change(change func() Change) (ended func(error), err error) {
	switch {
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

// Unidentified reports whether nothing distinguishes the caller from others but the address: no user is signed in, or an
// anonymous account is, which anybody may create.
func (c Caller) Unidentified() bool {
	return c.Anonymous() || !c.Privileged && c.Provider == "anonymous"
}

// CheckSession returns Unauthenticated when the session of a caller has ended since the caller's token was verified, for
// callers whose connection stays open. Callers without an account have no session that could end.
func (v *Verifier) CheckSession(ctx context.Context, c Caller) error {
	if c.session == nil {
		return nil
	}
	return v.checkSession(ctx, *c.session)
}

// errUnauthenticated is the error of a caller whose token is invalid; cause is for the log.
func errUnauthenticated(cause error) error {
	return fault.Because(cause, fault.Unauthenticated, "Missing or invalid authentication.")
}

// bearer returns the token of an Authorization header; ok is false when the header is of another scheme, which
// counts as none.
func bearer(authorization string) (raw string, ok bool) {
	scheme, raw, found := strings.Cut(strings.TrimSpace(authorization), " ")
	if !found || !(strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "firebase")) {
		return "", false
	}
	return strings.TrimSpace(raw), true
}

// Caller returns who calls project, from a request's Authorization header. An empty header is an anonymous caller. An invalid token is
// Unauthenticated, the token of another project PermissionDenied.
func (v *Verifier) Caller(ctx context.Context, authorization, project string) (Caller, error) {
	raw, ok := bearer(authorization)
	if !ok {
		return Caller{Project: project}, nil
	}
	if admin, is, err := v.admin(ctx, raw, project); is {
		return admin, err
	}
	id, err := v.ID(ctx, raw, project)
	if v.o.Unsigned && errors.Is(err, errNoSubject) {
		return Caller{Project: project}, nil // The official emulator evaluates the rules for such a token, too.
	}
	if err != nil {
		return Caller{}, err
	}
	caller := Caller{UID: id.UID, Claims: id.Claims, Project: project, Tenant: id.Tenant, Provider: id.Provider, session: &id}
	if !v.o.Unsigned {
		caller.Expires = id.Expires
	}
	return caller, nil
}

// Admin returns the server whose Authorization header this is. The error is nil only when it may administer project. A missing header is
// Unauthenticated, as an invalid one is.
func (v *Verifier) Admin(ctx context.Context, authorization, project string) (Caller, error) {
	raw, ok := bearer(authorization)
	if !ok {
		return Caller{}, errUnauthenticated(nil)
	}
	if admin, is, err := v.admin(ctx, raw, project); is {
		return admin, err
	}
	return Caller{}, errUnauthenticated(nil)
}

// admin verifies the tokens of servers. is reports whether raw has the form of one; err is then nil only when it may administer
// project.
func (v *Verifier) admin(ctx context.Context, raw, project string) (caller Caller, is bool, err error) {
	if v.o.Owner || v.o.Unsigned {
		if strings.EqualFold(raw, "owner") || strings.HasPrefix(raw, accessPrefix) && strings.Count(raw, ".") != 3 {
			return Caller{Privileged: true, Project: project}, true, nil
		}
	}
	if access, ok := strings.CutPrefix(raw, accessPrefix); ok {
		caller, err = v.access(ctx, access, project)
		return caller, true, err
	}
	t, err := parseJWT(raw)
	if err != nil || !isServiceAccount(t) {
		return Caller{}, false, nil
	}
	if v.o.Owner || v.o.Unsigned {
		if !t.forService() {
			return Caller{}, false, nil
		}
		return Caller{Privileged: true, Project: project}, true, nil
	}
	caller, err = v.selfSigned(ctx, t, project)
	return caller, true, err
}
