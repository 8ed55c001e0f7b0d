package appcheck

import (
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/observe/meter"
)

// Header is the header with a client's token.
const Header = "X-Firebase-AppCheck"

// CheckerOptions configure a Checker.
type CheckerOptions struct {
	// Tokens verifies tokens.
	Tokens *token.Verifier
	// Modes are the modes of a server without Settings.
	Modes Modes
	// Settings has the modes; nil for a server whose modes do not change.
	Settings *Settings
	// Meter counts requests; nil counts nothing.
	Meter *meter.Meter
}

// Checker decides about requests of clients by their tokens. A nil Checker allows all. It is safe for concurrent use.
type Checker struct{ o CheckerOptions }

// NewChecker returns a Checker.
func NewChecker(o CheckerOptions) *Checker { return &Checker{o} }

// refusals are the errors for requests without a valid token, as production has them. It does not say whether a token
// was invalid or missing.
var refusals = [products]error{
	Firestore: fault.Denied(),
	Auth:      fault.E(fault.Unauthenticated, "Firebase App Check token is invalid."),
}

// Refuse decides as Check does. The error of a request that is refused for good is refused; err is one that may pass.
func (c *Checker) Refuse(p Product, project, header string) (refused, err error) {
	err = c.Check(p, project, header)
	if fault.Is(err, fault.Unavailable) {
		return nil, err
	}
	return err, nil
}

// Check decides about a request for a project by the value of its Header, which is empty if there is none. Servers have
// no token: the caller must not ask about them. While the modes are unknown, requests with a valid token are allowed,
// and others get Unavailable.
func (c *Checker) Check(p Product, project, header string) error {
	if c == nil {
		return nil
	}
	modes, unknown := c.o.Modes, error(nil)
	if c.o.Settings != nil {
		modes, unknown = c.o.Settings.Modes(project)
	}
	mode := modes[p]
	if mode == Off && unknown == nil {
		return nil
	}
	result := meter.Missing
	var cause error
	if header != "" {
		result = meter.Valid
		if _, cause = c.o.Tokens.AppCheck(header, project); cause != nil {
			result = meter.Invalid
		}
	}
	switch {
	case unknown != nil && result != meter.Valid:
		return unknown
	case mode == Enforce && fault.Is(cause, fault.Unavailable):
		return cause // Nothing is known about the token yet.
	}
	c.o.Meter.Check(int(p), result)
	if result == meter.Valid || mode == Count {
		return nil
	}
	refusal := fault.FromError(refusals[p])
	return fault.Wrap(cause, refusal.Code, "%s", refusal.Message)
}
