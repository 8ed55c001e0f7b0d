// Package pgstore is a storage engine that several nodes share: PostgreSQL keeps a log of all batches, and each node a replica of
// what the log makes, in Pebble, from which it reads.
//
// One node leads, by a lease in PostgreSQL, and alone writes: Apply inserts a row of the log where the lease is still its own and where the
// row before is the one it has applied, and then applies the batch to its replica. An insert whose outcome is unknown, as when a
// connection breaks, is looked up by its id. So what Apply has acknowledged is in PostgreSQL, in one order, whoever leads. The others
// follow the log, and wait for the lease.
//
// In the background the leader writes the log behind into a table of keys and values, which a new replica begins with, and
// drops what is written and old. Keys that can be derived from others are not in that table.
//
// Versions of commits are moments. Clock gives a leader moments that none of its predecessors has given, whatever the machines' clocks
// show: it reserves them ahead in the lease.
package pgstore
