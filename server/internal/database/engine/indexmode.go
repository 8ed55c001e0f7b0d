package engine

import (
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/planner"
	"clave/server/internal/database/index"
	"clave/server/internal/model/query"
)

// planInput returns the input for plans of the reading's queries.
func (r *Reading) planInput(indexes *indexState) *planner.Input {
	serial := r.view.serial
	return &planner.Input{
		DB: r.db.name, Number: r.db.number.Load(), Indexes: indexes.set, DescendingNames: r.e.o.IndexMode != IndexesOff,
		Serves: func(c *index.Composite) bool { return indexes.serves(c, serial) }, Former: indexes.formerOf(serial),
	}
}

// indexes returns the state of the database's indexes for the reading's view.
func (r *Reading) indexes() *indexState {
	if s := r.view.indexes[r.db.number.Load()]; s != nil {
		return s
	}
	return r.db.indexes.Load()
}

// plan plans a query. It returns Unavailable if the query needs entries while all entries are being written again.
func (r *Reading) plan(q *query.Query) (*planner.Plan, error) {
	indexes := r.indexes()
	plan, err := planner.New(r.planInput(indexes), q)
	if err == nil && r.view.serial < indexes.incompleteUntil && plan.ReadsEntries() {
		return nil, fault.E(fault.Unavailable, "The indexes of the database are being built again. Please try again.")
	}
	return plan, err
}

// admit handles missing indexes according to IndexMode: it reports them and requests their build, or refuses the query.
// It returns their definitions as JSON.
func (r *Reading) admit(p *planner.Plan, q *query.Query) (missing []string, err error) {
	if len(p.Missing) == 0 {
		return nil, nil
	}
	for _, d := range p.Missing {
		missing = append(missing, d.JSON())
	}
	if r.anyPlan {
		return missing, nil
	}
	if r.e.o.Needed != nil {
		for _, d := range p.Missing {
			r.e.o.Needed(r.db.name, d)
		}
	}
	if r.e.o.IndexMode == IndexesEnforce {
		return nil, fault.E(fault.FailedPrecondition, "The query requires an index. You can create it by adding this to "+
			"firestore.indexes.json: %s", strings.Join(missing, ", "))
	}
	for i, definition := range missing {
		key := r.db.name.String() + definition
		if _, reported := r.e.missing.LoadOrStore(key, true); reported {
			continue
		}
		if r.e.o.Missing != nil {
			r.e.o.Missing(r.db.name, p.Missing[i])
			continue
		}
		r.e.o.Log.Warn("query without index: documents are filtered and sorted", "database", r.db.name.String(),
			"collection", strings.TrimPrefix(q.Parent+"/"+q.From[0].Collection, "/"), "index", definition)
	}
	// Only Wanted is built. Missing also has indexes that production requires where the query is read in order without
	// them.
	if r.e.o.IndexMode == IndexesAuto {
		for _, d := range p.Wanted {
			r.e.builder.request(r.db, d)
		}
	}
	return missing, nil
}
