// Package move moves data between a data folder and PostgreSQL.
//
// All keys of the store are copied, except derived keys, the
// position of a replica, and the release, since a folder's server uses its own files. Signing keys are files in a
// folder and keys of the store in PostgreSQL. Both sides are counted by kind with checksums, and the target is read
// back for that, before the move takes effect.
package move
