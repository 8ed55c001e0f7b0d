// Package control answers the routes that only `clave start` has: tests and tools clear and bring back data with
// them, as with the official emulators. Each file holds the routes of one thing, as a handler that gives what is not
// its own to the next.
package control
