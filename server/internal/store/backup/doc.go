// Package backup copies a data folder and restores copies.
//
// A copy is itself a data folder: the store as of one moment, and the keys, with a list of all files, their sizes and
// checksums. It is written under a temporary name first, so a folder with the final name is complete. The next copy
// to the same place, and the next start on the data folder, remove the remains of a killed process. Only the running
// server can open its store, so it listens on a socket in its data folder, which only the folder's owner can open, and
// makes the copy on request. A restore copies the files of the list and nothing else. It is marked while it is in
// progress, verified, and undone if it fails.
package backup
