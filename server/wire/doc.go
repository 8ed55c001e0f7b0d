// Package wire turns messages of the contract into words (values, documents, writes, queries) and back, in their
// binary and their JSON form, and errors into statuses. The tables here are the only place that maps a
// fault.Code to gRPC, HTTP and JSON.
//
// Parse functions answer InvalidArgument with Firestore's texts; Format functions can't fail. Append functions write words without a
// message in between, and fail for what messages can't hold. Nothing here reads
// or writes documents.
package wire
