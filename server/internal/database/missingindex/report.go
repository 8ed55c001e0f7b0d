package missingindex

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/index"
	"clave/server/internal/httpx/httpjson"
	"clave/server/internal/model/resource"
)

// ServiceName is the name of the leader's service that receives the indexes which queries at other nodes lacked.
const ServiceName = "lacking"

// maxReport is the maximum size of a report, in bytes.
const maxReport = 8 << 20

// maxQueued is the maximum number of missing indexes that a node has not reported yet.
const maxQueued = 100

// report is an index that a query at a node lacked.
type report struct {
	Project  string `json:"project"`
	Database string `json:"database"`
	// Definition has the form of an index in firestore.indexes.json.
	Definition json.RawMessage `json:"definition"`
	// Wanted is set if the index is to be built with --indexes=auto.
	Wanted bool `json:"wanted"`
}

// Reports are the indexes that queries at a node lacked, and that its leader does not know yet.
type Reports struct{ queue chan report }

// NewReports returns an empty queue.
func NewReports() Reports { return Reports{make(chan report, maxQueued)} }

// Note returns a function for engine.Options that queues an index for Send. If the queue is full it drops the index.
func (r Reports) Note(wanted bool) func(resource.Database, index.Definition) {
	return func(db resource.Database, d index.Definition) {
		select {
		case r.queue <- report{Project: db.Project, Database: db.ID, Definition: json.RawMessage(d.JSON()), Wanted: wanted}:
		default:
		}
	}
}

// Send sends the indexes to the leader until ctx ends. call sends a request to a service of the leader and reports
// whether the leader has it; Send repeats it after a pause otherwise.
func (r Reports) Send(ctx context.Context, call func(ctx context.Context, service string, body []byte) bool, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case missing := <-r.queue:
			body, err := json.Marshal(missing)
			if err != nil {
				log.Error("an index that a query lacked is not reported", "error", err)
				continue
			}
			for !call(ctx, ServiceName, body) && ctx.Err() == nil {
				_ = clock.Sleep(ctx, clock.System(), sendPause) // or ctx is done
			}
		}
	}
}

// sendPause is the time after which a report is sent again.
const sendPause = 100 * time.Millisecond

// Engine builds the indexes that queries lack.
type Engine interface {
	// MissingIndex handles an index that a query at another node lacked, as if a query here did. wanted is set if it is
	// to be built.
	MissingIndex(db resource.Database, d index.Definition, wanted bool) error
}

// Handler returns the service of a leader that receives reports, under ServiceName.
func Handler(e Engine, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in report
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxReport)).Decode(&in)
		if err == nil {
			err = in.handle(e)
		}
		if err != nil { // another attempt of the node would have the same result
			log.Warn("an index that a query at another node lacked is not built", "error", err)
		}
		httpjson.Write(w, http.StatusOK, struct{}{})
	})
}

// handle gives the index to the engine.
func (r *report) handle(e Engine) error {
	defs, _, err := index.ParseDefinitions([]byte(`{"indexes":[` + string(r.Definition) + `]}`))
	if err != nil {
		return err
	}
	for _, d := range defs.Indexes {
		if err := e.MissingIndex(resource.Database{Project: r.Project, ID: r.Database}, d, r.Wanted); err != nil {
			return err
		}
	}
	return nil
}
