// Package firestorepb holds the messages and the service of Firestore's gRPC interface, generated from Google's
// public protos (Apache License 2.0) with three changes: their package is clave.firestore.v1, so that a program may
// link the public package beside this one; annotations for other tools are left out; and Write has the member
// verify, which the Web SDK sends and the public protos lack. On the wire the service is
// google.firestore.v1.Firestore; transport/grpc registers it under that name.
package firestorepb

//go:generate go run -C ../../../../cmd/protogen .
