// Package wire converts Firestore's messages, in binary and JSON form, to values, documents, writes and queries and
// back, and errors to statuses. Only the tables here map a fault.Code to gRPC, HTTP and JSON. Parse functions return
// InvalidArgument with Firestore's texts. Format functions cannot fail. Append functions encode values and documents
// without an intermediate message, and fail for values that messages cannot contain. The package neither reads nor
// stores documents.
package wire
