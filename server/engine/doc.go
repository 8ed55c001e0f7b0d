// Package engine stores documents: reads at a version, execution of query plans, transactions, commits and the feed of
// commits. It has no notion of callers and rules: the Check of a commit authorizes it.
//
// The versions of one database are totally ordered. A commit takes its locks in the order of names, reads the latest
// documents, calls the check, evaluates preconditions, and joins the queue of the sequencer (sequence.go). The
// sequencer assigns versions, writes all waiting commits in one synced batch, and then makes them visible to readers
// and subscribers. So readers see whole commits in order, which are on disk, and a commit is acknowledged when it is on
// disk and visible.
//
// The latest documents and their index entries are stored under ordered keys (package keys). The past is reconstructed
// from the log of changes (history.go). A query is planned (package planner), and its run reads ranges of index entries
// and the documents it returns (run.go, rows.go, scan.go).
package engine
