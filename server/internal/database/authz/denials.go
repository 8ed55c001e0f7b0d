package authz

import (
	"slices"
	"strings"
	"sync"
	"time"

	"clave/server/internal/model/resource"
	"clave/server/internal/rules"
)

// maxDenials is the number of denials that are kept.
const maxDenials = 100

// Denial is a denial without data: neither ids of documents nor values.
type Denial struct {
	Time time.Time
	DB   resource.Database
	// Method is get, list, create, update or delete. Path is the document's, or that of a query's collection followed by
	// /*, with * in place of each document id.
	Method, Path string
	// Lines are those of the allow statements that were evaluated, and UID the user, empty without one.
	Lines []int
	UID   string
}

// Denials keeps the latest denials, also in production. It is safe for concurrent use.
type Denials struct {
	mu struct {
		sync.Mutex
		latest []Denial // a ring: next is the place of the next denial
		next   int
	}
}

// add adds a denial.
func (l *Denials) add(q *rules.Request, d *rules.Decision) {
	r := rules.NewEvaluation(0, nil, q, d).Record()
	denial := Denial{Time: r.Time, DB: r.DB, Method: r.Method, Path: withoutIDs(r.Path)}
	if r.Auth != nil {
		denial.UID = r.Auth.UID
	}
	for _, s := range r.Statements {
		denial.Lines = append(denial.Lines, s.Line)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.mu.latest) < maxDenials {
		l.mu.latest = append(l.mu.latest, denial)
		return
	}
	l.mu.latest[l.mu.next] = denial
	l.mu.next = (l.mu.next + 1) % maxDenials
}

// forget removes the denials of databases.
func (l *Denials) forget(of func(resource.Database) bool) {
	kept := slices.DeleteFunc(l.Latest(), func(d Denial) bool { return of(d.DB) })
	slices.Reverse(kept)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.latest, l.mu.next = kept, 0
}

// withoutIDs replaces the ids of documents in a path.
func withoutIDs(path string) string {
	ids := strings.Split(path, "/")
	for i := 1; i < len(ids); i += 2 {
		ids[i] = "*"
	}
	return strings.Join(ids, "/")
}

// Latest returns the kept denials, newest first.
func (l *Denials) Latest() []Denial {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Concat(l.mu.latest[l.mu.next:], l.mu.latest[:l.mu.next])
	slices.Reverse(all)
	return all
}
