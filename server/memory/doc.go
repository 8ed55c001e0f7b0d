// Package memory decides how much memory the program uses and makes the garbage collector keep to it.
//
// Limit finds how much there may be: the configured limit, otherwise that of the control group or the machine. PlanFor
// divides it. A Governor runs while the program does: the heap may grow fast while little of it is live, and slowly when
// much is, so that garbage stays a bounded part of the resident set; pages that the heap does not need before the next
// cycle of the collector are returned to the system, and when a burst of work is over, what it took.
//
// The program is built without cgo, so the storage engine's cache and tables in memory are part of Go's heap.
package memory
