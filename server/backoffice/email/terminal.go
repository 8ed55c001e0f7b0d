package email

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// Terminal is a Sender for development servers: it writes messages to a terminal instead of sending them.
type Terminal struct{ Out io.Writer }

// Connect implements Sender.
func (t Terminal) Connect(context.Context) (Connection, error) { return t, nil }

// Send implements Connection.
func (t Terminal) Send(m *Message) error {
	text := "    " + strings.ReplaceAll(strings.TrimSpace(m.Text), "\n", "\n    ")
	if _, err := fmt.Fprintf(t.Out, "E-mail (not sent, because MAIL_URL is not set)\n    To: %s\n    Subject: %s\n\n%s\n\n", m.To, m.Subject, text); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// Close implements Connection.
func (Terminal) Close() error { return nil }
