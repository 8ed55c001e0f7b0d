// Package api implements the calls of google.firestore.v1.Firestore on messages, independently of the transport.
// Each call has a file: it parses the request, calls authz and formats the response. Streaming calls pass their
// responses to a send function; bidirectional streams use Stream.
package api

import (
	"errors"
	"sync/atomic"

	"google.golang.org/protobuf/types/known/timestamppb"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// Options configure a server.
type Options struct {
	// Authorizer authorizes and executes operations.
	Authorizer *authz.Authorizer
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
}

// Validate returns an error if a required option is missing.
func (o *Options) Validate() error {
	if o.Authorizer == nil {
		return errors.New("database/api: no authorizer")
	}
	return nil
}

// Server implements the calls. It is safe for concurrent use.
type Server struct {
	o Options
	// snapshot is the latest snapshot of a Listen stream as JSON.
	snapshot atomic.Pointer[snapshotJSON]
}

// New returns a server.
func New(o Options) (*Server, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Server{o: o}, nil
}

// parseAt parses the consistency of a read: the latest state, a transaction, which is nil if none is named, or a time.
// begin, if not nil, begins a new transaction, which is read-only by default.
func parseAt(transaction []byte, readTime *timestamppb.Timestamp, begin *pb.TransactionOptions) (at request.At, err error) {
	if transaction != nil && len(transaction) == 0 {
		return at, fault.E(fault.InvalidArgument, "Invalid transaction.")
	}
	at.Transaction = transaction
	if at.ReadTime, err = parseReadTime(readTime); err != nil {
		return at, err
	}
	if begin != nil {
		o, err := parseTransactionOptions(begin)
		if err != nil {
			return at, err
		}
		if begin.GetMode() == nil {
			o.ReadOnly = true
		}
		at.Begin = &o
	}
	return at, nil
}

// parseReadTime parses a read time, which must have a precision of microseconds. It returns 0 for nil.
func parseReadTime(t *timestamppb.Timestamp) (clock.Version, error) {
	if t.GetNanos()%1000 != 0 {
		return 0, fault.E(fault.InvalidArgument, "The requested 'read_time' cannot have a precision finer than microseconds.")
	}
	v, err := wire.ParseVersion(t)
	if err == nil && t != nil && v <= 0 {
		return 0, fault.E(fault.InvalidArgument, "The requested 'read_time' cannot be before database creation time.")
	}
	return v, err
}

// parseTransactionOptions parses the options of a transaction, which is read-write by default.
func parseTransactionOptions(o *pb.TransactionOptions) (out request.TransactionOptions, err error) {
	switch mode := o.GetMode().(type) {
	case *pb.TransactionOptions_ReadOnly_:
		out.ReadOnly = true
		out.ReadTime, err = parseReadTime(mode.ReadOnly.GetReadTime())
	case *pb.TransactionOptions_ReadWrite_:
		out.Retry = mode.ReadWrite.GetRetryTransaction()
		out.Optimistic = mode.ReadWrite.GetConcurrencyMode() == pb.TransactionOptions_OPTIMISTIC
	}
	return out, err
}

// parseDatabase parses the database of a request.
func parseDatabase(name string) (resource.Database, error) {
	return resource.ParseDatabase(name)
}

// writeRequest is a request that writes to one database.
type writeRequest interface {
	GetDatabase() string
	GetWrites() []*pb.Write
}

// parseWrites parses the database and the writes of a request.
func parseWrites(r writeRequest) (resource.Database, []document.Write, error) {
	db, err := parseDatabase(r.GetDatabase())
	if err != nil {
		return db, nil, err
	}
	writes, err := wire.ParseWrites(db, r.GetWrites())
	return db, writes, err
}

// ignoreSnapshot is for reads whose snapshot is not sent.
func ignoreSnapshot(authz.Snapshot) error { return nil }
