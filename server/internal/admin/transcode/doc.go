// Package transcode turns calls of gRPC into requests over HTTP, and the JSON that answers these into messages, by the
// annotations google.api.http of the methods. So a method that a route serves has no code of its own for gRPC.
package transcode
