// Package front listens on the ports: it distinguishes gRPC from HTTP by how a connection begins, answers CORS preflights, and
// routes each request to the handler that its path names.
//
// A port splits its connections, so that gRPC has a transport of its own. In the clear one that begins with HTTP/2's
// preface is gRPC, all others are HTTP/1.1. Under TLS one whose client offers HTTP/2 alone is gRPC, as gRPC clients do; browsers
// and HTTP libraries offer HTTP/1.1, too. A gRPC call that comes by such a connection is known by its content type.
// Bodies must come in time, connections that can't be taken for want of files are taken later, and no client can stop
// a port.
package front
