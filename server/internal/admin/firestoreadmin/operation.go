package firestoreadmin

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/index"
	"clave/server/internal/store"
)

// keyPrefix and keyEnd are the ends of the range of the keys of operations in the store.
const (
	keyPrefix = "admin/operation/"
	keyEnd    = "admin/operation0"
)

// maxEnded is the number of operations that are kept after their end.
const maxEnded = 200

// operation is a change of definitions, as it is stored. It does not change except by its end.
type operation struct {
	ID       string    `json:"id"`
	Database string    `json:"database"`
	By       string    `json:"by"`
	Begun    time.Time `json:"begun"`
	// Ended is the time of the end; zero before. Code and Message are of its error.
	Ended   time.Time  `json:"ended,omitzero"`
	Code    fault.Code `json:"code,omitempty"`
	Message string     `json:"message,omitempty"`
	// Index is the index to create. Otherwise Group and Path name the field to change, and Override is its new
	// configuration, nil for the default one.
	Index    *index.Definition `json:"index,omitempty"`
	Group    string            `json:"group,omitempty"`
	Path     string            `json:"path,omitempty"`
	Override *index.Override   `json:"override,omitempty"`
	// Delete is set for an operation that deletes documents instead, and Create for one that has made the database.
	Delete *bulkDelete `json:"delete,omitempty"`
	Create bool        `json:"create,omitempty"`
	// Export and Import are set for operations that export and import documents.
	Export *transferred `json:"export,omitempty"`
	Import *transferred `json:"import,omitempty"`
	// Clone is set for an operation that makes the database as a clone, and Restore for one that makes it from a backup.
	// Copying is set once the copy was begun, and Left if a copy that could not be completed is still stored.
	Clone   *cloning   `json:"clone,omitempty"`
	Restore *restoring `json:"restore,omitempty"`
	Copying bool       `json:"copying,omitempty"`
	Left    bool       `json:"left,omitempty"`
	// size is the number of its bytes in the store when it began.
	size int
}

// isDone reports whether the operation has ended.
func (o *operation) isDone() bool { return !o.Ended.IsZero() }

// edit makes the change of the operation.
func (o *operation) edit(defs index.Definitions) (index.Definitions, error) {
	if o.Index != nil {
		if !slices.ContainsFunc(defs.Indexes, o.Index.Equal) { // the process may have been killed after the release
			defs.Indexes = append(slices.Clone(defs.Indexes), *o.Index)
		}
		return defs, nil
	}
	defs.Overrides = slices.DeleteFunc(slices.Clone(defs.Overrides), func(other index.Override) bool {
		return other.CollectionGroup == o.Group && other.Path == o.Path
	})
	if o.Override != nil {
		defs.Overrides = append(defs.Overrides, *o.Override)
	}
	return defs, nil
}

// loadOperations reads the operations of the store.
func (a *API) loadOperations() error {
	it := a.o.Store.Scan(store.Range{From: []byte(keyPrefix), To: []byte(keyEnd)})
	defer func() { _ = it.Close() }()
	for it.Next() {
		text, err := it.Value()
		o := &operation{}
		if err == nil {
			err = json.Unmarshal(text, o)
		}
		if err != nil {
			return fmt.Errorf("read the operation %s: %w", it.Key(), err)
		}
		o.size = len(text)
		a.mu.operations = append(a.mu.operations, o)
		if n, err := strconv.ParseInt(o.ID, 16, 64); err == nil {
			a.mu.last = n
		}
	}
	return it.Err()
}

// beginLocked adds an operation. It returns ResourceExhausted if too many wait. mu is held.
func (a *API) beginLocked(ctx context.Context, o *operation) error {
	o.Begun = a.o.Clock.Now().UTC()
	a.mu.last = max(a.mu.last+1, o.Begun.UnixMicro())
	o.ID = fmt.Sprintf("%016x", a.mu.last) // in the order in which they begin
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	o.size = len(text)
	if err := a.roomLocked(o.size); err != nil {
		return err
	}
	if err := a.write(ctx, o, nil); err != nil {
		return err
	}
	a.mu.operations = append(a.mu.operations, o)
	select {
	case a.added[laneOf(o)] <- struct{}{}:
	default: // Run will see both
	}
	return nil
}

// write stores an operation, and removes those that are no longer kept.
func (a *API) write(ctx context.Context, o *operation, dropped []*operation) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	var b store.Batch
	b.Set([]byte(keyPrefix+o.ID), text)
	for _, old := range dropped {
		b.Delete([]byte(keyPrefix + old.ID))
	}
	return a.o.Store.Apply(ctx, &b)
}

// next returns the first operation of a lane that has not ended, or nil.
func (a *API) next(l lane) *operation {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, o := range a.mu.operations {
		if !o.isDone() && laneOf(o) == l {
			return o
		}
	}
	return nil
}

// endLocked records the end of an operation, which is in the list; mu is held.
func (a *API) endLocked(ctx context.Context, id string, outcome error) error {
	var kept, dropped []*operation
	var ended *operation
	surplus := len(a.mu.operations) - maxEnded
	for _, o := range a.mu.operations {
		switch {
		case o.ID == id:
			next := *o
			ended = &next
			kept = append(kept, ended)
		case o.isDone() && !o.Left && surplus > 0:
			dropped = append(dropped, o)
			surplus--
		default:
			kept = append(kept, o)
		}
	}
	ended.Ended = a.o.Clock.Now().UTC()
	if outcome != nil {
		ended.Code, ended.Message = fault.CodeOf(outcome), fault.FromError(outcome).Message
		if ended.Code != fault.Canceled {
			a.o.Log.Error("an operation has failed", "operation", id, "error", outcome)
		}
	}
	a.mu.operations = kept
	a.wakeLocked()
	return a.write(ctx, ended, dropped)
}

// ofLocked returns the operations of a database; mu is held. Those of a former database of the name are not among them:
// they name what it had, and have ended.
func (a *API) ofLocked(database string) []*operation {
	var all []*operation
	for _, o := range a.mu.operations {
		if o.Database == database && (o.Create || o.isCopy()) {
			all = nil
		}
		if o.Database == database {
			all = append(all, o)
		}
	}
	return all
}

// operationJSON is an operation of the API.
type operationJSON struct {
	Name     string         `json:"name"`
	Metadata map[string]any `json:"metadata"`
	Done     bool           `json:"done,omitempty"`
	Error    map[string]any `json:"error,omitempty"`
	Response any            `json:"response,omitempty"`
}

// typePrefix is the prefix of the types of the API's messages within an operation.
const typePrefix = "type.googleapis.com/google.firestore.admin.v1."

// shownOperation returns an operation as the API shows it.
func shownOperation(database string, o *operation) *operationJSON {
	state := "PROCESSING"
	switch {
	case o.Code == fault.Canceled:
		state = "CANCELLED"
	case o.isDone() && o.Code != fault.OK:
		state = "FAILED"
	case o.isDone():
		state = "SUCCESSFUL"
	}
	out := &operationJSON{Name: database + "/operations/" + o.ID, Done: o.isDone(), Metadata: map[string]any{"startTime": o.Begun, "state": state}}
	if o.isDone() {
		out.Metadata["endTime"] = o.Ended
	}
	if o.Code != fault.OK {
		out.Error = map[string]any{"code": o.Code, "message": o.Message}
	}
	switch {
	case o.Delete != nil:
		out.showDelete(o)
		return out
	case o.Export != nil || o.Import != nil:
		out.showTransfer(o)
		return out
	case o.isCopy():
		return out // shownLocked adds the rest
	case o.Create:
		out.Metadata = map[string]any{"@type": typePrefix + "CreateDatabaseMetadata"}
		return out
	}
	if o.Index != nil {
		shown := shownIndex(database, *o.Index, stateReady)
		out.Metadata["@type"], out.Metadata["index"] = typePrefix+"IndexOperationMetadata", shown.Name
		if out.Done && out.Error == nil {
			out.Response = struct {
				Type string `json:"@type"`
				*indexJSON
			}{typePrefix + "Index", shown}
		}
		return out
	}
	out.Metadata["@type"], out.Metadata["field"] = typePrefix+"FieldOperationMetadata", fieldName(database, o.Group, o.Path)
	if out.Done && out.Error == nil {
		out.Response = struct {
			Type string `json:"@type"`
			*fieldJSON
		}{typePrefix + "Field", shownField(database, o.Group, o.Path, o.Override, nil)}
	}
	return out
}

// showDelete adds what is known of an operation that deletes documents.
func (out *operationJSON) showDelete(o *operation) {
	m := out.Metadata
	m["@type"], m["operationState"] = typePrefix+"BulkDeleteDocumentsMetadata", m["state"]
	delete(m, "state")
	m["collectionIds"], m["snapshotTime"] = o.Delete.Collections, o.Begun
	m["progressDocuments"] = map[string]string{"completedWork": strconv.FormatInt(o.Delete.Deleted, 10)}
	if out.Done && out.Error == nil {
		out.Response = map[string]string{"@type": typePrefix + "BulkDeleteDocumentsResponse"}
	}
}

// operationsOf returns the name of the database of a call on its operations, or NotFound. A clone that is being made
// has operations too.
func (a *API) operationsOf(c *route.Call) (string, error) {
	name, err := a.database(c)
	if err == nil {
		return name, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if slices.ContainsFunc(a.ofLocked(c.Vars["database"]), (*operation).isPending) {
		return "projects/" + c.Project + "/databases/" + c.Vars["database"], nil
	}
	return "", err
}

// getOperation returns an operation.
func (a *API) getOperation(_ context.Context, c *route.Call) (any, error) {
	name, err := a.operationsOf(c)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	o, err := a.findLocked(c, name)
	if err != nil {
		return nil, err
	}
	return a.shownLocked(name, o), nil
}

// shownLocked returns an operation as the API shows it, with the database that it has made or cloned; mu is held.
func (a *API) shownLocked(database string, o *operation) *operationJSON {
	out := shownOperation(database, o)
	if o.isCopy() {
		if o.Clone != nil {
			out.showClone(a.o.Project, database, o)
		} else {
			out.showRestore(database, o)
		}
		if out.Done && out.Error == nil {
			out.Response = endedWith("", o.Begun, a.shownDatabase(o.Database, a.mu.databases[o.Database])).Response
		}
	}
	if o.Create {
		made := endedWith("CreateDatabaseMetadata", o.Begun, a.shownDatabase(o.Database, a.mu.databases[o.Database]))
		out.Metadata, out.Response = made.Metadata, made.Response
	}
	return out
}

// listOperations returns the operations of a database.
func (a *API) listOperations(_ context.Context, c *route.Call) (any, error) {
	name, err := a.operationsOf(c)
	if err != nil {
		return nil, err
	}
	var all []*operationJSON
	a.mu.Lock()
	for _, o := range a.ofLocked(c.Vars["database"]) {
		all = append(all, a.shownLocked(name, o))
	}
	a.mu.Unlock()
	page, next, err := route.Page(c, all, 100)
	return struct {
		Operations []*operationJSON `json:"operations,omitempty"`
		Next       string           `json:"nextPageToken,omitempty"`
	}{page, next}, err
}
