package download

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/terminal"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/suite/transfer"
)

// maxMessage is the maximum size in bytes of a message of Firestore: a document has at most 1 MiB.
const maxMessage = 16 << 20

// chunkTime is the time limit of a query that reads a file's documents.
const chunkTime = 5 * time.Minute

// dial returns a connection to Firestore, which connects at the first call.
func (d *download) dial() (*grpc.ClientConn, error) {
	u, err := url.Parse(d.o.Endpoints[APIFirestore])
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidArgument, "the endpoint of Firestore is not a URL: %v", err)
	}
	secure, port := insecure.NewCredentials(), "80"
	if u.Scheme == "https" {
		secure, port = credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12}), "443"
	}
	host := u.Host
	if u.Port() == "" {
		host += ":" + port
	}
	options := []grpc.DialOption{grpc.WithTransportCredentials(secure), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage))}
	return grpc.NewClient(host, append(options, d.o.Dial...)...)
}

// outgoing returns the context of a call about a database, with its authorization and the headers by which Firestore
// routes it.
func (d *download) outgoing(ctx context.Context, db resource.Database) (context.Context, error) {
	header, err := d.authorization(ctx)
	if err != nil {
		return nil, err
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", header, "google-cloud-resource-prefix", db.String(),
		"x-goog-request-params", "project_id="+url.QueryEscape(db.Project)+"&database_id="+url.QueryEscape(db.ID)), nil
}

// called returns the error of a call of Firestore with its code.
func called(err error) error {
	if err == nil {
		return nil
	}
	s, _ := status.FromError(err)
	return fault.Wrap(err, fault.Code(s.Code()), "%s", terminal.Text(s.Message()))
}

// all returns the query of all documents of a database, by their names.
func all() *pb.StructuredQuery {
	return &pb.StructuredQuery{
		From:    []*pb.StructuredQuery_CollectionSelector{{AllDescendants: true}},
		OrderBy: []*pb.StructuredQuery_Order{{Field: &pb.StructuredQuery_FieldReference{FieldPath: "__name__"}, Direction: pb.StructuredQuery_ASCENDING}},
	}
}

// cursor returns the position before or after a document.
func cursor(name string, before bool) *pb.Cursor {
	return &pb.Cursor{Values: []*pb.Value{{ValueType: &pb.Value_ReferenceValue{ReferenceValue: name}}}, Before: before}
}

// present returns the present time of a database, as the project has it.
func (d *download) present(ctx context.Context, db resource.Database) (at time.Time, err error) {
	q := all()
	q.Limit = wrapperspb.Int32(1)
	err = d.retry(ctx, "the first query", func() (bool, error) {
		ctx, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		ctx, err := d.outgoing(ctx, db)
		if err != nil {
			return false, err
		}
		stream, err := d.calls.RunQuery(ctx, &pb.RunQueryRequest{Parent: db.Root(), QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: q}})
		if err != nil {
			return false, called(err)
		}
		m, err := stream.Recv()
		if err != nil {
			return false, called(err)
		}
		if at = m.GetReadTime().AsTime(); m.GetReadTime() == nil {
			return false, fault.E(fault.DataLoss, "the first query has no read time")
		}
		return false, nil
	})
	return at, readable(err)
}

// readable adds to a refusal by Firestore what the operator has to do.
func readable(err error) error {
	switch code := fault.CodeOf(err); {
	case err == nil:
	case code == fault.PermissionDenied:
		return fault.Wrap(err, code, "the documents cannot be read: %s The service account needs the role Cloud Datastore Viewer (roles/datastore.viewer)", fault.FromError(err).Message)
	case code == fault.Unauthenticated:
		return fault.Wrap(err, code, "the key of the service account is refused: %s", fault.FromError(err).Message)
	}
	return err
}

// partitions returns partitions of a database. A server that cannot divide it has one.
func (d *download) partitions(ctx context.Context, db resource.Database) ([]*partition, error) {
	request := &pb.PartitionQueryRequest{
		Parent: db.Root(), QueryType: &pb.PartitionQueryRequest_StructuredQuery{StructuredQuery: all()}, PartitionCount: int64(max(d.o.Sizes.Partitions-1, 1)),
		ConsistencySelector: &pb.PartitionQueryRequest_ReadTime{ReadTime: timestamppb.New(d.s.ReadTime)},
	}
	var points []resource.Document
	for more := true; more; more = request.GetPageToken() != "" {
		var response *pb.PartitionQueryResponse
		err := d.retry(ctx, "the partitions of "+db.ID, func() (bool, error) {
			ctx, cancel := context.WithTimeout(ctx, callTime)
			defer cancel()
			ctx, err := d.outgoing(ctx, db)
			if err == nil {
				response, err = d.calls.PartitionQuery(ctx, request)
				err = called(err)
			}
			return false, err
		})
		if fault.Is(err, fault.InvalidArgument) || fault.Is(err, fault.Unimplemented) {
			points = nil
			break
		}
		if err != nil {
			return nil, d.tooOld(readable(err))
		}
		for _, c := range response.GetPartitions() {
			if len(c.GetValues()) == 0 {
				continue
			}
			point, err := wire.ParseDocumentName(db, c.GetValues()[0].GetReferenceValue())
			if err != nil {
				return nil, fault.Wrap(err, fault.DataLoss, "a partition of %s cannot be read: %v", db.ID, err)
			}
			points = append(points, point)
		}
		request.PageToken = response.GetNextPageToken()
	}
	// The pages of partitions have no order among each other.
	slices.SortFunc(points, resource.CompareDocuments)
	points = slices.Compact(points)
	parts := []*partition{{}}
	for _, p := range points {
		parts[len(parts)-1].End = p.String()
		parts = append(parts, &partition{Start: p.String()})
	}
	return parts, nil
}

// documents downloads the documents of all databases.
func (d *download) documents(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(d.o.Sizes.Workers)
	for _, s := range d.s.Databases {
		db := d.s.database(s)
		for i, p := range s.Partitions {
			group.Go(func() error {
				for !p.Done {
					err := d.retry(ctx, "the documents of "+db.ID, func() (bool, error) { return d.chunk(ctx, db, i, p) })
					if err != nil {
						return d.tooOld(readable(err))
					}
				}
				return nil
			})
		}
	}
	return group.Wait()
}

// tooOld adds to a refusal of the read time by Firestore what the operator can do.
func (d *download) tooOld(err error) error {
	var theirs interface{ GRPCStatus() *status.Status }
	if !errors.As(err, &theirs) {
		return err
	}
	if code := fault.CodeOf(err); code == fault.FailedPrecondition || code == fault.InvalidArgument || code == fault.OutOfRange {
		return fault.Wrap(err, code, "the documents as of %s cannot be read: %s. A project without point-in-time recovery keeps an hour only. "+
			"Turn it on for a longer download and give --read-time, a whole minute of the last days; or remove %s, and begin again.",
			d.s.ReadTime.Format(time.RFC3339Nano), fault.FromError(err).Message, d.o.Dir)
	}
	return err
}

// query returns the query of the documents of a partition that are not downloaded, as many as a file has.
func (d *download) query(p *partition) *pb.StructuredQuery {
	q := all()
	switch {
	case p.Cursor != "":
		q.StartAt = cursor(p.Cursor, false)
	case p.Start != "":
		q.StartAt = cursor(p.Start, true)
	}
	if p.End != "" {
		q.EndAt = cursor(p.End, true)
	}
	q.Limit = wrapperspb.Int32(int32(d.o.Sizes.Documents)) //nolint:gosec // some thousand
	return q
}

// chunk downloads one file of a partition and records it. It reports whether it has downloaded anything, also if the
// query has failed after that.
func (d *download) chunk(ctx context.Context, db resource.Database, n int, p *partition) (progress bool, err error) {
	calling, cancel := context.WithTimeout(ctx, chunkTime)
	defer cancel() // It also ends a query of which a part was read.
	calling, err = d.outgoing(calling, db)
	if err != nil {
		return false, err
	}
	stream, err := d.calls.RunQuery(calling, &pb.RunQueryRequest{
		Parent: db.Root(), QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: d.query(p)},
		ConsistencySelector: &pb.RunQueryRequest_ReadTime{ReadTime: timestamppb.New(d.s.ReadTime)},
	})
	if err != nil {
		return false, called(err)
	}
	c := &chunk{db: db, after: p.Cursor}
	failed := c.read(stream, func() (*transfer.DocumentFile, error) {
		return d.out.CreateDocuments(db, fmt.Sprintf("output-%d-%d", n, len(p.Outputs)))
	}, d.o.Sizes.Bytes)
	if c.file != nil {
		err := c.file.Close()
		if c.broken {
			return false, failed
		}
		if err != nil {
			return false, err
		}
	}
	if failed != nil && c.documents == 0 {
		return false, failed
	}
	return true, errors.Join(d.record(p, c, fmt.Sprintf("output-%d-%d", n, len(p.Outputs))), failed)
}

// chunk is one file of documents that is being downloaded.
type chunk struct {
	db resource.Database
	// after is the name of the last document.
	after string
	file  *transfer.DocumentFile
	// documents counts those that were read.
	documents int64
	refused   []transfer.Refused
	// ended is set if the query has ended, and broken if the file cannot be written.
	ended, broken bool
}

// read writes the documents of a query, until a file has as many bytes as it may have.
func (c *chunk) read(stream grpc.ServerStreamingClient[pb.RunQueryResponse], create func() (*transfer.DocumentFile, error), bytes int64) error {
	for c.file == nil || c.file.Bytes < bytes {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			c.ended = true
			return nil
		}
		if err != nil {
			return called(err)
		}
		if m.GetDocument() == nil {
			continue // A message may only have a time, or say that results were skipped.
		}
		if c.file == nil {
			if c.file, err = create(); err != nil {
				return err
			}
		}
		if err := c.add(m.GetDocument()); err != nil {
			c.broken = true
			return err
		}
	}
	return nil
}

// add writes a document, or records that it can't be read.
func (c *chunk) add(d *pb.Document) error {
	name, err := wire.ParseDocumentName(c.db, d.GetName())
	if last, lastErr := resource.ParseDocument(c.after); c.documents == 0 && err == nil && lastErr == nil && resource.CompareDocuments(last, name) >= 0 {
		// The download would have no end.
		return fault.E(fault.DataLoss, "a query of the documents after %s has returned %s", c.after, d.GetName())
	}
	c.documents++
	c.after = d.GetName()
	var fields value.Value
	if err == nil {
		fields, err = wire.ParseValue(&pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: d.GetFields()}}})
	}
	if err != nil {
		c.refused = append(c.refused, transfer.Refused{Kind: transfer.KindDocuments, Name: d.GetName(), Reason: fault.FromError(err).Message})
		return nil
	}
	m, _ := fields.(value.Map)
	return c.file.Add(&document.Document{Name: name, Fields: m})
}

// record records a file of a partition, if it has one.
func (d *download) record(p *partition, c *chunk, name string) error {
	d.s.mu.Lock()
	defer d.s.mu.Unlock()
	if c.file != nil {
		p.Outputs = append(p.Outputs, name)
		p.Documents += c.file.Documents
		p.Bytes += c.file.Bytes
		p.Cursor = c.after
	}
	// Only an empty answer is an end: a server may answer with less than the limit.
	p.Done = c.ended && c.documents == 0
	p.Read += c.documents
	d.s.RefusedNumber += int64(len(c.refused))
	d.s.Refused = append(d.s.Refused, c.refused[:min(len(c.refused), maxRefused-len(d.s.Refused))]...)
	if err := d.s.write(); err != nil {
		return err
	}
	d.o.Progress(d.s.documents())
	return nil
}
