// Package events delivers changes of documents to services of one's own, as CloudEvents by HTTP, at least once.
//
// A Service has a receiver for each trigger of an events file. A receiver follows the log of its database from a cursor, which is
// the version up to which no event of it is missing, and which is kept in the store. An event whose delivery fails is written to the
// store too, and tried again from there, so that it holds up neither the cursor nor other documents; after so many tries, or so
// long, it is a dead letter, which stays until it is retried. Receivers do not depend on each other, and commits do not depend on
// receivers.
//
// The invariant: for one trigger, the events of a document are delivered one at a time, in the order of commits; what a crash
// repeats begins with an event that was delivered already, or with the next. Dead letters alone come later, when they are retried.
//
// What is kept for a receiver is bounded: what waits in memory, what waits in the store, and how long the log is kept. A receiver that
// is further behind loses events, which is logged as an error and shown by Status.
//
// Keys in the store, with NAME for a trigger's and V for a version of eight bytes:
//
//	events/cursor/NAME             the cursor (JSON)
//	events/meta/NAME 00 V PATH     an event that waits, or a dead letter: all but its body (JSON)
//	events/body/NAME 00 V PATH     its body
package events
