// Package official calls other servers of Firestore with the generated client.
package official

import (
	"context"
	"strings"

	"google.golang.org/grpc"
)

// Names is a connection on which the methods of this program's copy of the API have their official names.
type Names struct{ Conn *grpc.ClientConn }

// name returns the official name of a method.
func name(method string) string { return strings.Replace(method, "/clave.", "/google.", 1) }

// Invoke implements grpc.ClientConnInterface.
func (n Names) Invoke(ctx context.Context, method string, in, out any, options ...grpc.CallOption) error {
	return n.Conn.Invoke(ctx, name(method), in, out, options...)
}

// NewStream implements grpc.ClientConnInterface.
func (n Names) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, options ...grpc.CallOption) (grpc.ClientStream, error) {
	return n.Conn.NewStream(ctx, desc, name(method), options...)
}
