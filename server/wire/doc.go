// Package wire turns messages of the contract into words (values, documents, writes, queries) and back, in their
// binary and their JSON form, and errors into statuses. The tables here are the only place that says how a
// fault.Code is said in gRPC, in HTTP and in JSON.
//
// Parse functions answer InvalidArgument with Firestore's texts; Format functions can't fail. Nothing here reads
// or writes documents.
package wire
