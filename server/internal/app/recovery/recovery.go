// Package recovery lists and restores the versions of documents, and clones databases as they were, beside a running
// server: commands send requests to a socket in its data folder.
package recovery

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
	"clave/server/internal/database/engine"
	"clave/server/internal/httpx/controlsocket"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// socketName is the socket in the data folder of a running server.
const socketName = "history.sock"

// newID matches the ids of databases that Firestore lets users create.
var newID = pattern.New(`^[a-z][a-z0-9-]{2,61}[a-z0-9]$`)

// mostVersions is the maximum number of versions that are listed, and mostBytes that of their documents in JSON.
const (
	mostVersions = 10_000
	mostBytes    = 64 << 20
)

// Request is a request for the versions of a document, the restoring of one, or a copy of a database.
type Request struct {
	// Database is the id of a database of the server's project.
	Database string `json:"database"`
	// Path is the path of the document of which versions are listed. With At, its version of that time is restored.
	Path string `json:"path,omitempty"`
	// To is the id of the database that is created as Database was at a time; the zero time means now.
	To string    `json:"to,omitempty"`
	At time.Time `json:"at"`
}

// Answer is the result of a request.
type Answer struct {
	// Since is the time after which the versions are complete, or after which the database can be read.
	Since time.Time `json:"since"`
	// Versions are the versions of a document, the oldest first.
	Versions []Version `json:"versions,omitempty"`
	// Documents is the number of documents of the copy.
	Documents int64 `json:"documents,omitempty"`
	// Absent is set if the restored version is that the document was absent, so that it was deleted.
	Absent bool `json:"absent,omitempty"`
	// Window, Bytes and MaxBytes describe the history of the server, if the request names neither a document nor a
	// copy.
	Window   time.Duration `json:"window,omitempty"`
	Bytes    int64         `json:"bytes,omitempty"`
	MaxBytes int64         `json:"maxBytes,omitempty"`
}

// Version is a version of a document.
type Version struct {
	Time time.Time `json:"time"`
	// Before and After are the fields before and after the commit in their REST form; nil means absent.
	Before map[string]json.RawMessage `json:"before,omitempty"`
	After  map[string]json.RawMessage `json:"after,omitempty"`
}

// Recovery answers requests.
type Recovery struct {
	Engine  *engine.Engine
	Project string
}

// Listen opens the socket in a data folder.
func (r *Recovery) Listen(data string) (*controlsocket.Listener, error) {
	return controlsocket.Listen(data, socketName, r.Answer)
}

// Send sends a request to the server that runs on a data folder.
func Send(ctx context.Context, data string, in Request) (out Answer, err error) {
	err = controlsocket.Request(ctx, data, socketName, in, &out)
	if errors.Is(err, controlsocket.ErrNoServer) {
		return out, fault.Wrap(err, fault.FailedPrecondition,
			"%s: no server runs on this data folder, or it does not lead. Name another folder with --data, or start the server.", data)
	}
	return out, err
}

// Answer answers a request.
func (r *Recovery) Answer(ctx context.Context, in Request) (out Answer, err error) {
	db := resource.Database{Project: r.Project, ID: in.Database}
	if err := checkID(in.Database); err != nil {
		return out, err
	}
	out.Since = r.Engine.Earliest(db).Time()
	var at clock.Version
	if !in.At.IsZero() {
		at = clock.VersionOf(in.At)
	}
	switch {
	case in.To != "":
		if !newID.MatchString(in.To) {
			return out, fault.E(fault.InvalidArgument, "%q can't be the id of a new database: expected 4 to 63 lower-case letters, digits and hyphens, such as before-the-mistake", in.To)
		}
		out.Documents, err = r.Engine.Clone(ctx, db, resource.Database{Project: r.Project, ID: in.To}, at)
	case in.Path == "":
		h := r.Engine.HistoryState()
		out.Window, out.Bytes, out.MaxBytes = h.Window, h.Bytes, h.MaxBytes
	default:
		name, parseErr := resource.ParseDocument(db.Root() + "/" + in.Path)
		if parseErr != nil {
			return out, parseErr
		}
		if at != 0 {
			out.Absent, err = r.restore(ctx, name, at)
			return out, err
		}
		out.Versions, err = r.versions(ctx, name)
	}
	return out, err
}

// checkID refuses an id that no database can have.
func checkID(id string) error {
	_, err := resource.ParseDatabase("projects/p/databases/" + id)
	return err
}

// versions returns the latest versions of a document.
func (r *Recovery) versions(ctx context.Context, name resource.Document) (out []Version, err error) {
	size := 0
	_, err = r.Engine.History(ctx, name, func(v clock.Version, c document.Change) error {
		next := Version{Time: v.Time()}
		for _, side := range []struct {
			d  *document.Document
			to *map[string]json.RawMessage
		}{{c.Before, &next.Before}, {c.After, &next.After}} {
			fields, n, err := fieldsOf(side.d)
			if err != nil {
				return err
			}
			*side.to = fields
			size += n
		}
		if out = append(out, next); len(out) > mostVersions || size > mostBytes {
			return fault.E(fault.ResourceExhausted, "%s has too many versions to list. Read it at a time with an SDK's readTime.", name.Path)
		}
		return nil
	})
	return out, err
}

// fieldsOf returns the fields of a document in their REST form, not nil for a document, and the size of the text.
func fieldsOf(d *document.Document) (fields map[string]json.RawMessage, size int, err error) {
	if d == nil {
		return nil, 0, nil
	}
	text, err := wire.AppendDocumentJSON(nil, d)
	if err != nil {
		return nil, 0, err
	}
	parsed := struct {
		Fields map[string]json.RawMessage `json:"fields"`
	}{Fields: map[string]json.RawMessage{}}
	err = json.Unmarshal(text, &parsed)
	return parsed.Fields, len(text), err
}

// restore writes a document as it was at a version, and reports whether it was absent then, so that it was deleted.
func (r *Recovery) restore(ctx context.Context, name resource.Document, at clock.Version) (absent bool, err error) {
	reading, err := r.Engine.Read(ctx, name.DB, request.At{ReadTime: at})
	if err != nil {
		return false, err
	}
	d, err := reading.Get(ctx, name)
	reading.Close()
	if err != nil {
		return false, err
	}
	w := document.Write{Op: document.Delete, Name: name}
	if d != nil {
		w = document.Write{Name: name, Fields: d.Fields, Layout: d.Layout}
	}
	_, err = r.Engine.Commit(ctx, name.DB, request.Commit{Writes: []document.Write{w}}, engine.Unrestricted())
	return d == nil, err
}
