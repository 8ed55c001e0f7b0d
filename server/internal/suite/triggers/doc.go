// Package triggers delivers changes of documents and accounts to a functions emulator, as the official emulators do.
//
// A Dispatcher keeps the registered triggers. It follows the commits of each database that has a trigger and turns
// every changed document into one event for each trigger that matches. Events are built after the commit, from the
// documents before and after it, so functions receive only durable commits, and a slow or missing function never delays
// a commit.
//
// The invariant: for one trigger and one document, events are delivered one at a time, in the order of the commits.
// Different documents and different triggers are delivered in parallel. A failed delivery is logged and not retried,
// as in the official emulator.
//
// Recorded from the official emulator: a write without an effect makes no event; several writes of one document in a
// commit make one event with the document before and after the commit; a document that a commit creates and deletes
// makes none; clearing a database delivers deletions; registering a key again replaces its trigger; keys of the two
// generations are independent.
//
// The package does not depend on the engine. A Source supplies commits.
package triggers
