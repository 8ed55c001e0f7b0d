// Package readindex is the protocol by which nodes that follow a leader serve strong reads from their replicas: a
// Reader at each node that follows, and an Issuer at the node that leads.
//
// A read that must see everything that was acknowledged before it waits for a read index, which the Reader requests
// from the leader for all reads that wait. The index names the last row of the log, the versions of databases and the
// rules in force. The read begins once the node's replica has that row and its rules are those of the leader.
//
// While nothing is written, the leader grants leases (readlease): until its end, a lease stands for the indexes of all
// reads. For that, and so that the replica follows at once, each Reader always has one request at the leader that waits
// for the next row of the log.
//
// What serves the reads is a Stack, opened on a state of the replica. It ends when the node was out of contact for the
// lease of a leader, since another node may lead by then; when its rules differ from the leader's for longer than a
// release takes; and when the node is about to lead. Then another one is opened.
//
// The package knows neither connections (cluster/forward) nor the store (store/postgres): it needs a Log, a Leader and
// a Stack.
package readindex
