// Package heap sets the memory limit of the program and adjusts the garbage collector to it.
//
// Limit returns the limit: the configured one, otherwise that of the control group or the machine. PlanFor divides it.
// A Governor runs as long as the program. It lets the heap grow fast while little of it is live, and slowly while much
// is live, so that garbage is a bounded part of the resident set. It returns to the system the pages that the heap does
// not need before the next cycle of the collector, and the memory of a burst of work after the burst.
//
// The program is built without cgo, so the storage engine's cache and tables in memory are part of Go's heap.
package heap
