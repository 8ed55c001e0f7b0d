// Package download copies a live project of Firebase, or of another server with the same APIs, into a folder that
// package transfer imports: documents, accounts, rules and indexes.
//
// All documents are read as they were at one time, the read time, which the first call of a download determines. Each
// database is read in partitions at once. A partition is read by queries of all documents below the root, whatever
// their collection, so that documents under missing parents are read too. Their results are written to files of some
// thousand documents; after each file the state, a file of JSON in the folder, has the last document as cursor. A
// process that is killed loses one file of each partition, and the next one continues at the cursors, at the same read
// time. The folder is an export only when it is complete.
//
// The package knows nothing of a target. No credential is written or logged.
package download
