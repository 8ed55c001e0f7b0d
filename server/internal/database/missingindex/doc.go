// Package missingindex handles the indexes that queries lack: it writes them to the project's index files, shows them
// to the operator, and reports those of a node that does not lead to the leader, which builds them.
package missingindex
