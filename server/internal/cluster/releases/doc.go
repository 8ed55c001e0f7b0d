// Package releases brings rules and indexes into force on nodes that share a store.
//
// The release in the store is authoritative; a
// node's own files supply rules and indexes that were never released, which is all of them at the first start. `clave
// deploy`, and SIGHUP at any node, check files and send them to a service of the leader. The leader builds the indexes,
// writes the release into the store, puts the rules in force and then responds. So a node with a state of the store has
// the release of that state, and a new leader begins with it. Texts that are in force already make no new release, so a
// request whose outcome is unknown can be repeated.
package releases
