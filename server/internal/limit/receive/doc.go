// Package receive bounds the memory of requests that are being received, over all transports together. A request needs
// no credentials and costs the sender little, so without a bound a few hundred large ones would fill the memory.
//
// A Hold is one request, or one connection that carries several. It takes what it receives from the Budget and returns
// it. When the budget is used up, a Hold waits for a moment and is then refused. Meanwhile holds that receive too
// slowly are evicted: clients that begin large requests and do not complete them must not block others. Small requests
// have a budget of their own.
//
// Body counts the body of an HTTP request. Listener counts the connections of a gRPC server, by the lengths
// of the HTTP/2 frames and gRPC messages that pass through: the transport itself has no such bound.
package receive
