// Package listen implements live queries: it sends the results of a stream's targets, first completely and then change
// by change, from the engine's feed of commits.
//
// A Hub has one feed reader for each database with listeners (feedreader.go). The feed reader takes the commits in the
// order of versions and finds the views that a changed document may affect (routes.go): by the document's name, its
// collection, its collection's id, and by one equality of the query, before it compares anything. A view (view.go) is
// one query or one set of documents, however many listeners it has; its change is computed once and shared. A view
// without limit has no state: a commit has the document before and after. A view with a limit or an offset has a window
// (window.go) of the first documents in the query's order and some more, and queries the engine when they run out.
//
// The first snapshot of a query is kept for a while (first_snapshot.go), so that many clients that open it one after
// the other, as after a restart, cost one query and one encoding.
//
// A Stream (stream.go) serves one client. Its Run (run.go) does all the work in one goroutine: it opens targets, sends
// the changes that the feed reader has put into its queue, and re-authorizes its targets when Reauthorize is called.
// The queue is bounded. If a client is too slow, the queue is discarded and the client's targets are reset, without
// effect on other clients. A client that reads nothing for a minute is dropped.
//
// The invariant: when a global snapshot (Event of kind Snapshot) of version V is sent, the client's documents of every
// current target are the results of the target's query at V. So all changes of one commit are sent before the snapshot
// of its version, and a target is opened at a version that all other targets of the stream have reached.
//
// The package does not depend on callers and rules. The Authorization of a target decides whether it may be shown; the
// zero Authorization denies. A decision is made for a version, and before a commit is sent it is made again if the
// commit changes what it depends on (authorization.go). Whether the content of a document that leaves a query is sent
// is decided for each client.
package listen
