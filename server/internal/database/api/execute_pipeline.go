package api

import (
	"context"
	"fmt"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/pipeline"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
)

// A response of ExecutePipeline has at most rowsOfResponse results, or bytesOfResponse and the last one.
const (
	rowsOfResponse  = 200
	bytesOfResponse = 256 << 10
)

// ExecutePipeline sends the results of a pipeline, and the read time with the last of them. It is for databases of the
// Enterprise edition.
func (s *Server) ExecutePipeline(ctx context.Context, c token.Caller, db resource.Database, r request.Pipeline, send func(*wire.PipelineResult) error) error {
	if s.o.Enterprise == nil || !s.o.Enterprise(db) {
		return fault.E(fault.InvalidArgument, "ExecutePipeline requires the Database Edition to be `enterprise`.")
	}
	p, err := pipeline.Compile(db, r.Stages)
	if err != nil {
		return err
	}
	mode, most, err := executionOptions(r.Options)
	if err != nil {
		return err
	}
	if mode != "" {
		if err := s.o.Authorizer.MayExplain(c, db); err != nil {
			return err
		}
	}
	read := authz.PipelineRead{Pipeline: p, At: r.At, AutoCommit: r.AutoCommit, Most: most}
	var stats pipeline.Stats
	last := &wire.PipelineResult{}
	if p.Kind() != pipeline.Reads {
		var out authz.Written
		out, stats, err = s.o.Authorizer.WritePipeline(ctx, c, db, read)
		last.Transaction, last.ExecutionTime = out.Transaction, out.Version
		last.Rows = []request.PipelineRow{{Document: &document.Document{Fields: value.Map{"documents_modified": value.Int(out.Modified)}}}}
	} else {
		run := &pipelineRun{send: send}
		stats, err = s.o.Authorizer.Pipeline(ctx, c, db, read, run.open, run.result)
		last.Rows, last.ExecutionTime = run.rows, run.at
	}
	if err != nil {
		return err
	}
	if mode != "" {
		last.Explained = fmt.Sprintf("Execution:\n results returned: %d\n documents read: %d\n%s%s", stats.Results, stats.Read, stats.Scans.Describe(), p.Describe())
	}
	return send(last)
}

// executionOptions reads the options of an execution: the mode of explain, and the memory that it may hold.
func executionOptions(options map[string]request.Expression) (mode string, most int64, err error) {
	if e, ok := options["explain_options"]; ok {
		c, _ := e.(request.Constant)
		m, _ := c.Value.(value.Map)
		text, _ := m["mode"].(value.String)
		switch text {
		case "analyze", "execute", "":
		default:
			return "", 0, fault.E(fault.Unimplemented, "The mode %s of explain is not implemented.", text)
		}
		if text == "analyze" {
			mode = "analyze"
		}
	}
	if e, ok := options["memory_limit"]; ok {
		c, _ := e.(request.Constant)
		n, ok := c.Value.(value.Int)
		if !ok || n <= 0 {
			return "", 0, fault.E(fault.InvalidArgument, "The option memory_limit must be a number of bytes.")
		}
		most = int64(n)
	}
	return mode, most, nil
}

// pipelineRun sends the responses of one pipeline.
type pipelineRun struct {
	send func(*wire.PipelineResult) error
	rows []request.PipelineRow
	size int
	at   clock.Version
}

// open is called before the first result.
func (r *pipelineRun) open(snapshot authz.Snapshot) error {
	r.at = snapshot.Version
	if len(snapshot.Transaction) == 0 {
		return nil
	}
	return r.send(&wire.PipelineResult{Transaction: snapshot.Transaction})
}

// result adds a result, and sends those that make a response.
func (r *pipelineRun) result(x request.PipelineRow) error {
	r.rows = append(r.rows, x)
	r.size += value.Size(x.Document.Fields)
	if len(r.rows) < rowsOfResponse && r.size < bytesOfResponse {
		return nil
	}
	out := &wire.PipelineResult{Rows: r.rows, ExecutionTime: r.at}
	r.rows, r.size = nil, 0
	return r.send(out)
}
