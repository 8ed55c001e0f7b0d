// Package engine stores documents: reads at a version, execution of query plans, transactions, commits and the feed of
// commits. It does not depend on callers and rules: the Check of a commit authorizes it.
//
// The versions of one database are totally ordered. A commit (commit.go) that has its locks and was checked joins the
// queue of the sequencer (sequence.go). The sequencer assigns versions, writes all waiting commits in one synced batch,
// and then makes them visible to readers and subscribers. So readers see whole commits in order, which are on disk, and
// a commit is acknowledged when it is on disk and visible.
//
// The latest documents and their index entries are stored under ordered keys (package keys), as records (package
// records). The past is reconstructed from the log of commits (package past). A query is planned (package planner), and
// its plan is executed (package execute) on ranges of index entries (package scan) or on the hierarchy of documents
// (package walk). Transactions lock documents and ranges of queries (package locks).
//
// The rest shares one mutex, Engine.mu: the present view, the versions, the feeds of commits and the open databases
// change together, so that a reader or a new subscription never gets a version whose view lacks it.
package engine
