// Package budget bounds the memory of requests that are being received, over all transports together. A request costs the
// sender nothing and needs no credentials, so without a bound a few hundred large ones fill any memory.
//
// A Hold is one request, or one connection that carries several. It takes what it receives from the Budget and returns it.
// When the budget is used up, a Hold waits for a moment and is then refused. Meanwhile those that receive too slowly lose what
// they hold: clients that begin large requests and do not end them must not block others. Small requests
// have a budget of their own.
//
// Body counts the body of an HTTP request. Listener counts the connections of a gRPC server, by the lengths
// of the HTTP/2 frames and gRPC messages that pass through: the transport itself has no such bound.
package budget
