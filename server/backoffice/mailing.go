package backoffice

import (
	"context"

	"clave/server/backoffice/email"
)

// mailing is a connection to the mail server that is opened on first use.
type mailing struct {
	sender     email.Sender
	connection email.Connection // nil until it is needed
}

// connect opens the connection, unless it is open.
func (m *mailing) connect(ctx context.Context) error {
	if m.connection != nil {
		return nil
	}
	var err error
	m.connection, err = m.sender.Connect(ctx)
	return err
}

// close closes the connection, if one was opened.
func (m *mailing) close() {
	if m.connection != nil {
		_ = m.connection.Close() // the messages are sent by then
		m.connection = nil
	}
}
