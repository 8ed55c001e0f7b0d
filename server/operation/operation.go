// Package operation has the requests that callers make of a database and their results. The engine carries them out; the guard passes
// them on; the methods of Firestore make them of messages.
package operation

import (
	"clave/server/clock"
	"clave/server/document"
)

// At is the moment that a read is of. The zero value is the latest.
type At struct {
	// Transaction is the transaction to read in.
	Transaction []byte
	// ReadTime is the version to read at.
	ReadTime clock.Version
	// Begin, if not nil, begins a transaction to read in.
	Begin *TransactionOptions
}

// TransactionOptions are the kinds of transactions.
type TransactionOptions struct {
	// ReadOnly is a transaction that reads one version and can't write.
	ReadOnly bool
	// ReadTime is the version that a read-only transaction reads; the latest when zero.
	ReadTime clock.Version
	// Retry is the transaction that this one does again; it keeps its place among those that wait.
	Retry []byte
	// Optimistic takes no locks on reads; what was read is compared when it commits.
	Optimistic bool
	// Client identifies who begins an optimistic transaction, such as a user or an address: how many each has open is bounded. Those
	// without a name count as one client.
	Client string
}

// Commit is what to commit.
type Commit struct {
	// Writes are done in order, all or none.
	Writes []document.Write
	// Transaction is the transaction that ends with the commit, or none.
	Transaction []byte
}

// CommitResult is what a commit did.
type CommitResult struct {
	// Version is the commit's.
	Version clock.Version
	// Results are the writes' results, in their order.
	Results []document.Result
}

// WriteStatus is what one write of a BatchWrite did.
type WriteStatus struct {
	// Result is its result, if Err is nil.
	Result document.Result
	// Err is why it was not done.
	Err error
}
