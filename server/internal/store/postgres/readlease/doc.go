// Package readlease lets nodes that follow a leader read for a short time without a message to the leader for each
// read.
//
// The leader grants a lease to a node that has all rows of the log that the leader shows. The lease is a promise: while
// it lasts, no node shows a later row, and no write of one is acknowledged. So the node has everything that was
// acknowledged, without a further message.
//
// A change at the leader begins (Grants.Change), which recalls the leases and lets it grant none; is written; waits
// until no lease lasts (Change.Wait); is shown and acknowledged; and ends (Change.End).
//
// The messages are requests of a node, of which it sends the next one after it has processed the response to the last
// one, and the leader's responses, which it may defer. A response grants a lease, which replaces that of the response
// before, or grants none, which ends it: the next request confirms that. A leader that gets no further request waits
// for the end of the lease. So a node that is lost delays one change, by the duration of a lease.
//
// No clocks are compared. The leader measures a lease from the arrival of a request, and the node from the time at
// which it sent the request, which is earlier. The node's part is shorter by a margin for clocks that run at different
// rates. A leader grants no lease beyond the time for which it is certain to lead, so its successor needs no record of
// leases.
package readlease
