// Package webchannel implements the wire protocol of the web SDK's Listen and Write streams: a stream of messages in
// both directions over short POST requests (the forward channel) and a hanging GET (the back channel).
// doc/webchannel.md describes the protocol.
//
// A session (session.go) is one stream. The client's messages are parsed in form.go and ordered by their numbers in
// session.accept (forward.go). The server's messages are numbered and kept until the client has acknowledged them, so
// that a broken back channel loses nothing (send.go, back.go, chunk.go). The handshake authenticates the caller; later
// requests carry only the session's id, which is long and random.
//
// The invariant: the stream behind a session receives each of the client's messages once and in order, and the client
// receives each message of the stream in order, however often requests are cut, lost, repeated or overtaken.
package webchannel
