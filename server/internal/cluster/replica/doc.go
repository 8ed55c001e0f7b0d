// Package replica serves reads at a node that does not lead.
//
// Its replica follows the log. On the replica run a following engine, the live queries, the authorizer, and the calls
// over gRPC and REST (Stack). A request that reads the latest state (forward.ReadingOf) waits until the replica has
// everything that was acknowledged before it (readindex). So documents, accounts, signing keys and rules include that.
// All other requests are forwarded, and so are reads while there is no read index.
//
// A lasting stream has no index of its own, but each of its reads does (engine.Options.Current). Streams end with
// UNAVAILABLE when the parts that serve reads end, and outlive changes of rules and indexes that are in the log.
package replica
