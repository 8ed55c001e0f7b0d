// Package email sends e-mails through a mail server, or writes them to the terminal of a development server.
package email

import (
	"context"
	"errors"
)

// Message is an e-mail of plain text. Blank lines separate its paragraphs.
type Message struct {
	To, Subject, Text string
	// Unsubscribe is the link by which mail programs unsubscribe with one click (RFC 8058), or empty.
	Unsubscribe string
}

// The outcomes of a message that was certainly or possibly not sent.
var (
	// ErrUnavailable means that the mail server accepts no messages at present. The message was not sent.
	ErrUnavailable = errors.New("email: the mail server is unavailable")
	// ErrDeferred means that the server does not accept the message for its recipient at present, for example because
	// of a full mailbox or greylisting. The message was not sent.
	ErrDeferred = errors.New("email: deferred")
	// ErrRejected means that the server rejected the message permanently.
	ErrRejected = errors.New("email: rejected")
	// ErrSender is wrapped beside ErrDeferred or ErrRejected when the reply does not name a recipient, such as that to
	// MAIL FROM. It usually concerns the sender or the text, such as an exceeded quota.
	ErrSender = errors.New("not because of the recipient")
	// ErrUncertain means that the message may have been sent: the connection failed while the server was accepting it.
	ErrUncertain = errors.New("email: may have been sent")
)

// Sender opens connections.
type Sender interface {
	// Connect opens a connection for messages. Its errors are ErrUnavailable.
	Connect(ctx context.Context) (Connection, error)
}

// Connection sends messages one after the other. It is not safe for concurrent use.
type Connection interface {
	// Send sends a message. The error wraps one of those above.
	Send(m *Message) error
	// Close closes the connection. If it fails, messages that were sent remain sent.
	Close() error
}
