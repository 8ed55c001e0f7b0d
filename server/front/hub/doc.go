// Package hub is the Emulator Hub of `clave start` and `clave exec`: the port at which tools of the Emulator Suite find what runs
// where (rules-unit-testing, the Firebase CLI) and have data exported (firebase emulators:export), and the locator, a file in the
// folder of temporary files by which they find that port. It has the parts from its options, and no data.
package hub
