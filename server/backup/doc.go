// Package backup copies a data folder and restores copies.
//
// A copy is a data folder itself: the store as it was at one moment, and beside it the keys. It is written under another
// name first, so that a folder with the copy's name is a whole copy, and the next copy removes what a killed process has left. A
// running server has its store for itself; so it listens on a socket in its data folder, which only the folder's owner can
// open, and makes the copy on request. A restore is marked while it is under way, verified, and undone when it fails.
package backup
