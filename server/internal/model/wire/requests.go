package wire

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	pb "clave/server/internal/model/wire/firestorepb"
)

// The functions below parse the messages of requests that have no writes, and return the database beside the request.

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
	v, err := ParseVersion(t)
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

// parseExplain parses the options of an explained query. It returns nil for nil.
func parseExplain(o *pb.ExplainOptions) *request.Explain {
	if o == nil {
		return nil
	}
	return &request.Explain{Analyze: o.GetAnalyze()}
}

// ParseGetDocument parses a request of GetDocument.
func ParseGetDocument(r *pb.GetDocumentRequest) (db resource.Database, out request.Get, err error) {
	name, err := resource.ParseDocument(r.GetName())
	if err != nil {
		return db, out, err
	}
	if out.At, err = parseAt(r.GetTransaction(), r.GetReadTime(), nil); err != nil {
		return db, out, err
	}
	out.Names = []resource.Document{name}
	out.Mask, err = ParseAnswerMask(r.GetMask())
	return name.DB, out, err
}

// ParseBatchGet parses a request of BatchGetDocuments.
func ParseBatchGet(r *pb.BatchGetDocumentsRequest) (db resource.Database, out request.Get, err error) {
	if db, err = resource.ParseDatabase(r.GetDatabase()); err != nil {
		return db, out, err
	}
	out.Names = make([]resource.Document, len(r.GetDocuments()))
	for i, name := range r.GetDocuments() {
		if out.Names[i], err = ParseDocumentName(db, name); err != nil {
			return db, out, err
		}
	}
	if out.At, err = parseAt(r.GetTransaction(), r.GetReadTime(), r.GetNewTransaction()); err != nil {
		return db, out, err
	}
	out.Mask, err = ParseAnswerMask(r.GetMask())
	return db, out, err
}

// ParseListDocuments parses a request of ListDocuments.
func ParseListDocuments(r *pb.ListDocumentsRequest) (db resource.Database, out request.Documents, err error) {
	if db, out.Parent, err = resource.ParseParent(r.GetParent()); err != nil {
		return db, out, err
	}
	if out.At, err = parseAt(r.GetTransaction(), r.GetReadTime(), nil); err != nil {
		return db, out, err
	}
	out.Collection, out.Orders, out.ShowMissing = r.GetCollectionId(), r.GetOrderBy(), r.GetShowMissing()
	out.Page = request.Page{Size: r.GetPageSize(), Token: r.GetPageToken()}
	out.Mask, err = ParseAnswerMask(r.GetMask())
	return db, out, err
}

// ParseDeleteDocument parses a request of DeleteDocument.
func ParseDeleteDocument(r *pb.DeleteDocumentRequest) (db resource.Database, out document.Write, err error) {
	out.Op = document.Delete
	if out.Name, err = resource.ParseDocument(r.GetName()); err != nil {
		return db, out, err
	}
	out.Precondition, err = ParsePrecondition(r.GetCurrentDocument())
	return out.Name.DB, out, err
}

// ParseBegin parses a request of BeginTransaction.
func ParseBegin(r *pb.BeginTransactionRequest) (db resource.Database, out request.TransactionOptions, err error) {
	if db, err = resource.ParseDatabase(r.GetDatabase()); err != nil {
		return db, out, err
	}
	out, err = parseTransactionOptions(r.GetOptions())
	return db, out, err
}

// ParseRollback parses a request of Rollback.
func ParseRollback(r *pb.RollbackRequest) (db resource.Database, transaction []byte, err error) {
	db, err = resource.ParseDatabase(r.GetDatabase())
	return db, r.GetTransaction(), err
}

// ParseRunQuery parses a request of RunQuery.
func ParseRunQuery(r *pb.RunQueryRequest) (db resource.Database, out request.Query, err error) {
	if r.GetStructuredQuery() == nil {
		return db, out, fault.E(fault.InvalidArgument, "only structured queries are supported")
	}
	if out.Query, err = ParseQuery(r.GetParent(), r.GetStructuredQuery()); err != nil {
		return db, out, err
	}
	out.Explain = parseExplain(r.GetExplainOptions())
	out.At, err = parseAt(r.GetTransaction(), r.GetReadTime(), r.GetNewTransaction())
	return out.Query.DB, out, err
}

// ParseRunAggregation parses a request of RunAggregationQuery.
func ParseRunAggregation(r *pb.RunAggregationQueryRequest) (db resource.Database, out request.Aggregate, err error) {
	if r.GetStructuredAggregationQuery() == nil {
		return db, out, fault.E(fault.InvalidArgument, "Only structured aggregation queries are supported.")
	}
	if out.Aggregation, err = ParseAggregation(r.GetParent(), r.GetStructuredAggregationQuery()); err != nil {
		return db, out, err
	}
	out.Explain = parseExplain(r.GetExplainOptions())
	out.At, err = parseAt(r.GetTransaction(), r.GetReadTime(), r.GetNewTransaction())
	return out.Aggregation.Query.DB, out, err
}

// ParsePartition parses a request of PartitionQuery.
func ParsePartition(r *pb.PartitionQueryRequest) (db resource.Database, out request.Partition, err error) {
	if r.GetStructuredQuery() == nil {
		return db, out, fault.E(fault.InvalidArgument, "only structured queries are supported")
	}
	if out.Query, err = ParseQuery(r.GetParent(), r.GetStructuredQuery()); err != nil {
		return db, out, err
	}
	out.Count, out.Page = r.GetPartitionCount(), request.Page{Size: r.GetPageSize(), Token: r.GetPageToken()}
	out.ReadTime, err = parseReadTime(r.GetReadTime())
	return out.Query.DB, out, err
}

// ParseListCollections parses a request of ListCollectionIds.
func ParseListCollections(r *pb.ListCollectionIdsRequest) (db resource.Database, out request.Collections, err error) {
	if db, out.Parent, err = resource.ParseParent(r.GetParent()); err != nil {
		return db, out, err
	}
	out.Page = request.Page{Size: r.GetPageSize(), Token: r.GetPageToken()}
	out.ReadTime, err = parseReadTime(r.GetReadTime())
	return db, out, err
}

// ParseWatch parses a message of a Listen stream of a database.
func ParseWatch(db resource.Database, r *pb.ListenRequest) (out request.Watch, err error) {
	switch change := r.GetTargetChange().(type) {
	case *pb.ListenRequest_AddTarget:
		t, refused := parseTarget(db, change.AddTarget)
		return request.Watch{Add: &t, Refused: refused}, nil
	case *pb.ListenRequest_RemoveTarget:
		return request.Watch{Remove: change.RemoveTarget}, nil
	default:
		return out, fault.E(fault.InvalidArgument, "A listen request must add or remove a target.")
	}
}

// parseTarget parses a target. With an error the result still has the target's id.
func parseTarget(db resource.Database, t *pb.Target) (out target.Target, err error) {
	out.ID, out.Once, out.Resume = t.GetTargetId(), t.GetOnce(), t.GetResumeToken()
	if out.ReadTime, err = ParseVersion(t.GetReadTime()); err != nil {
		return out, err
	}
	if n := t.GetExpectedCount(); n != nil {
		count := n.GetValue()
		out.Expected = &count
	}
	switch kind := t.GetTargetType().(type) {
	case *pb.Target_Query:
		out.Query, err = ParseQuery(kind.Query.GetParent(), kind.Query.GetStructuredQuery())
		switch {
		case err != nil:
			err = query.InStream(err)
		case out.Query.DB != db:
			err = fault.E(fault.InvalidArgument, "The query is not of the stream's database %q.", db.String())
		default:
			err = out.Query.CheckLive()
		}
	case *pb.Target_Documents:
		out.Documents, err = parseNames(db, kind.Documents.GetDocuments())
	case *pb.Target_PipelineQuery:
		err = fault.E(fault.Unimplemented, "Listening to pipelines is not implemented.")
	default:
		err = fault.E(fault.InvalidArgument, "A target must be a query or documents.")
	}
	return out, err
}

// parseNames parses the names of documents and removes duplicates.
func parseNames(db resource.Database, names []string) ([]resource.Document, error) {
	if len(names) == 0 {
		return nil, fault.E(fault.InvalidArgument, "A target of documents must name one.")
	}
	seen := make(map[resource.Document]bool, len(names))
	var out []resource.Document
	for _, name := range names {
		d, err := ParseDocumentName(db, name)
		if err != nil {
			return nil, err
		}
		if !seen[d] {
			seen[d] = true
			out = append(out, d)
		}
	}
	return out, nil
}
