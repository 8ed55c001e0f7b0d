// Package seed describes the data of a project in files that people write, and brings a project to that state.
//
// A seed has documents and accounts, in JSON, in YAML, or as the value of a JavaScript or TypeScript module, which Node
// evaluates in the user's own project. Load reads seeds into a Seed. A Target is a project of a server that is reached
// by the public REST APIs of Firestore and Identity Toolkit: Clave, the official emulators, or a server of production
// with a credential. Compare returns the differences between a seed and a target, and Apply writes only those.
//
// doc/lab.md describes the format.
package seed
