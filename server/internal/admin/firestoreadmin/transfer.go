package firestoreadmin

import (
	"context"
	"slices"
	"strconv"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/folder"
	"clave/server/internal/model/resource"
	"clave/server/internal/suite/transfer"
)

// Transfers exports and imports the documents of a database. transfer.Transfer implements it.
type Transfers interface {
	// Blank reports whether an export may be written to a folder: it is absent or has nothing. It returns Unavailable,
	// with a text for clients, if that is not known at the moment.
	Blank(ctx context.Context, dir string) (bool, error)
	// ExportDocuments writes an export to a folder, and nothing if it fails.
	ExportDocuments(ctx context.Context, db resource.Database, dir string, sel transfer.Selection) (int64, error)
	// LoadDocuments imports the export in a folder, and nothing if the export is damaged.
	LoadDocuments(ctx context.Context, db resource.Database, dir string, sel transfer.Selection) error
}

// transferred is an operation that exports or imports documents.
type transferred struct {
	// Place is the place of the export, without a slash at its end.
	Place string `json:"place"`
	// Collections and Namespaces are those of the request.
	Collections []string `json:"collections,omitempty"`
	Namespaces  []string `json:"namespaces,omitempty"`
	// At is the time as of which documents are exported; zero for that at which the export is made.
	At time.Time `json:"at,omitzero"`
	// Progress is the progress. The one of an export is not stored before its end: a restart begins the export again.
	Progress transfer.Progress `json:"progress,omitzero"`
}

// transferRequest is the body of both methods.
type transferRequest struct {
	Name         string    `json:"name"`
	Collections  []string  `json:"collectionIds"`
	NamespaceIDs []string  `json:"namespaceIds"`
	Output       string    `json:"outputUriPrefix"`
	Input        string    `json:"inputUriPrefix"`
	SnapshotTime time.Time `json:"snapshotTime"`
}

// errNoExports is the error of a server without a folder of exports.
var errNoExports = fault.E(fault.FailedPrecondition, "This server has no folder of exports: start it with --admin-exports.")

// transferOf reads the request of an export or an import. uri names the field of the place.
func (a *API) transferOf(c *route.Call, uri string) (name string, of *transferred, err error) {
	if name, err = a.database(c); err != nil {
		return "", nil, err
	}
	var in transferRequest
	if err := c.Decode(&in); err != nil {
		return "", nil, err
	}
	place, other := in.Output, in.Input
	if uri == "input_uri_prefix" {
		place, other = in.Input, in.Output
	}
	if other != "" || uri == "input_uri_prefix" && !in.SnapshotTime.IsZero() {
		return "", nil, fault.E(fault.InvalidArgument, "Invalid JSON payload received. The request has a field of exports and one of imports.")
	}
	if err := checkGroups(in.Collections, in.NamespaceIDs); err != nil {
		return "", nil, err
	}
	if place, err = checkPlace(uri, place); err != nil {
		return "", nil, err
	}
	if a.o.Exports == "" {
		return "", nil, errNoExports
	}
	return name, &transferred{Place: place, Collections: in.Collections, Namespaces: in.NamespaceIDs, At: in.SnapshotTime.UTC()}, nil
}

// exportDocuments begins to export documents to a folder of the place. One that names a bucket gets a folder named
// after the time, as at Google.
func (a *API) exportDocuments(ctx context.Context, c *route.Call) (any, error) {
	name, of, err := a.transferOf(c, "output_uri_prefix")
	if err != nil {
		return nil, err
	}
	if !of.At.IsZero() {
		if err := a.checkSnapshot(c.Vars["database"], of.At); err != nil {
			return nil, err
		}
	}
	now := a.o.Clock.Now().UTC()
	if isBucket(of.Place) {
		of.Place += "/" + now.Format("2006-01-02T15:04:05") + "_" + strconv.Itoa(10000+now.Nanosecond()/1e5%90000)
	}
	blank, err := a.o.Transfers.Blank(ctx, a.folderOf(of.Place))
	if fault.Is(err, fault.Unavailable) {
		a.o.Log.Error("the place of an export can't be read", "error", err)
		return nil, err
	}
	if err != nil || !blank {
		return nil, exists(of.Place)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, o := range a.mu.operations { // one that fails removes all of its place, so that of another can't be there
		if !o.isDone() && o.Export != nil && folder.NamesOverlap(o.Export.Place, of.Place) {
			return nil, exists(o.Export.Place)
		}
	}
	return a.beginTransferLocked(ctx, name, &operation{Database: c.Vars["database"], By: c.By(), Export: of})
}

// importDocuments begins to import documents from a place. Documents of the same names are replaced.
func (a *API) importDocuments(ctx context.Context, c *route.Call) (any, error) {
	name, of, err := a.transferOf(c, "input_uri_prefix")
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.beginTransferLocked(ctx, name, &operation{Database: c.Vars["database"], By: c.By(), Import: of})
}

// beginTransferLocked begins an operation, unless its database was deleted meanwhile; mu is held.
func (a *API) beginTransferLocked(ctx context.Context, name string, o *operation) (any, error) {
	if !slices.Contains(a.ids(), o.Database) {
		return nil, fault.E(fault.NotFound, "The database %s does not exist.", o.Database)
	}
	if err := a.beginLocked(ctx, o); err != nil {
		return nil, err
	}
	return shownOperation(name, o), nil
}

// export does an operation that exports documents.
func (a *API) export(ctx context.Context, o *operation) error {
	if a.o.Exports == "" {
		return errNoExports
	}
	_, err := a.o.Transfers.ExportDocuments(ctx, resource.Database{Project: a.o.Project, ID: o.Database}, a.folderOf(o.Export.Place), transfer.Selection{
		Collections: o.Export.Collections, At: o.Export.At, Report: func(p transfer.Progress) error {
			return a.advance(ctx, o.ID, false, func(next *operation) {
				of := *next.Export
				of.Progress = p
				next.Export = &of
			})
		},
	})
	return a.named(err)
}

// load does an operation that imports documents. It continues one that an earlier process has begun.
func (a *API) load(ctx context.Context, o *operation) error {
	if a.o.Exports == "" {
		return errNoExports
	}
	err := a.o.Transfers.LoadDocuments(ctx, resource.Database{Project: a.o.Project, ID: o.Database}, a.folderOf(o.Import.Place), transfer.Selection{
		Collections: o.Import.Collections, From: o.Import.Progress, Report: func(p transfer.Progress) error {
			return a.advance(ctx, o.ID, true, func(next *operation) {
				of := *next.Import
				of.Progress = p
				next.Import = &of
			})
		},
	})
	return a.named(err)
}

// showTransfer adds what is known of an operation that exports or imports documents.
func (out *operationJSON) showTransfer(o *operation) {
	of, kind, uri := o.Export, "Export", "outputUriPrefix"
	if of == nil {
		of, kind, uri = o.Import, "Import", "inputUriPrefix"
	}
	m := out.Metadata
	m["@type"], m["operationState"] = typePrefix+kind+"DocumentsMetadata", m["state"]
	delete(m, "state")
	m[uri] = of.Place
	if len(of.Collections) > 0 {
		m["collectionIds"] = of.Collections
	}
	if len(of.Namespaces) > 0 {
		m["namespaceIds"] = of.Namespaces
	}
	if !of.At.IsZero() {
		m["snapshotTime"] = of.At
	}
	p := of.Progress
	if out.Done && out.Error == nil { // all of it
		p.AllDocuments, p.AllBytes = p.Documents, p.Bytes
	}
	m["progressDocuments"], m["progressBytes"] = progressOf(p.Documents, p.AllDocuments), progressOf(p.Bytes, p.AllBytes)
	switch {
	case !out.Done || out.Error != nil:
	case o.Export != nil:
		out.Response = map[string]string{"@type": typePrefix + "ExportDocumentsResponse", "outputUriPrefix": of.Place}
	default:
		out.Response = map[string]string{"@type": "type.googleapis.com/google.protobuf.Empty"}
	}
}

// progressOf returns a Progress of the API. all is zero if it is not known.
func progressOf(done, all int64) map[string]string {
	p := map[string]string{"completedWork": strconv.FormatInt(done, 10)}
	if all > 0 {
		p["estimatedWork"] = strconv.FormatInt(all, 10)
	}
	return p
}
