// Package conformance holds answers that were recorded from production Firestore and Authentication and from the
// official emulators, and the tests that send the same requests to the built program. README.md describes the data in
// testdata and where they come from.
//
// The tests start `clave start --memory` (the program that CLAVE_BIN names, or one built for the run) and need nothing
// else.
package conformance
