package wire

import (
	"strconv"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/document"
	pb "clave/server/internal/model/wire/firestorepb"
)

// The types below are the responses that contain documents or values. Their wire form and their JSON are encoded
// without an intermediate message. Each has three methods:
//
//   - Append appends the wire form,
//   - AppendJSON appends the JSON on one line, by proto3's JSON mapping,
//   - Message returns the message, for callers that need its parts.

// Document is a response with one document.
type Document document.Document

// Append appends the wire form.
func (d *Document) Append(dst []byte) ([]byte, error) {
	return AppendDocument(dst, (*document.Document)(d))
}

// AppendJSON appends the JSON.
func (d *Document) AppendJSON(dst []byte) ([]byte, error) {
	return AppendDocumentJSON(dst, (*document.Document)(d))
}

// Message returns the message.
func (d *Document) Message() proto.Message { return FormatDocument((*document.Document)(d)) }

// Page is the response of ListDocuments.
type Page struct {
	// Documents are the documents. A document without times is represented by its name alone.
	Documents []*document.Document
	// Next is the token of the next page, empty on the last one.
	Next string
}

// Append appends the wire form.
func (p *Page) Append(dst []byte) ([]byte, error) {
	a := appender{b: dst}
	for _, d := range p.Documents {
		a.inner(pb.FieldListDocumentsResponseDocuments, d)
	}
	a.string(pb.FieldListDocumentsResponseNextPageToken, p.Next, false)
	return a.end(dst)
}

// AppendJSON appends the JSON.
func (p *Page) AppendJSON(dst []byte) ([]byte, error) {
	a := jsonAppender{b: dst}
	a.open()
	if len(p.Documents) > 0 {
		a.member("documents")
		a.b = append(a.b, '[')
		for _, d := range p.Documents {
			a.next()
			a.document(d)
		}
		a.b = append(a.b, ']')
	}
	a.string("nextPageToken", p.Next)
	a.shut()
	return a.end(dst)
}

// Message returns the message.
func (p *Page) Message() proto.Message {
	out := &pb.ListDocumentsResponse{NextPageToken: p.Next}
	for _, d := range p.Documents {
		out.Documents = append(out.Documents, FormatDocument(d))
	}
	return out
}

// Found is the response of BatchGetDocuments for one document.
type Found struct {
	// Document is the document, nil if there is none.
	Document *document.Document
	// Missing is the name of a document that does not exist.
	Missing string
	// Transaction is the transaction that was begun.
	Transaction []byte
	// ReadTime is the version that was read, 0 if nothing was read yet.
	ReadTime clock.Version
}

// Append appends the wire form.
func (f *Found) Append(dst []byte) ([]byte, error) {
	a := appender{b: dst}
	if f.Document != nil {
		a.inner(pb.FieldBatchGetDocumentsResponseFound, f.Document)
	} else {
		a.string(pb.FieldBatchGetDocumentsResponseMissing, f.Missing, false)
	}
	a.bytes(pb.FieldBatchGetDocumentsResponseTransaction, f.Transaction)
	a.version(pb.FieldBatchGetDocumentsResponseReadTime, f.ReadTime)
	return a.end(dst)
}

// AppendJSON appends the JSON.
func (f *Found) AppendJSON(dst []byte) ([]byte, error) {
	a := jsonAppender{b: dst}
	a.open()
	if f.Document != nil {
		a.member("found")
		a.document(f.Document)
	} else {
		a.string("missing", f.Missing)
	}
	a.token("transaction", f.Transaction)
	a.version("readTime", f.ReadTime)
	a.shut()
	return a.end(dst)
}

// Message returns the message.
func (f *Found) Message() proto.Message {
	out := &pb.BatchGetDocumentsResponse{Transaction: f.Transaction, ReadTime: formatTime(f.ReadTime)}
	switch {
	case f.Document != nil:
		out.Result = &pb.BatchGetDocumentsResponse_Found{Found: FormatDocument(f.Document)}
	case f.Missing != "":
		out.Result = &pb.BatchGetDocumentsResponse_Missing{Missing: f.Missing}
	}
	return out
}

// Result is a response of RunQuery: one document, or information about the query.
type Result struct {
	// Document is the document, nil if there is none.
	Document *document.Document
	// Transaction is the transaction that was begun.
	Transaction []byte
	// ReadTime is the version that was read, 0 if nothing was read yet.
	ReadTime clock.Version
	// Skipped is the number of documents that the offset skipped.
	Skipped int32
	// Metrics are the metrics of an explained query.
	Metrics *Metrics
}

// Append appends the wire form.
func (r *Result) Append(dst []byte) ([]byte, error) {
	a := appender{b: dst}
	if r.Document != nil {
		a.inner(pb.FieldRunQueryResponseDocument, r.Document)
	}
	a.bytes(pb.FieldRunQueryResponseTransaction, r.Transaction)
	a.version(pb.FieldRunQueryResponseReadTime, r.ReadTime)
	a.varint(pb.FieldRunQueryResponseSkippedResults, uint64(int64(r.Skipped)))
	if r.Metrics != nil {
		metrics, err := proto.Marshal(r.Metrics.message())
		if err != nil {
			return dst, err
		}
		a.message(pb.FieldRunQueryResponseExplainMetrics, metrics)
	}
	return a.end(dst)
}

// AppendJSON appends the JSON.
func (r *Result) AppendJSON(dst []byte) ([]byte, error) {
	a := jsonAppender{b: dst}
	a.open()
	a.token("transaction", r.Transaction)
	if r.Document != nil {
		a.member("document")
		a.document(r.Document)
	}
	a.version("readTime", r.ReadTime)
	if r.Skipped != 0 {
		a.member("skippedResults")
		a.b = strconv.AppendInt(a.b, int64(r.Skipped), 10)
	}
	if r.Metrics != nil {
		a.member("explainMetrics")
		var err error
		if a.b, err = AppendJSON(a.b, r.Metrics.message()); err != nil {
			return dst, err
		}
	}
	a.shut()
	return a.end(dst)
}

// Message returns the message.
func (r *Result) Message() proto.Message {
	out := &pb.RunQueryResponse{
		Transaction: r.Transaction, ReadTime: formatTime(r.ReadTime), SkippedResults: r.Skipped, ExplainMetrics: r.Metrics.message(),
	}
	if r.Document != nil {
		out.Document = FormatDocument(r.Document)
	}
	return out
}

// Committed is the response of Commit.
type Committed struct {
	// Results are the results of the writes.
	Results []document.Result
	// Time is the version of the commit, 0 without writes.
	Time clock.Version
}

// Append appends the wire form.
func (c *Committed) Append(dst []byte) ([]byte, error) {
	a := appender{b: dst}
	a.results(pb.FieldCommitResponseWriteResults, c.Results)
	a.version(pb.FieldCommitResponseCommitTime, c.Time)
	return a.end(dst)
}

// AppendJSON appends the JSON.
func (c *Committed) AppendJSON(dst []byte) ([]byte, error) {
	a := jsonAppender{b: dst}
	a.open()
	a.results(c.Results)
	a.version("commitTime", c.Time)
	a.shut()
	return a.end(dst)
}

// Message returns the message.
func (c *Committed) Message() proto.Message {
	return &pb.CommitResponse{WriteResults: formatResults(c.Results), CommitTime: formatTime(c.Time)}
}

// Written is the response to a message of a Write stream.
type Written struct {
	Committed
	// StreamID is the id of the stream, in its first response only.
	StreamID string
	// StreamToken is the token of the response.
	StreamToken []byte
}

// Append appends the wire form.
func (w *Written) Append(dst []byte) ([]byte, error) {
	a := appender{b: dst}
	a.string(pb.FieldWriteResponseStreamId, w.StreamID, false)
	a.bytes(pb.FieldWriteResponseStreamToken, w.StreamToken)
	a.results(pb.FieldWriteResponseWriteResults, w.Results)
	a.version(pb.FieldWriteResponseCommitTime, w.Time)
	return a.end(dst)
}

// AppendJSON appends the JSON.
func (w *Written) AppendJSON(dst []byte) ([]byte, error) {
	a := jsonAppender{b: dst}
	a.open()
	a.string("streamId", w.StreamID)
	a.token("streamToken", w.StreamToken)
	a.results(w.Results)
	a.version("commitTime", w.Time)
	a.shut()
	return a.end(dst)
}

// Message returns the message.
func (w *Written) Message() proto.Message {
	return &pb.WriteResponse{
		StreamId: w.StreamID, StreamToken: w.StreamToken, WriteResults: formatResults(w.Results), CommitTime: formatTime(w.Time),
	}
}

// formatResults formats the results of a request's writes.
func formatResults(results []document.Result) []*pb.WriteResult {
	out := make([]*pb.WriteResult, len(results))
	for i, r := range results {
		out[i] = FormatResult(r)
	}
	return out
}

// formatTime formats a version as a time. It returns nil for 0.
func formatTime(v clock.Version) *timestamppb.Timestamp {
	if v == 0 {
		return nil
	}
	return FormatVersion(v)
}
