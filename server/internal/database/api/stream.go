package api

import (
	"errors"
	"io"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
)

// Stream is a bidirectional stream of messages. Recv returns io.EOF once the client has closed its side. Recv and Send
// may each be called by one goroutine at a time.
type Stream[Request, Response any] interface {
	// Recv returns the client's next message.
	Recv() (*Request, error)
	// Send sends a message to the client.
	Send(*Response) error
}

// naming is a message that can name the stream's database. Only the first message of a stream must.
type naming interface{ GetDatabase() string }

// begin receives a stream's first message, which names the database. The message is nil if the stream ended before:
// with an error, or without one if the client left.
func begin[Request, Response any, Message interface {
	*Request
	naming
}](stream Stream[Request, Response]) (first Message, db resource.Database, err error) {
	first, err = stream.Recv()
	if errors.Is(err, io.EOF) {
		return nil, db, nil
	} else if err != nil {
		return nil, db, err
	}
	if db, err = parseDatabase(first.GetDatabase()); err != nil {
		return nil, db, err
	}
	return first, db, nil
}

// sameDatabase refuses a later message for another database.
func sameDatabase(m naming, db resource.Database) error {
	if name := m.GetDatabase(); name != "" && name != db.String() {
		return fault.E(fault.InvalidArgument,
			"Request specified a database (%s) that did not match the expected database (%s)", name, db.String())
	}
	return nil
}
