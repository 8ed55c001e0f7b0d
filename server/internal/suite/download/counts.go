package download

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	pb "clave/server/internal/model/wire/firestorepb"
)

// countTime is the time limit of a count. Firestore itself ends those of large databases after a minute.
const countTime = 90 * time.Second

// counts compares the number of the downloaded documents of each database with the count of the project as of the read
// time. A database that cannot be counted, for example because it is too large, is not compared.
func (d *download) counts(ctx context.Context) error {
	for _, s := range d.s.Databases {
		var read int64
		for _, p := range s.Partitions {
			read += p.Read
		}
		counted, err := d.count(ctx, d.s.database(s))
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			d.o.Log.Warn("the documents of the project are not counted", "database", s.ID, "error", err)
		case counted != read:
			return fault.E(fault.DataLoss, "the project counts %d documents in %s, and %d were downloaded. Remove %s, and begin again.", counted, s.ID, read, d.o.Dir)
		}
	}
	return nil
}

// count returns the number of the documents of a database as of the read time.
func (d *download) count(ctx context.Context, db resource.Database) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	ctx, err := d.outgoing(ctx, db)
	if err != nil {
		return 0, err
	}
	const alias = "documents"
	stream, err := d.calls.RunAggregationQuery(ctx, &pb.RunAggregationQueryRequest{
		Parent: db.Root(), ConsistencySelector: &pb.RunAggregationQueryRequest_ReadTime{ReadTime: timestamppb.New(d.s.ReadTime)},
		QueryType: &pb.RunAggregationQueryRequest_StructuredAggregationQuery{StructuredAggregationQuery: &pb.StructuredAggregationQuery{
			QueryType: &pb.StructuredAggregationQuery_StructuredQuery{StructuredQuery: all()},
			Aggregations: []*pb.StructuredAggregationQuery_Aggregation{{
				Alias: alias, Operator: &pb.StructuredAggregationQuery_Aggregation_Count_{Count: &pb.StructuredAggregationQuery_Aggregation_Count{}},
			}},
		}},
	})
	if err != nil {
		return 0, called(err)
	}
	m, err := stream.Recv()
	if err != nil {
		return 0, called(err)
	}
	n, ok := m.GetResult().GetAggregateFields()[alias].GetValueType().(*pb.Value_IntegerValue)
	if !ok {
		return 0, fault.E(fault.DataLoss, "the answer to a count has none")
	}
	return n.IntegerValue, nil
}
