// Package seed fills an empty project with demonstration data: accounts and documents, read from JSON files, with dates
// relative to the day they are loaded. It uses the Firebase Admin SDK only, so it fills any implementation of the
// contract.
//
// The files' format is described in emulator-config/README.md, beside the files.
package seed
