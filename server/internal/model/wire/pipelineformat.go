package wire

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/request"
	pb "clave/server/internal/model/wire/firestorepb"
)

// PipelineResult is a response of ExecutePipeline.
type PipelineResult struct {
	// Transaction is the transaction that was begun.
	Transaction []byte
	// Rows are results.
	Rows []request.PipelineRow
	// ExecutionTime is the version that was read.
	ExecutionTime clock.Version
	// Explained is the text of an explained pipeline, empty if none was requested.
	Explained string
}

// Append appends the wire form.
func (r *PipelineResult) Append(dst []byte) ([]byte, error) {
	a := appender{b: dst}
	a.bytes(pb.FieldExecutePipelineResponseTransaction, r.Transaction)
	for i := range r.Rows {
		at := a.open(pb.FieldExecutePipelineResponseResults)
		a.named(r.Rows[i].Name(), r.Rows[i].Document)
		a.shut(at)
	}
	a.version(pb.FieldExecutePipelineResponseExecutionTime, r.ExecutionTime)
	if stats := r.stats(); stats != nil {
		b, err := proto.Marshal(stats)
		if err != nil {
			return dst, err
		}
		a.message(pb.FieldExecutePipelineResponseExplainStats, b)
	}
	return a.end(dst)
}

// AppendJSON appends the JSON.
func (r *PipelineResult) AppendJSON(dst []byte) ([]byte, error) {
	a := jsonAppender{b: dst}
	a.open()
	a.token("transaction", r.Transaction)
	if len(r.Rows) > 0 {
		a.member("results")
		a.b = append(a.b, '[')
		for i := range r.Rows {
			a.next()
			a.named(r.Rows[i].Name(), r.Rows[i].Document)
		}
		a.b = append(a.b, ']')
	}
	a.version("executionTime", r.ExecutionTime)
	if stats := r.stats(); stats != nil {
		a.member("explainStats")
		var err error
		if a.b, err = AppendJSON(a.b, stats); err != nil {
			return dst, err
		}
	}
	a.shut()
	return a.end(dst)
}

// Message returns the message.
func (r *PipelineResult) Message() proto.Message {
	out := &pb.ExecutePipelineResponse{Transaction: r.Transaction, ExecutionTime: formatTime(r.ExecutionTime), ExplainStats: r.stats()}
	for i := range r.Rows {
		d := r.Rows[i].Document
		out.Results = append(out.Results, &pb.Document{
			Name: r.Rows[i].Name(), Fields: FormatFields(d.Fields), CreateTime: formatTime(d.CreateTime), UpdateTime: formatTime(d.UpdateTime),
		})
	}
	return out
}

// stats returns the message about an explained pipeline, or nil.
func (r *PipelineResult) stats() *pb.ExplainStats {
	if r.Explained == "" {
		return nil
	}
	data, err := anypb.New(wrapperspb.String(r.Explained))
	if err != nil {
		return nil
	}
	return &pb.ExplainStats{Data: data}
}
