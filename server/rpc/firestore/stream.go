package firestore

import (
	"errors"
	"io"

	"clave/server/fault"
	"clave/server/resource"
)

// Stream is a stream of messages in both directions. Recv answers io.EOF once the client has sent all. Recv and
// Send may each be called by one goroutine at a time.
type Stream[Request, Response any] interface {
	// Recv returns the client's next message.
	Recv() (*Request, error)
	// Send gives a message to the client.
	Send(*Response) error
}

// naming is a message of a stream that names the stream's database; only the first one has to.
type naming interface{ GetDatabase() string }

// begin receives a stream's first message and the database that the stream is for. The message is nil when the stream is
// over before it began: with an error, or without when its client left.
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
