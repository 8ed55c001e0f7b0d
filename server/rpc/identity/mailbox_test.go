package identity_test

import (
	"context"
	"sync"

	"clave/server/identity"
)

// mailbox keeps sent e-mails.
type mailbox struct {
	mu   sync.Mutex
	sent []identity.Email
}

// Send implements identity.Mailer.
func (m *mailbox) Send(_ context.Context, l identity.Email) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = append(m.sent, l)
	return nil
}

// take removes all e-mails and returns those to an address, oldest first.
func (m *mailbox) take(to string) []identity.Email {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []identity.Email
	for _, l := range m.sent {
		if l.To == to {
			found = append(found, l)
		}
	}
	m.sent = nil
	return found
}
