// Package firestorepb holds the messages and the service of Firestore's gRPC interface, generated from Google's
// public protos (Apache License 2.0) with three changes: their package is clave.firestore.v1, so that a program may
// link the public package beside this one; annotations for other tools are left out; and Write has the member
// verify, which the Web SDK sends and the public protos lack. On the wire the service is
// google.firestore.v1.Firestore; front/grpcd registers it under that name.
package firestorepb

// Generating needs protoc, protoc-gen-go v1.36.12, protoc-gen-go-grpc v1.6.2 and, for google/type and google/rpc,
// a copy of github.com/googleapis/googleapis at $GOOGLEAPIS.
//go:generate protoc -I clave/firestore/v1=. -I $GOOGLEAPIS --go_out=. --go_opt=module=clave/server/wire/firestorepb --go-grpc_out=. --go-grpc_opt=module=clave/server/wire/firestorepb clave/firestore/v1/aggregation_result.proto clave/firestore/v1/bloom_filter.proto clave/firestore/v1/common.proto clave/firestore/v1/document.proto clave/firestore/v1/explain_stats.proto clave/firestore/v1/firestore.proto clave/firestore/v1/pipeline.proto clave/firestore/v1/query.proto clave/firestore/v1/query_profile.proto clave/firestore/v1/write.proto
