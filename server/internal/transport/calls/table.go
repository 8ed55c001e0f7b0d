package calls

import (
	"clave/server/internal/database/api"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// All are the calls. A call needs no other place: the transports and the nodes know it from here.
var All = []*Call{
	{
		Name: "GetDocument", Brief: true, Reads: true, Pins: pins(pb.FieldGetDocumentRequestTransaction, pb.FieldGetDocumentRequestReadTime),
		method: one(message(&form[pb.GetDocumentRequest, request.Get]{
			func(r *pb.GetDocumentRequest, at Place) { r.Name = at.Name() }, (*pb.GetDocumentRequest).GetName, wire.ParseGetDocument,
		}), (*api.Server).GetDocument),
	},
	{
		Name: "ListDocuments", Brief: true, Reads: true, Pins: pins(pb.FieldListDocumentsRequestTransaction, pb.FieldListDocumentsRequestReadTime),
		method: one(message(&form[pb.ListDocumentsRequest, request.Documents]{
			func(r *pb.ListDocumentsRequest, at Place) { r.Parent, r.CollectionId = at.Collection() }, (*pb.ListDocumentsRequest).GetParent, wire.ParseListDocuments,
		}), (*api.Server).ListDocuments),
	},
	{Name: "CreateDocument", HasBody: true, method: one(func() decoder[request.Create] { return new(create) }, (*api.Server).CreateDocument)},
	{Name: "UpdateDocument", HasBody: true, method: one(func() decoder[request.Update] { return new(update) }, (*api.Server).UpdateDocument)},
	{
		Name: "DeleteDocument",
		method: one(message(&form[pb.DeleteDocumentRequest, document.Write]{
			func(r *pb.DeleteDocumentRequest, at Place) { r.Name = at.Name() }, (*pb.DeleteDocumentRequest).GetName, wire.ParseDeleteDocument,
		}), (*api.Server).DeleteDocument),
	},
	{
		Name: "BatchGetDocuments", Verb: "batchGet", HasBody: true, Reads: true,
		Pins: pins(pb.FieldBatchGetDocumentsRequestTransaction, pb.FieldBatchGetDocumentsRequestNewTransaction, pb.FieldBatchGetDocumentsRequestReadTime),
		method: many(message(&form[pb.BatchGetDocumentsRequest, request.Get]{
			func(r *pb.BatchGetDocumentsRequest, at Place) { r.Database = at.Database() }, (*pb.BatchGetDocumentsRequest).GetDatabase, wire.ParseBatchGet,
		}), (*api.Server).BatchGetDocuments),
	},
	{
		Name: "BeginTransaction", Verb: "beginTransaction", HasBody: true,
		method: one(message(&form[pb.BeginTransactionRequest, request.TransactionOptions]{
			func(r *pb.BeginTransactionRequest, at Place) { r.Database = at.Database() }, (*pb.BeginTransactionRequest).GetDatabase, wire.ParseBegin,
		}), (*api.Server).BeginTransaction),
	},
	{Name: "Commit", Verb: "commit", HasBody: true, method: one(newCommit, (*api.Server).Commit)},
	{
		Name: "Rollback", Verb: "rollback", HasBody: true,
		method: one(message(&form[pb.RollbackRequest, []byte]{
			func(r *pb.RollbackRequest, at Place) { r.Database = at.Database() }, (*pb.RollbackRequest).GetDatabase, wire.ParseRollback,
		}), (*api.Server).Rollback),
	},
	{
		Name: "RunQuery", Verb: "runQuery", OnDocument: true, HasBody: true, Reads: true,
		Pins: pins(pb.FieldRunQueryRequestTransaction, pb.FieldRunQueryRequestNewTransaction, pb.FieldRunQueryRequestReadTime),
		method: many(message(&form[pb.RunQueryRequest, request.Query]{
			func(r *pb.RunQueryRequest, at Place) { r.Parent = at.Name() }, (*pb.RunQueryRequest).GetParent, wire.ParseRunQuery,
		}), (*api.Server).RunQuery),
	},
	{
		Name: "ExecutePipeline", Verb: "executePipeline", HasBody: true,
		method: many(message(&form[pb.ExecutePipelineRequest, request.Pipeline]{
			func(r *pb.ExecutePipelineRequest, at Place) { r.Database = at.Database() }, (*pb.ExecutePipelineRequest).GetDatabase, wire.ParseExecutePipeline,
		}), (*api.Server).ExecutePipeline),
	},
	{
		Name: "RunAggregationQuery", Verb: "runAggregationQuery", OnDocument: true, HasBody: true, Reads: true,
		Pins: pins(pb.FieldRunAggregationQueryRequestTransaction, pb.FieldRunAggregationQueryRequestNewTransaction, pb.FieldRunAggregationQueryRequestReadTime),
		method: many(message(&form[pb.RunAggregationQueryRequest, request.Aggregate]{
			func(r *pb.RunAggregationQueryRequest, at Place) { r.Parent = at.Name() }, (*pb.RunAggregationQueryRequest).GetParent, wire.ParseRunAggregation,
		}), (*api.Server).RunAggregationQuery),
	},
	{
		Name: "PartitionQuery", Verb: "partitionQuery", OnDocument: true, HasBody: true,
		method: one(message(&form[pb.PartitionQueryRequest, request.Partition]{
			func(r *pb.PartitionQueryRequest, at Place) { r.Parent = at.Name() }, (*pb.PartitionQueryRequest).GetParent, wire.ParsePartition,
		}), (*api.Server).PartitionQuery),
	},
	{
		Name: "ListCollectionIds", Verb: "listCollectionIds", OnDocument: true, HasBody: true, Reads: true, Pins: pins(pb.FieldListCollectionIdsRequestReadTime),
		method: one(message(&form[pb.ListCollectionIdsRequest, request.Collections]{
			func(r *pb.ListCollectionIdsRequest, at Place) { r.Parent = at.Name() }, (*pb.ListCollectionIdsRequest).GetParent, wire.ParseListCollections,
		}), (*api.Server).ListCollectionIds),
	},
	{Name: "BatchWrite", Verb: "batchWrite", HasBody: true, method: one(newBatchWrite, (*api.Server).BatchWrite)},
	{Name: "Write", Verb: "write", method: streams(newWrite, (*api.Server).Write)},
	{Name: "Listen", Verb: "listen", method: streams(newListen, (*api.Server).Listen)},
}
