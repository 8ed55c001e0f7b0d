// Package webchannel implements the wire protocol of the web SDK's Listen and Write streams: a stream of messages in both
// directions over short POST requests (the forward channel) and a hanging GET (the back channel). doc/webchannel.md
// describes the protocol.
//
// A session (session.go) is one stream. What the client sends is put in order by the requests' numbers
// (form.go parses it, session.accept orders it); what the server sends is numbered and kept until the client has acknowledged it, so
// that a cut back channel loses nothing (back.go). The handshake authenticates the caller; later requests carry no credentials but the
// session's id, which is long and random.
//
// The invariant: the stream behind a session receives each of the client's messages once and in order, and the client
// receives each message of the stream in order, however often requests are cut, lost, repeated or overtaken.
package webchannel
