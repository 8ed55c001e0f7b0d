package app

import (
	"context"
	"encoding/json"
	"net/http"

	"clave/server/internal/base/clock"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/httpx/httpjson"
	"clave/server/internal/model/resource"
)

// missingIndexService is the name of the leader's service that receives the indexes which queries at other nodes
// lacked.
const missingIndexService = "lacking"

// maxMissingIndex is the maximum size of a report, in bytes.
const maxMissingIndex = 8 << 20

// maxMissingIndexes is the maximum number of missing indexes that a node has not reported yet.
const maxMissingIndexes = 100

// missingIndex is an index that a query at a node lacked.
type missingIndex struct {
	Project  string `json:"project"`
	Database string `json:"database"`
	// Definition has the form of an index in firestore.indexes.json.
	Definition json.RawMessage `json:"definition"`
	// Wanted is set if the index is to be built with --indexes=auto.
	Wanted bool `json:"wanted"`
}

// noteMissing returns a function for engine.Options that queues an index for reportMissing. If the queue is full it
// drops the index.
func (s *replicaStack) noteMissing(wanted bool) func(resource.Database, index.Definition) {
	return func(db resource.Database, d index.Definition) {
		select {
		case s.missing <- missingIndex{Project: db.Project, Database: db.ID, Definition: json.RawMessage(d.JSON()), Wanted: wanted}:
		default:
		}
	}
}

// reportMissing reports the indexes that queries here lacked to the leader until ctx ends.
func (s *replicaStack) reportMissing(ctx context.Context) {
	n := s.app.nodes
	leaderNow := leaderservice.Of(n.members)
	for {
		select {
		case <-ctx.Done():
			return
		case missing := <-s.missing:
			body, err := json.Marshal(missing)
			if err != nil {
				s.app.o.Log.Error("an index that a query lacked is not reported", "error", err)
				continue
			}
			for status := 0; status != http.StatusOK && ctx.Err() == nil; {
				leader, _ := leaderNow()
				if status, _, err = n.node.Client().Call(ctx, leader, missingIndexService, body); err != nil || status != http.StatusOK {
					_ = clock.Sleep(ctx, clock.System(), contactPause) // or ctx is done
				}
			}
		}
	}
}

// offerMissingIndexes registers the service that receives the indexes which queries at other nodes lacked.
func (a *App) offerMissingIndexes(e *engine.Engine) {
	a.nodes.services[missingIndexService] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in missingIndex
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxMissingIndex)).Decode(&in)
		if err == nil {
			err = in.handle(e)
		}
		if err != nil { // another attempt of the node would have the same result
			a.o.Log.Warn("an index that a query at another node lacked is not built", "error", err)
		}
		httpjson.Write(w, http.StatusOK, struct{}{})
	})
}

// handle gives the index to the engine.
func (l *missingIndex) handle(e *engine.Engine) error {
	defs, _, err := index.ParseDefinitions([]byte(`{"indexes":[` + string(l.Definition) + `]}`))
	if err != nil {
		return err
	}
	for _, d := range defs.Indexes {
		if err := e.MissingIndex(resource.Database{Project: l.Project, ID: l.Database}, d, l.Wanted); err != nil {
			return err
		}
	}
	return nil
}
