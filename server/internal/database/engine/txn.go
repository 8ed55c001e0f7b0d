package engine

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"maps"
	"slices"
	"sync"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/database/engine/locks"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
)

// txnTable holds the open transactions of one database.
type txnTable struct {
	sync.Mutex
	last uint64
	open map[uint64]*txn
	// clients holds the transactions that were begun as optimistic.
	clients clientTable
	// held counts the calls of alone, during which no transaction begins.
	held int
}

// txn is an open transaction.
type txn struct {
	// counted is set if txnTable.clients holds the transaction, under client.
	counted    bool
	client     string
	holder     string
	seq        uint64
	nonce      nonce
	readOnly   bool
	optimistic bool
	owner      *locks.Owner
	// view and version are the state that a read-only transaction reads.
	view    *view
	version clock.Version
	clock   projectClock
	begun   moment

	mu struct {
		sync.Mutex
		touched moment
		busy    int // the number of reads in progress
		ended   bool
		// reads and queries hold the reads of an optimistic transaction: the update times of documents, and queries with the
		// versions at which they were read.
		reads   map[string]clock.Version
		queries []seenQuery
		asked   int // the number of queries
		// deferred are the writes of pipelines.
		deferred deferred
	}
}

// seenQuery is a query of an optimistic transaction.
type seenQuery struct {
	q    *query.Query
	last *document.Document
	at   clock.Version
}

// A transaction's id consists of a byte for its kind, the time when the engine was opened, its number, its nonce, and a
// checksum of these and the database's name.
const (
	idReadWrite = 1
	idReadOnly  = 2
	idLen       = 29
)

// nonce is the secret part of a transaction's id. Nobody guesses it, and who has it in another way must also be the
// transaction's holder.
type nonce [8]byte

// id returns a transaction's id.
func (e *Engine) id(db *database, t *txn) []byte {
	kind := byte(idReadWrite)
	if t.readOnly {
		kind = idReadOnly
	}
	b := binary.BigEndian.AppendUint64(append(make([]byte, 0, idLen), kind), uint64(e.opened))
	b = binary.BigEndian.AppendUint64(b, t.seq)
	b = append(b, t.nonce[:]...)
	return binary.BigEndian.AppendUint32(b, idCheck(db, b))
}

// idCheck returns the checksum at the end of an id. It detects mistakes; the nonce protects against attacks.
func idCheck(db *database, b []byte) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(db.name.String()))
	_, _ = h.Write(b)
	return h.Sum32()
}

// txnID is a parsed id.
type txnID struct {
	seq      uint64
	nonce    nonce
	readOnly bool
	// ours is set if this engine has issued the id since it was opened.
	ours bool
}

// parseID parses an id.
func (e *Engine) parseID(db *database, id []byte) (out txnID, err error) {
	if len(id) != idLen || (id[0] != idReadWrite && id[0] != idReadOnly) || binary.BigEndian.Uint32(id[idLen-4:]) != idCheck(db, id[:idLen-4]) {
		return out, fault.E(fault.InvalidArgument, textInvalid)
	}
	out.ours = clock.Version(binary.BigEndian.Uint64(id[1:])) == e.opened
	out.seq, out.nonce, out.readOnly = binary.BigEndian.Uint64(id[9:]), nonce(id[17:25]), id[0] == idReadOnly
	return out, nil
}

// remove removes a transaction. The table is locked.
func (t *txnTable) remove(x *txn) {
	if t.open[x.seq] != x {
		return
	}
	delete(t.open, x.seq)
	if x.counted {
		t.clients.remove(x)
	}
}

// find returns the open transaction of an id that belongs to a holder, and removes it from the table if take is true.
// The transaction of another holder is answered as one that has ended, so that nobody learns of it.
func (e *Engine) find(db *database, id []byte, holder string, take bool) (*txn, error) {
	parsed, err := e.parseID(db, id)
	if err != nil {
		return nil, err
	}
	db.txns.Lock()
	t := db.txns.open[parsed.seq]
	if t != nil && (!parsed.ours || t.nonce != parsed.nonce || t.readOnly != parsed.readOnly || t.holder != holder) {
		t = nil
	}
	if take && t != nil {
		db.txns.remove(t)
	}
	db.txns.Unlock()
	if t == nil {
		if parsed.readOnly {
			return nil, fault.E(fault.InvalidArgument, locks.TextExpired)
		}
		return nil, locks.Expired()
	}
	if e.overdue(t) {
		e.end(db, t)
		return nil, locks.Expired()
	}
	return t, nil
}

// Begin begins a transaction and returns its id.
func (e *Engine) Begin(ctx context.Context, name resource.Database, o request.TransactionOptions) ([]byte, error) {
	db, err := e.database(name)
	if err != nil {
		return nil, err
	}
	t, err := e.begin(ctx, db, o)
	if err != nil {
		return nil, err
	}
	return e.id(db, t), nil
}

// begin creates a transaction.
func (e *Engine) begin(ctx context.Context, db *database, o request.TransactionOptions) (*txn, error) {
	t := &txn{
		nonce: nonce(randid.Bytes(len(nonce{}))), counted: o.Optimistic, client: o.Client, holder: o.Holder, readOnly: o.ReadOnly,
		optimistic: o.Optimistic && !o.ReadOnly, clock: db.clock, begun: db.clock.moment(),
	}
	t.mu.touched = t.begun
	t.mu.reads = make(map[string]clock.Version)
	var age uint64
	// A retry has the number of the transaction that it repeats as its age, so that it is older than all that began since
	// and is not the victim of a deadlock with one of them. An optimistic transaction has its own age: anyone may begin
	// one and name any id here, and it has no locks before its commit.
	if len(o.Retry) > 0 {
		parsed, err := e.parseID(db, o.Retry)
		if err != nil {
			return nil, err
		}
		if parsed.readOnly {
			return nil, fault.E(fault.InvalidArgument, "Cannot retry a read-only transaction.")
		}
		if parsed.ours && !t.optimistic {
			age = parsed.seq
		}
		if old, err := e.find(db, o.Retry, o.Holder, true); err == nil {
			e.end(db, old)
		}
	}
	if t.readOnly {
		var err error
		if t.view, t.version, err = e.viewAt(ctx, db, o.ReadTime); err != nil {
			return nil, err
		}
	}
	if err := e.enroll(db, t, age); err != nil {
		if t.view != nil {
			t.view.release()
		}
		return nil, err
	}
	return t, nil
}

// enroll adds a transaction to the table. If the limit of optimistic transactions is reached, it evicts another one.
func (e *Engine) enroll(db *database, t *txn, age uint64) error {
	db.txns.Lock()
	// end locks the table itself, so the evicted transaction is ended after the lock is released.
	var evicted *txn
	defer func() {
		db.txns.Unlock()
		if evicted != nil {
			e.end(db, evicted)
		}
	}()
	if db.txns.held > 0 {
		return locks.Contention()
	}
	if t.counted {
		var ok bool
		if evicted, ok = db.txns.clients.room(t.client); !ok {
			return fault.E(fault.ResourceExhausted, "Too many transactions are open.")
		}
		if evicted != nil {
			db.txns.remove(evicted)
		}
	}
	db.txns.last++
	t.seq = db.txns.last
	if age == 0 {
		age = t.seq
	}
	t.owner = locks.NewOwner(age)
	db.txns.open[t.seq] = t
	if t.counted {
		db.txns.clients.add(t)
	}
	return nil
}

// nextAge returns the age of a commit without a transaction.
func (db *database) nextAge() uint64 {
	db.txns.Lock()
	defer db.txns.Unlock()
	db.txns.last++
	return db.txns.last
}

// Rollback ends a holder's transaction. It is not an error if the transaction has ended already.
func (e *Engine) Rollback(_ context.Context, name resource.Database, id []byte, holder string) error {
	db, err := e.database(name)
	if err != nil {
		return err
	}
	t, err := e.find(db, id, holder, true)
	switch {
	case err == nil:
		e.end(db, t)
	case fault.FromError(err).Message == textInvalid:
		return err
	}
	return nil
}

// end removes a transaction from the table, if it is there, and releases its locks. Later uses are refused.
func (e *Engine) end(db *database, t *txn) {
	t.mu.Lock()
	ended := t.mu.ended
	t.mu.ended = true
	free := t.mu.busy == 0
	t.mu.deferred.drop()
	t.mu.Unlock()
	if ended {
		return
	}
	db.txns.Lock()
	db.txns.remove(t)
	db.txns.Unlock()
	db.locks.Release(t.owner)
	if free && t.view != nil {
		t.view.release()
	}
}

// enter marks a transaction as in use, so that it isn't idle.
func (t *txn) enter() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mu.ended {
		return locks.Expired()
	}
	t.mu.busy++
	return nil
}

// leave reverses enter.
func (t *txn) leave() {
	now := t.clock.moment()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.busy--
	t.mu.touched = now
	if t.mu.busy == 0 && t.mu.ended && t.view != nil {
		t.view.release()
	}
}

// overdue reports whether a transaction has been idle, or has lasted, for too long.
func (e *Engine) overdue(t *txn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.clock.moment()
	return now.since(t.begun) > e.o.Limits.Total || t.mu.busy == 0 && now.since(t.mu.touched) > e.o.Limits.Idle
}

// endIdle ends the overdue transactions of a database.
func (e *Engine) endIdle(db *database) {
	for _, t := range db.transactions() {
		if e.overdue(t) {
			e.end(db, t)
		}
	}
	db.locks.DropUnused()
}

// endAll ends all transactions of a database.
func (e *Engine) endAll(db *database) {
	for _, t := range db.transactions() {
		e.end(db, t)
	}
}

// EndTransactions ends all transactions, so that commits that wait for their locks continue, and refuses new ones with
// Aborted from now on. It is for a server that stops: its clients retry their transactions at another one.
func (e *Engine) EndTransactions() {
	for _, db := range e.all() {
		db.hold(1)
		e.endAll(db)
	}
}

// hold changes the number of those that keep new transactions out.
func (db *database) hold(n int) {
	db.txns.Lock()
	defer db.txns.Unlock()
	db.txns.held += n
}

// alone ends all transactions of a database and keeps commits and new transactions out until release is called.
func (e *Engine) alone(db *database) (release func()) {
	db.hold(1)
	e.endAll(db) // so that commits that wait for their locks continue and release the gate
	db.gate.Lock()
	return func() {
		db.gate.Unlock()
		db.hold(-1)
	}
}

// transactions returns the open transactions.
func (db *database) transactions() []*txn {
	db.txns.Lock()
	defer db.txns.Unlock()
	return slices.Collect(maps.Values(db.txns.open))
}
