package email

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"clave/server/internal/base/mailserver"
)

// server is a Sender by SMTP.
type server struct {
	client *mail.Client
	from   string
}

// Server returns a Sender for the mail server of a URL (package mailserver).
func Server(url string) (Sender, error) {
	client, from, err := mailserver.Client(url)
	if err != nil {
		return nil, err
	}
	return &server{client, from}, nil
}

// Connect implements Sender.
func (s *server) Connect(ctx context.Context) (Connection, error) {
	open, err := s.client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return &connection{s, open}, nil
}

// connection is a Connection by SMTP.
type connection struct {
	server *server
	open   *smtp.Client
}

// Send implements Connection.
func (c *connection) Send(m *Message) error {
	encoded, err := encode(c.server.from, m)
	if err != nil {
		return failure(ErrRejected, err, m.To)
	}
	err = c.server.client.SendWithSMTPClient(c.open, encoded)
	if err == nil || encoded.IsDelivered() {
		// The message is sent even if a command after its acceptance fails.
		return nil
	}
	return failure(outcome(err), err, m.To)
}

// failure returns an outcome with the text of its cause, without the recipient, because callers log it. Mail servers
// and the mail client repeat the address.
func failure(outcome, cause error, recipient string) error {
	text := cause.Error()
	if recipient != "" {
		text = strings.ReplaceAll(text, recipient, "(recipient)")
	}
	return fmt.Errorf("%w: %s", outcome, text)
}

// Close implements Connection.
func (c *connection) Close() error { return c.server.client.CloseWithSMTPClient(c.open) }

// serviceClosing is the reply of a server that ends the connection; it concerns no recipient.
const serviceClosing = 421

// outcome classifies an error of the mail client.
func outcome(err error) error {
	var failed *mail.SendError
	if !errors.As(err, &failed) {
		return ErrUncertain
	}
	switch failed.Reason {
	case mail.ErrSMTPRcptTo:
		return outcomeOf(failed.ErrorCode(), ErrUnavailable)
	case mail.ErrSMTPMailFrom, mail.ErrSMTPData:
		return ofSender(outcomeOf(failed.ErrorCode(), ErrUnavailable))
	case mail.ErrSMTPDataClose:
		return ofSender(outcomeOf(failed.ErrorCode(), ErrUncertain))
	case mail.ErrGetSender, mail.ErrGetRcpts, mail.ErrNoUnencoded:
		return ErrRejected
	case mail.ErrWriteContent, mail.ErrAmbiguous:
		return ErrUncertain
	default:
		return ErrUnavailable
	}
}

// outcomeOf returns the outcome of a reply that is not positive, or none without a reply.
func outcomeOf(code int, none error) error {
	switch {
	case code >= 500:
		return ErrRejected
	case code == serviceClosing:
		return ErrUnavailable
	case code >= 400:
		return ErrDeferred
	}
	return none
}

// ofSender marks an outcome whose reply does not name a recipient.
func ofSender(outcome error) error {
	if errors.Is(outcome, ErrRejected) || errors.Is(outcome, ErrDeferred) {
		return fmt.Errorf("%w (%w)", outcome, ErrSender)
	}
	return outcome
}
