// Package postgres is a storage engine that several nodes share. PostgreSQL stores a log of all batches. Each node
// has a
// replica of the resulting state in Pebble, from which it reads.
//
// One node leads, by a lease in PostgreSQL, and only the leader writes: Apply inserts a row of the log, if the lease is
// still its own and the previous row is the one it has applied, and then applies the batch to its replica. An insert
// whose outcome is unknown, for example because a connection broke, is looked up by its id. So everything that Apply
// has acknowledged is in PostgreSQL, in one order, whichever node leads. The other nodes follow the log and wait for
// the lease.
//
// In the background the leader writes the log to a table of keys and values (write-behind), from which new replicas are
// built, and deletes old rows that were written. Keys that can be derived from others are not in that table.
//
// Versions of commits are times. Clock returns times that no former leader has assigned, whatever the machines' clocks
// show: the leader reserves them ahead in the lease.
package postgres
