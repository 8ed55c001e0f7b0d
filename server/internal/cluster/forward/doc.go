// Package forward connects the nodes of a cluster. Each node forwards the requests of its clients to the leader, and
// has an inner listener for requests that other nodes forward.
//
// A request is forwarded at most once: a node serves or refuses the requests at its inner listener and does not forward
// them. A request is retried only if the leader can't have begun it, because there was no connection or the leader
// responded that it no longer leads, or if its method changes nothing. While there is no leader, requests wait for a
// short time with their bodies unread.
//
// Nodes authenticate each other by a key that they derive from a shared secret. The handshake fails for a peer without
// it. A forwarded request has the client's address and scheme in headers that are accepted only at the inner listener.
package forward
