package authz

import (
	"context"
	"errors"
	"math/bits"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/limit/fair"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/observe/meter"
	"clave/server/internal/rules"
)

// documents returns a document of the view that a call reads, or nil if it is absent.
type documents func(context.Context, resource.Document) (*document.Document, error)

// access authorizes the operations of one call. It fails closed: nil, the zero value and an access without ruleset deny
// everything. Only unrestricted allows operations that no ruleset allows. It must be used by one goroutine only.
type access struct {
	// unrestricted reports that no rules apply.
	unrestricted bool
	// reported is set if no rules apply, but the request monitor shows the operations.
	reported bool
	rulesets *Rulesets
	// meter counts the decisions.
	meter   *meter.Meter
	ruleset *rules.Ruleset
	// database is the call's.
	database resource.Database
	auth     *rules.Auth
	lookups  *rules.Lookups
	// own has the lookups, so that both are allocated at once.
	own    rules.Lookups
	time   value.Timestamp
	before documents
	after  documents
	// unrequested is set for decisions about what the server sends by itself. The request monitor and the coverage lack
	// them.
	unrequested bool
	// spend receives the cost of evaluations; nil receives nothing.
	spend func(ctx context.Context, cost int) error
	// bill receives the decisions, and the documents that the rules look up; nil receives nothing.
	bill *bill
}

// unrestricted is the access of calls to which no rules apply.
var unrestricted = &access{unrestricted: true}

// access returns the access of a call; before returns the documents of its view.
func (az *Authorizer) access(c token.Caller, db resource.Database, before documents) *access {
	if !az.concerned(c, db) {
		return unrestricted
	}
	a := &access{
		reported: c.Privileged,
		rulesets: az.rules,
		meter:    az.meter,
		ruleset:  az.rules.of(db),
		database: db,
		own:      *rules.NewLookups(),
		time:     value.TimestampOf(clock.NowOf(az.clock, db.Project)),
		before:   before,
		after:    before,
		spend:    waitForTurn,
	}
	a.lookups = &a.own
	if !c.Anonymous() {
		a.auth = c.Derived(authOf).(*rules.Auth)
	}
	return a
}

// billed makes the access count its lookups in a bill, and returns it.
func (a *access) billed(b *bill) *access {
	if !a.unrestricted {
		a.bill = b
	}
	return a
}

// authOf returns a signed-in caller as rules see it, a *rules.Auth.
func authOf(c token.Caller) any { return &rules.Auth{UID: c.UID, Claims: c.Claims} }

// waitForTurn waits for the call's turn before work of a cost, which is in keys of package fair.
func waitForTurn(ctx context.Context, cost int) error { return fair.Of(ctx).Step(ctx, cost) }

// mostLocked is the cost of evaluations under the locks of a commit, in keys of package fair: about two milliseconds.
const mostLocked = 512

// underLocks makes decisions that would wait, or cost much, end with engine.ErrCostly instead.
func (a *access) underLocks() {
	if a.unrestricted {
		return
	}
	left := mostLocked
	a.spend = func(_ context.Context, cost int) error {
		if left -= cost; left < 0 {
			return engine.ErrCostly
		}
		return nil
	}
}

// Lookup implements rules.Reader.
func (a *access) Lookup(ctx context.Context, name resource.Document, after bool) (*document.Document, error) {
	read := a.before
	if after {
		read = a.after
	}
	if !a.unrequested {
		a.bill.looksUp(name)
	}
	return read(ctx, name)
}

// get decides whether a document may be read; d is nil when it is absent.
func (a *access) get(ctx context.Context, name resource.Document, d *document.Document) error {
	if a != nil && a.unrestricted {
		return nil
	}
	request := &rules.Request{Method: rules.Get, Name: name, Before: d}
	if a != nil {
		request.Lookups = a.lookups
	}
	return a.decide(ctx, request)
}

// list decides whether a normalized query may be run.
func (a *access) list(ctx context.Context, q *query.Query) error {
	return a.decide(ctx, &rules.Request{Method: rules.List, Query: q})
}

// effect is the writes of one document in a commit, or its verifications, by their indexes.
type effect struct{ first, last int }

// effects returns the effects of a commit in the order of their last writes.
func effects(steps []engine.Step) []effect {
	if len(steps) == 1 {
		return []effect{{}}
	}
	type subject struct {
		path   string
		verify bool
	}
	found := make(map[subject]*effect, len(steps))
	of := func(i int) *effect {
		w := &steps[i].Write
		key := subject{w.Name.Path, w.Op == document.Verify}
		if found[key] == nil {
			found[key] = &effect{first: i}
		}
		return found[key]
	}
	for i := range steps {
		of(i).last = i
	}
	out := make([]effect, 0, len(found))
	for i := range steps {
		if o := of(i); o.last == i {
			out = append(out, *o)
		}
	}
	return out
}

// commit authorizes the effects of a commit. As in the official emulator, several writes of a document have one effect.
// The rules get the document as it is before the commit and after all of its writes.
func (a *access) commit(ctx context.Context, v *engine.CheckView) error {
	switch {
	case a == nil || a.ruleset == nil && !a.unrestricted:
		return denied()
	case a.unrestricted:
		return nil
	}
	a.time = value.TimestampOf(v.Time.Time().Truncate(time.Millisecond)) // like server timestamps
	a.after = v.After
	a.bill.restart()
	for i := range v.Steps {
		if w := v.Steps[i].Write; w.Op != document.Verify {
			a.lookups.Writes(w.Name)
		}
	}
	for _, o := range effects(v.Steps) {
		first, last := &v.Steps[o.first].Write, &v.Steps[o.last]
		name := first.Name
		before, err := v.Before(ctx, name)
		if err != nil {
			return err
		}
		request := &rules.Request{Method: methodOf(first, &last.Write, before), Name: name, Before: before, Lookups: a.lookups, Verify: first.Op == document.Verify}
		if last.Exists {
			if request.After, err = v.After(ctx, name); err != nil {
				return err
			}
		}
		if err := a.decide(ctx, request); err != nil {
			return err
		}
	}
	return nil
}

// methodOf returns the method of an effect for the rules, given its first and last write and the document as it was
// before the commit. An effect that begins with the precondition that the document exists is an update, and one with
// the opposite precondition a create, whether or not the document exists: preconditions are checked after the rules.
func methodOf(first, last *document.Write, before *document.Document) rules.Method {
	exists := before != nil
	if must := first.Precondition.Exists; must != nil {
		exists = *must
	}
	switch {
	case last.Op == document.Verify:
		return rules.Get
	case last.Op == document.Delete:
		return rules.Delete
	case exists:
		return rules.Update
	}
	return rules.Create
}

// decide decides about one operation. It returns PermissionDenied, or the error of a lookup.
func (a *access) decide(ctx context.Context, request *rules.Request) error {
	switch {
	case a == nil:
		return denied()
	case a.unrestricted:
		return nil
	case a.ruleset == nil:
		return denied()
	case a.reported:
		a.report(request)
		return nil
	}
	request.Auth, request.Time, request.Reader, request.Spend = a.auth, a.time, a, a.spend
	request.Unrecorded = a.unrequested
	if debug := a.rulesets.o.Debug; debug != nil && !a.unrequested {
		request.Debug = func(line int, value string) { debug(a.database, line, value) }
	}
	d, err := a.ruleset.Allow(ctx, request)
	if errors.Is(err, engine.ErrCostly) {
		return err // The decision is made later.
	}
	a.count(request.Method, d.Allowed, err)
	if err != nil {
		return err
	}
	if !a.unrequested {
		a.bill.decided(request.Name.Path, &d)
	}
	if a.rulesets.o.Cover && !a.unrequested {
		a.rulesets.monitor.add(a.ruleset, request, &d)
	}
	if !d.Allowed && !a.unrequested {
		a.rulesets.denials.add(request, &d)
	}
	switch {
	case d.Allowed:
		return nil
	case a.rulesets.o.Detail:
		return fault.E(fault.PermissionDenied, "%s%s", d.Denial(), a.reason(ctx, request))
	}
	return denied()
}

// reason returns the reason of a denial as a further line of its text; empty if that is not requested. The documents
// that the rules have read are not read again.
func (a *access) reason(ctx context.Context, request *rules.Request) string {
	if !a.rulesets.o.Explain || a.unrequested {
		return ""
	}
	again := *request
	again.Spend, again.Debug = nil, nil
	x, err := a.ruleset.Explain(ctx, &again)
	if err != nil || x.Allowed {
		return "" // the denial has been decided already
	}
	return "\n" + x.Sentence
}

// count counts a decision.
func (a *access) count(m rules.Method, allowed bool, err error) {
	decision := meter.Denied
	switch {
	case err != nil:
		decision = meter.Failed
	case allowed:
		decision = meter.Allowed
	}
	a.meter.Decide(bits.TrailingZeros8(uint8(m)), decision) // methods are bits, in the meter's order
}

// report shows an operation to which no rules apply in the request monitor.
func (a *access) report(request *rules.Request) {
	request.Time = a.time
	a.rulesets.monitor.add(a.ruleset, request, &rules.Decision{Allowed: true, Privileged: true})
}
