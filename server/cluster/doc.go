// Package cluster connects the nodes of a cluster: each has an inner listener, on which requests that arrived at other nodes come in,
// and forwards what arrives at itself to the node that leads.
//
// A request is forwarded once: what comes in at the inner listener is answered by this node or refused. It is sent again only where the
// leader can't have begun it: no connection was made, the leader answered that it leads no more, or a method that changes nothing was cut.
// While nobody leads, requests wait for a short time with their bodies unread.
//
// Nodes authenticate each other by a key that is made of a secret which they share; the handshake fails for a peer that does not have it.
// The address and the scheme of the client come with a forwarded request, in headers that count at the inner listener alone.
package cluster
