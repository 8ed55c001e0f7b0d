// Package engine keeps documents: reads at a version, query plans and their runs, transactions, the commit and the
// feed of commits. It has no notion of callers and rules: the Check of a commit decides who may do what.
//
// The versions of one database are totally ordered. A commit takes its locks in the order of names, reads the latest documents,
// calls the check, evaluates preconditions, and joins the queue of the sequencer (sequence.go), which gives versions,
// writes all that waits in one synced batch and then shows it to readers and subscribers. So a reader's state always
// is that of whole commits that are on disk, in order, and a commit is acknowledged when both are true of it.
//
// Latest documents and their index entries are kept under ordered keys (package keys); the past is rebuilt from the log of
// changes (history.go). A query is planned (package planner), and its run reads ranges of index entries and the documents it returns (run.go, rows.go, scan.go).
package engine
