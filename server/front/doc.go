// Package front is the door to the world: it listens, tells gRPC from HTTP by the first bytes of a connection,
// answers CORS, and gives each request to the door that its path names.
//
// A plain-text port splits its connections: one that begins with HTTP/2's preface is gRPC, all others are HTTP/1.1.
// Bodies must come in time, connections that can't be taken for want of files are taken later, and no client can stop
// a port.
//
// Over TLS both arrive as HTTP/2, and gRPC is told by its content type.
package front
