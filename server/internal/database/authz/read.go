package authz

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/faultinject"
	"clave/server/internal/database/engine"
	"clave/server/internal/limit/fair"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// Snapshot identifies the snapshot of a read.
type Snapshot struct {
	// Version is the version that was read.
	Version clock.Version
	// Transaction is the id of the transaction that the read began, if one was requested.
	Transaction []byte
}

// Get reads documents of one database at one version. It calls open once, and then yield for each name and its
// document, or nil if it is absent, in the order of names. It returns PermissionDenied if the rules deny any of them;
// documents that were yielded before must be discarded then.
func (az *Authorizer) Get(ctx context.Context, c token.Caller, db resource.Database, names []resource.Document, at request.At,
	open func(Snapshot) error, yield func(resource.Document, *document.Document) error,
) (err error) {
	call, bill := az.meter.Begin(), az.bill(c, db, "get")
	defer func() {
		call.Read(int64(len(names)), err)
		bill.got(names, err)
	}()
	ctx = az.within(ctx, c)
	reading, err := az.read(ctx, c, db, "BatchGetDocuments", at)
	if err != nil {
		return err
	}
	defer reading.Close()
	if err := open(snapshotOf(reading)); err != nil {
		return err
	}
	access, turn := az.access(c, db, az.present(db, reading, at)).billed(bill), fair.Of(ctx)
	return reading.GetAll(ctx, names, func(name resource.Document, d *document.Document) error {
		turn.Return() // the decision is no wait for the client
		if err := access.get(ctx, name, d); err != nil {
			return err
		}
		turn.Lend()
		bill.found(name, d)
		return yield(name, d)
	})
}

// ReadWritten returns a document after the commit of a version, or nil if it is absent. It is for the commit's writer,
// who receives it even if the rules deny reading, as in Firebase.
func (az *Authorizer) ReadWritten(ctx context.Context, db resource.Database, name resource.Document, version clock.Version) (*document.Document, error) {
	reading, err := az.engine.Read(ctx, db, request.At{ReadTime: version})
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	return reading.Get(ctx, name)
}

// Query runs a normalized query. open and yield are as for Get.
func (az *Authorizer) Query(ctx context.Context, c token.Caller, q *query.Query, at request.At,
	open func(Snapshot) error, yield func(*document.Document) error,
) (stats request.Stats, err error) {
	call, bill, sent := az.meter.Begin(), az.bill(c, q.DB, "query"), int64(0)
	defer func() {
		call.Query(stats.Results, err)
		az.ran(call, q, &stats)
		bill.queried(q, &stats, sent, err)
	}()
	ctx = az.within(ctx, c)
	reading, err := az.read(ctx, c, q.DB, "RunQuery", at)
	if err != nil {
		return request.Stats{}, err
	}
	defer reading.Close()
	if err := az.access(c, q.DB, az.present(q.DB, reading, at)).billed(bill).list(ctx, q); err != nil {
		return request.Stats{}, err
	}
	if err := open(snapshotOf(reading)); err != nil {
		return request.Stats{}, err
	}
	return reading.Query(ctx, q, bill.sizing(&sent, yield))
}

// MayExplain returns PermissionDenied if rules apply to a caller, who must not receive the plan and the figures of a
// query then. The figures depend on documents that the rules hide: the number of index entries that were read shows
// whether one of them has a value.
func (az *Authorizer) MayExplain(c token.Caller, db resource.Database) error {
	if az.applies(c, db) {
		return denied()
	}
	return nil
}

// Aggregate computes aggregations over a normalized query's documents.
func (az *Authorizer) Aggregate(ctx context.Context, c token.Caller, a *query.Aggregation, at request.At) (figures map[string]value.Value, snapshot Snapshot, stats request.Stats, err error) {
	call, bill := az.meter.Begin(), az.bill(c, a.Query.DB, "aggregate")
	defer func() {
		call.Query(0, err)
		az.ran(call, a.Query, &stats)
		bill.aggregated(a.Query, &stats, err)
	}()
	ctx = az.within(ctx, c)
	reading, err := az.read(ctx, c, a.Query.DB, "RunAggregationQuery", at)
	if err != nil {
		return nil, Snapshot{}, request.Stats{}, err
	}
	defer reading.Close()
	if err := az.access(c, a.Query.DB, az.present(a.Query.DB, reading, at)).billed(bill).list(ctx, a.Query); err != nil {
		return nil, Snapshot{}, request.Stats{}, err
	}
	figures, stats, err = reading.Aggregate(ctx, a)
	return figures, snapshotOf(reading), stats, err
}

// List returns a page of a collection's documents in the order of names. To the rules it is a query for the whole
// collection. Missing documents are for privileged callers: their names show that documents exist below them, which the
// rules may hide, and rules have no method for it.
func (az *Authorizer) List(ctx context.Context, c token.Caller, db resource.Database, req request.List, at request.At) (page request.ListPage, err error) {
	call, bill := az.meter.Begin(), az.bill(c, db, "list")
	defer func() {
		call.Query(int64(len(page.Documents)), err)
		bill.listed(req.Collection, page.Documents, err)
	}()
	ctx = az.within(ctx, c)
	reading, err := az.read(ctx, c, db, "ListDocuments", at)
	if err != nil {
		return request.ListPage{}, err
	}
	defer reading.Close()
	if req.ShowMissing && az.applies(c, db) {
		return request.ListPage{}, denied()
	}
	if az.concerned(c, db) {
		whole := &query.Query{DB: db, Parent: req.Collection.Parent, From: []query.From{{Collection: req.Collection.ID}}, Limit: req.PageSize}
		if req.PageSize == 0 {
			whole.Limit = -1
		}
		if whole, err = whole.Normalize(); err != nil {
			return request.ListPage{}, err
		}
		if err := az.access(c, db, az.present(db, reading, at)).billed(bill).list(ctx, whole); err != nil {
			return request.ListPage{}, err
		}
	}
	return reading.List(ctx, req)
}

// CollectionIDs returns the ids of the collections under a document, or under the root for an empty parent. It is for
// privileged callers: rules have no method for it.
func (az *Authorizer) CollectionIDs(ctx context.Context, c token.Caller, db resource.Database, parent string, at request.At) (ids []string, err error) {
	if err := privileged(c); err != nil {
		return nil, err
	}
	bill := az.bill(c, db, "collectionIds")
	defer func() { bill.request(parent, err) }()
	ctx = az.within(ctx, c)
	reading, err := az.read(ctx, c, db, "ListCollectionIds", at)
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	return reading.CollectionIDs(ctx, parent)
}

// Partition returns cursors that split a query into at most n parts of about the same size. It is for privileged
// callers.
func (az *Authorizer) Partition(ctx context.Context, c token.Caller, q *query.Query, n int, at request.At) (cursors []query.Cursor, err error) {
	if err := privileged(c); err != nil {
		return nil, err
	}
	bill := az.bill(c, q.DB, "partition")
	defer func() { bill.queried(q, &request.Stats{}, 0, err) }()
	ctx = az.within(ctx, c)
	reading, err := az.read(ctx, c, q.DB, "PartitionQuery", at)
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	return reading.Partition(ctx, q, n)
}

// read opens a caller's reading for a method of Firestore; an empty one is that of no method.
func (az *Authorizer) read(ctx context.Context, c token.Caller, db resource.Database, method string, at request.At) (*engine.Reading, error) {
	if err := az.inject(ctx, c, db.Project, faultinject.Reads, method); err != nil {
		return nil, err
	}
	if at.Begin != nil {
		if err := mayBegin(c, *at.Begin); err != nil {
			return nil, err
		}
		o := optionsFor(c, *at.Begin)
		at.Begin = &o
	}
	at.Holder = holderOf(c)
	return az.engine.Read(ctx, db, at)
}

// present returns the source of the documents that rules look up for a read: the reading if it reads the latest state,
// and otherwise the latest state. Reading the past must not restore a revoked right.
func (az *Authorizer) present(db resource.Database, reading *engine.Reading, at request.At) documents {
	if at.ReadTime == 0 && at.Transaction == nil && at.Begin == nil {
		return reading.Get
	}
	return func(ctx context.Context, name resource.Document) (*document.Document, error) {
		latest, err := az.engine.Read(ctx, db, request.At{})
		if err != nil {
			return nil, err
		}
		defer latest.Close()
		return latest.Get(ctx, name)
	}
}

// snapshotOf returns the snapshot of a reading.
func snapshotOf(r *engine.Reading) Snapshot {
	return Snapshot{Version: r.Version(), Transaction: r.Transaction()}
}

// denied returns the error of a denied caller in production.
func denied() error {
	return fault.Denied()
}

// privileged denies callers to whom rules apply.
func privileged(c token.Caller) error {
	if !c.Privileged {
		return denied()
	}
	return nil
}
