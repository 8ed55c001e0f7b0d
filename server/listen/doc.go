// Package listen keeps live queries: it sends each stream what its targets show, first completely and then change by
// change, from the engine's feed of commits.
//
// A Hub has one follower for each database that is listened to (follower.go). It takes the commits in the order of
// versions and finds the views that a changed document may concern (routes.go): by the document's name, its collection,
// its collection's id, and by one equality of the query, before anything is compared. A view (view.go) is one query or
// one set of documents, however many listeners it has; its change is worked out once and the result shared. A view
// without limit keeps no state: a commit carries the document before and after. A view with a limit or an offset keeps a
// window (window.go) of the first documents in the query's order and some more, and queries the engine when they run out.
//
// What a query shows first is kept for a while (first_snapshot.go), so that clients who open it one after the other, as all do
// after a restart, cost one query and one encoding.
//
// A Stream (stream.go) is one client's. Its Run does everything for it in one goroutine: it opens targets, writes what
// the follower has left in its queue, and authorizes its targets again when Reauthorize is called. The queue is bounded; a client that is too
// slow loses it and its targets are reset, at no cost to anybody else; one that takes nothing for a minute is dropped.
//
// The invariant: when a global snapshot (Event of kind Snapshot) of version V is sent, the documents that the client
// has for every current target are what the target's query gives at V. So all changes of one commit come before the
// snapshot of its version, and a target is opened at a version that all other targets of the stream have reached.
//
// The package has no notion of callers and rules. The Authorization that comes with a target decides whether it may be shown;
// one without a decision denies.
package listen
