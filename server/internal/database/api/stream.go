package api

// Stream is a bidirectional stream of messages, all for the database that the first one names. Recv returns io.EOF once
// the client has closed its side, and InvalidArgument for a message that is for another database or not valid. Recv and
// Send may each be called by one goroutine at a time.
type Stream[Request, Response any] interface {
	// Recv returns the client's next message.
	Recv() (*Request, error)
	// Send sends a message to the client.
	Send(*Response) error
}
