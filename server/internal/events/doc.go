// Package events delivers document changes to the operator's services, as CloudEvents over HTTP, at least once.
//
// A Service has a receiver for each trigger of an events file. A receiver follows the log of its database from a
// cursor. The cursor is the version up to which all of the receiver's events were delivered or stored, and it is kept
// in the store. An event whose delivery fails is written to the store and retried from there, so it delays neither the
// cursor nor other documents. After a configured number of attempts or a configured time, it becomes a dead letter,
// which stays until it is retried. Receivers do not depend on each other, and commits do not depend on receivers.
//
// The invariant: for one trigger, the events of a document are delivered one at a time, in the order of commits. After
// a crash, delivery continues with the next event or repeats earlier ones in order. Only retried dead letters arrive
// out of order.
//
// The events of a receiver in memory and in the store are bounded, and so is the age of the log. A receiver that falls
// further behind loses events; the loss is logged as an error and shown by Status.
//
// Keys in the store, where NAME is the name of a trigger and V a version of eight bytes:
//
//	events/cursor/NAME             the cursor (JSON)
//	events/meta/NAME 00 V PATH     a pending event or a dead letter without its body (JSON)
//	events/body/NAME 00 V PATH     its body
package events
