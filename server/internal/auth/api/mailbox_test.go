package api_test

import (
	"context"
	"sync"

	"clave/server/internal/auth/service"
)

// mailbox keeps sent e-mails.
type mailbox struct {
	mu   sync.Mutex
	sent []service.Email
}

// Send implements service.Mailer.
func (m *mailbox) Send(_ context.Context, l service.Email) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = append(m.sent, l)
	return nil
}

// take removes all e-mails and returns those to an address, oldest first.
func (m *mailbox) take(to string) []service.Email {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []service.Email
	for _, l := range m.sent {
		if l.To == to {
			found = append(found, l)
		}
	}
	m.sent = nil
	return found
}
