package readindex

import (
	"strings"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/postgres/readlease"
)

// Index is a read index: a node that has all that it names reads everything that was acknowledged before the index was
// requested.
type Index struct {
	// Seq is the last row of the log.
	Seq int64 `json:"seq"`
	// Rules identifies the rules in force at the leader.
	Rules string `json:"rules"`
	// Versions holds versions for reads of the latest state, by the names of databases. All commits after Seq have greater
	// versions.
	Versions map[string]clock.Version `json:"versions"`
	// Lease is the time from the sending of the request for which no node shows a later row or decides by other rules; 0
	// for none. It ends earlier with the next response on the same stream, which may bring another one.
	Lease time.Duration `json:"-"`
}

// Request is the request for a read index.
type Request struct {
	// Wait lets the leader wait for a short time until the last row of the log differs from After.
	Wait  bool  `json:"wait,omitempty"`
	After int64 `json:"after,omitempty"`
	// Databases lists the names of the databases whose versions are requested.
	Databases []string `json:"databases"`
	// Lease requests a lease, which needs Wait. The leader waits until it can grant one. It is ignored by a leader of an
	// earlier version.
	Lease bool `json:"-"`
	// Holder stands for the stream of the request at the leader; nil without leases. Received is a time after the
	// request's arrival.
	Holder   *readlease.Holder `json:"-"`
	Received time.Time         `json:"-"`
}

// nameOf returns the name of a database in requests.
func nameOf(db resource.Database) string { return db.Project + "/" + db.ID }

// databaseOf returns the database with a name of nameOf.
func databaseOf(name string) resource.Database {
	project, id, _ := strings.Cut(name, "/")
	return resource.Database{Project: project, ID: id}
}
