package console

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/console/docfile"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// postExport prepares the export of a query's documents and returns a token, with which its file can be requested once.
func (c *Console) postExport(in *call) (any, error) {
	var body struct {
		databaseBody
		Parent string          `json:"parent"`
		Query  json.RawMessage `json:"query"`
		Format string          `json:"format"`
		Name   string          `json:"name"`
	}
	db, err := in.decodeAt(&body, &body.databaseBody)
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
	e := &export{of: in.session, name: body.Name, mediaType: mediaTypes[body.Format]}
	e.write = func(ctx context.Context, in *call, e *export, to io.Writer) error {
		return c.writeDocuments(ctx, in.caller(q.DB.Project), e, documentsFile{q, body.Format}, to)
	}
	return c.addExport(e)
}

// mediaTypes holds the media types of the formats.
var mediaTypes = map[string]string{"json": "application/json", "csv": "text/csv; charset=utf-8"}

// addExport prepares an export and returns its token.
func (c *Console) addExport(e *export) (any, error) {
	token, err := c.exports.add(e, c.o.Clock.Now())
	return map[string]string{"export": token}, err
}

// postUsersExport prepares the export of all accounts of a project or of a tenant, in the form of firebase auth:export.
func (c *Console) postUsersExport(in *call) (any, error) {
	var body struct {
		Project string `json:"project"`
		Tenant  string `json:"tenant"`
		Name    string `json:"name"`
	}
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	e := &export{of: in.session, name: body.Name, mediaType: mediaTypes["json"]}
	e.write = func(ctx context.Context, in *call, e *export, to io.Writer) error {
		return c.writeUsers(ctx, in.account(body.Project, body.Tenant), e, to)
	}
	return c.addExport(e)
}

// getExport returns the progress of an export.
func (c *Console) getExport(in *call) (any, error) {
	e, state, err := c.exports.progress(in.query("export"), in.session)
	if e == nil {
		return nil, err
	}
	out := map[string]any{"state": state, "written": e.written.Load(), "columns": e.columns.Load()}
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
	h.Set("Content-Type", e.mediaType)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": e.name}))
	out := &timedWriter{w: in.w, c: c}
	buffered := bufio.NewWriterSize(out, exportBuffer)
	if err = e.write(ctx, in, e, buffered); err == nil {
		err = buffered.Flush()
	}
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

// documentsFile is a file of the documents of a query.
type documentsFile struct {
	query  *query.Query
	format string
}

// writeDocuments writes a file of documents. All of it is of one version of the database.
func (c *Console) writeDocuments(ctx context.Context, caller token.Caller, e *export, f documentsFile, out io.Writer) error {
	file, at := docfile.NewJSON(out, f.query.DB.Root()), request.At{}
	if f.format == "csv" {
		columns := docfile.Columns{}
		snapshot, err := c.readAll(ctx, caller, f.query, at, func(d *document.Document) error {
			e.columns.Add(1)
			return columns.Add(d.Fields)
		})
		if err != nil {
			return err
		}
		file, at.ReadTime = docfile.NewCSV(out, f.query.DB.Root(), columns), snapshot.Version
	}
	group := len(f.query.From) > 0 && f.query.From[0].AllDescendants
	_, err := c.readAll(ctx, caller, f.query, at, func(d *document.Document) error {
		e.written.Add(1)
		if group {
			return file.Write(d.Name.Path, d.Fields)
		}
		return file.Write(d.Name.ID(), d.Fields)
	})
	if err != nil {
		return err
	}
	return file.Close()
}

// usersPage is the number of accounts that are read at a time.
const usersPage = 1000

// writeUsers writes a file of accounts.
func (c *Console) writeUsers(ctx context.Context, about service.Call, e *export, to io.Writer) error {
	before, size, after := "{\n  \"users\": [", int64(usersPage), ""
	for more := true; more; {
		page, err := c.o.Accounts.BatchGet(ctx, about, &service.BatchGetRequest{MaxResults: &size, NextPageToken: &after})
		if err != nil {
			return err
		}
		for i := range page.Users {
			text, err := json.Marshal(&page.Users[i])
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(to, "%s\n    %s", before, text); err != nil {
				return err
			}
			before = ","
			e.written.Add(1)
		}
		after, more = page.NextPageToken, page.NextPageToken != ""
	}
	if e.written.Load() == 0 {
		_, err := io.WriteString(to, before+"]\n}\n")
		return err
	}
	_, err := io.WriteString(to, "\n  ]\n}\n")
	return err
}

// readAll runs the query of an export.
func (c *Console) readAll(ctx context.Context, caller token.Caller, q *query.Query, at request.At, yield func(*document.Document) error) (snapshot authz.Snapshot, err error) {
	open := func(s authz.Snapshot) error {
		snapshot = s
		return nil
	}
	_, err = c.o.Authorizer.Query(ctx, caller, q, at, open, func(d *document.Document) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("export: %w", err)
		}
		return yield(d)
	})
	return snapshot, err
}

// timedWriter is a response whose writes fail if the client does not receive them within a time limit.
type timedWriter struct {
	w http.ResponseWriter
	c *Console
	// began is set once a part has been sent.
	began bool
}

// Write sends a part of the response.
func (p *timedWriter) Write(part []byte) (int, error) {
	p.began = true
	control := http.NewResponseController(p.w)
	_ = control.SetWriteDeadline(p.c.o.Clock.Now().Add(exportWriteLimit)) // Not every transport has deadlines.
	n, err := p.w.Write(part)
	_ = control.SetWriteDeadline(time.Time{})
	return n, err
}
