package backoffice

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/netip"
	"time"
)

// Ticket is a permission to register one administrator.
type Ticket struct {
	// Value is the secret that Register accepts.
	Value string
	// ExpiresIn is the time for which the ticket is valid.
	ExpiresIn time.Duration
}

// CheckCode compares a code with the secret and returns a ticket. Wrong codes are counted by client address; for an
// address with too many of them it returns TooManyRequests, even for the right code.
func (s *Service) CheckCode(from netip.Addr, code string) (Ticket, error) {
	right := s.options.SignupCode != "" && equalSecrets(code, s.options.SignupCode)
	if wait := s.tries.count(from, right); wait > 0 {
		r := refuse(TooManyRequests, nil)
		r.RetryAfter = wait
		return Ticket{}, r
	}
	if !right {
		return Ticket{}, refuse(WrongCode, nil)
	}
	return Ticket{Value: s.tickets.issue(), ExpiresIn: ticketLife}, nil
}

// equalSecrets compares two secrets in a time that depends neither on where they differ nor on their lengths.
func equalSecrets(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
