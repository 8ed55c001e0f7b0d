// Package control serves the routes that only `clave start` has: tests and tools clear, keep and restore data with
// them, as with the official emulators. New has the routes of Firestore's port (routes.go; one file for each part),
// Accounts those of Auth's, and SignInPages those of a site's.
package control
