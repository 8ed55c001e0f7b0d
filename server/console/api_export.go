package console

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"clave/server/console/docfile"
	"clave/server/document"
	"clave/server/fault"
	"clave/server/guard"
	"clave/server/operation"
	"clave/server/token"
	"clave/server/wire"
	pb "clave/server/wire/firestorepb"
)

// postExport prepares the export of a query's documents and returns a token, with which its file can be requested once.
func (c *Console) postExport(in *call) (any, error) {
	var body struct {
		place
		Parent string          `json:"parent"`
		Query  json.RawMessage `json:"query"`
		Format string          `json:"format"`
		Name   string          `json:"name"`
	}
	db, err := in.decodeAt(&body, &body.place)
	if err != nil {
		return nil, err
	}
	if body.Format != "json" && body.Format != "csv" {
		return nil, fault.E(fault.InvalidArgument, "format must be json or csv.")
	}
	if len(body.Query) == 0 {
		return nil, fault.E(fault.InvalidArgument, "query is missing.")
	}
	var structured pb.StructuredQuery
	if err := wire.ParseJSON(body.Query, &structured); err != nil {
		return nil, err
	}
	q, err := wire.ParseQuery(strings.TrimSuffix(db.Root()+"/"+body.Parent, "/"), &structured)
	if err != nil {
		return nil, err
	}
	token, err := c.exports.add(&export{of: in.session, query: q, format: body.Format, name: body.Name}, c.o.Clock.Now())
	return map[string]string{"export": token}, err
}

// getExport returns the progress of an export.
func (c *Console) getExport(in *call) (any, error) {
	e, state, err := c.exports.progress(in.query("export"), in.session)
	if e == nil {
		return nil, err
	}
	out := map[string]any{"state": state, "documents": e.documents.Load(), "columns": e.columns.Load()}
	if err != nil {
		out["error"] = errorBody(err)
	}
	return out, nil
}

// deleteExport ends an export.
func (c *Console) deleteExport(in *call) (any, error) {
	return map[string]any{}, c.exports.stop(in.PathValue("id"), in.session)
}

// getExportFile sends the file of an export. If that fails halfway, the connection breaks, so that the browser does not
// take the part for the whole.
func (c *Console) getExportFile(in *call) (any, error) {
	ctx, cancel := context.WithCancel(in.Context())
	defer cancel()
	e, err := c.exports.begin(in.PathValue("id"), in.session, c.o.Clock.Now(), cancel)
	if err != nil {
		return nil, err
	}
	h := in.w.Header()
	h.Set("Content-Type", map[string]string{"json": "application/json", "csv": "text/csv; charset=utf-8"}[e.format])
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": e.name}))
	out := &patient{w: in.w, c: c}
	err = c.sendExport(ctx, in, e, out)
	c.exports.end(e, err, c.o.Clock.Now())
	switch {
	case err == nil:
		return nil, nil
	case out.began:
		c.logFailure(in.Request, err)
		panic(http.ErrAbortHandler)
	}
	h.Del("Content-Disposition")
	return nil, err
}

// sendExport writes the file of an export. All of it is of one version of the database.
func (c *Console) sendExport(ctx context.Context, in *call, e *export, to *patient) error {
	caller := in.caller(e.query.DB.Project)
	out := bufio.NewWriterSize(to, exportBuffer)
	file, at := docfile.NewJSON(out), operation.At{}
	if e.format == "csv" {
		columns := docfile.Columns{}
		snapshot, err := c.readAll(ctx, caller, e, at, func(d *document.Document) error {
			e.columns.Add(1)
			return columns.Add(d.Fields)
		})
		if err != nil {
			return err
		}
		file, at.ReadTime = docfile.NewCSV(out, columns), snapshot.Version
	}
	group := len(e.query.From) > 0 && e.query.From[0].AllDescendants
	_, err := c.readAll(ctx, caller, e, at, func(d *document.Document) error {
		e.documents.Add(1)
		if group {
			return file.Write(d.Name.Path, d.Fields)
		}
		return file.Write(d.Name.ID(), d.Fields)
	})
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return out.Flush()
}

// readAll runs the query of an export.
func (c *Console) readAll(ctx context.Context, caller token.Caller, e *export, at operation.At, yield func(*document.Document) error) (snapshot guard.Snapshot, err error) {
	open := func(s guard.Snapshot) error {
		snapshot = s
		return nil
	}
	_, err = c.o.Guard.Query(ctx, caller, e.query, at, open, func(d *document.Document) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("export: %w", err)
		}
		return yield(d)
	})
	return snapshot, err
}

// patient is a response whose writes fail if the client does not take them for a long time.
type patient struct {
	w http.ResponseWriter
	c *Console
	// began is set once a part has been sent.
	began bool
}

// Write sends a part of the response.
func (p *patient) Write(part []byte) (int, error) {
	p.began = true
	control := http.NewResponseController(p.w)
	_ = control.SetWriteDeadline(p.c.o.Clock.Now().Add(exportPatience)) // Not every transport has deadlines.
	n, err := p.w.Write(part)
	_ = control.SetWriteDeadline(time.Time{})
	return n, err
}
