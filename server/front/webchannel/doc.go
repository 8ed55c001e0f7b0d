// Package webchannel speaks the wire protocol of the web SDK's Listen and Write streams: a stream of messages in both
// directions over short POST requests (the forward channel) and a hanging GET (the back channel). doc/webchannel.md
// tells the protocol.
//
// A session (session.go) is one stream. What the client sends is put in order by the requests' numbers (forward.go);
// what the server sends is numbered and kept until the client has acknowledged it, so that a cut back channel loses
// nothing (back.go). The caller is the one who the handshake said; later requests carry no credentials but the session's
// id, which is long and random.
//
// The invariant: the stream behind a session sees each of the client's messages once and in order, and the client is
// given each message of the stream in order, however often requests are cut, lost, repeated or overtaken.
package webchannel
