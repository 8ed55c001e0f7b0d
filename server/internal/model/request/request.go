// Package request defines requests to a database and their results. The methods of Firestore create requests from
// messages, package authz authorizes them, and the engine executes them.
package request

import (
	"clave/server/internal/base/clock"
	"clave/server/internal/model/document"
)

// At is the state that a read returns. The zero value is the latest state.
type At struct {
	// Transaction is the transaction to read in.
	Transaction []byte
	// Holder is who reads in it, as in TransactionOptions. It does not count without Transaction.
	Holder string
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
	// Retry is the transaction that this one repeats. This one takes its place among the waiting transactions.
	Retry []byte
	// Optimistic means that reads take no locks; the commit checks that the documents have not changed since.
	Optimistic bool
	// Client identifies the client of an optimistic transaction, such as a user or an address. The number of open
	// transactions of a client is limited. All transactions without a client count as one client's.
	Client string
	// Holder identifies who begins the transaction, and alone may use and end it. To others it is a transaction that has
	// ended.
	Holder string
}

// Commit is a request to commit writes.
type Commit struct {
	// Writes are applied in order, all or none.
	Writes []document.Write
	// Transaction is the transaction that ends with the commit, or none.
	Transaction []byte
	// Holder is who commits it, as in TransactionOptions. It does not count without Transaction.
	Holder string
}

// CommitResult is the result of a commit.
type CommitResult struct {
	// Version is the commit's.
	Version clock.Version
	// Results are the writes' results, in their order.
	Results []document.Result
}

// WriteStatus is the result of one write of a BatchWrite.
type WriteStatus struct {
	// Result is its result, if Err is nil.
	Result document.Result
	// Err is the reason if the write was not applied.
	Err error
}
