// Package port serves the ports: it distinguishes gRPC from HTTP by the first bytes of a connection, responds to CORS
// preflights, and routes each request to the handler of its path.
//
// A port splits its connections, so that gRPC has a transport of its own. Without TLS a connection that begins with
// HTTP/2's preface is gRPC, and all others are HTTP/1.1. With TLS a connection whose client offers only HTTP/2 is gRPC;
// browsers and HTTP libraries offer HTTP/1.1 too. A gRPC call on such a connection is recognized by its content type.
// Small writes of HTTP/2 are joined. Bodies must arrive in time, a lack of file descriptors only delays new
// connections, and no client can stop a port.
package port
