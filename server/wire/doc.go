// Package wire converts messages of the contract, in binary and JSON form, to values, documents, writes and queries and
// back, and errors to statuses. Only the tables here map a fault.Code to gRPC, HTTP and JSON.
//
// Parse functions return InvalidArgument with Firestore's texts. Format functions can't fail. Append functions encode
// values and documents without a message in between, and fail for values that messages can't hold. Nothing here reads
// or stores documents.
package wire
