package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"clave/server/internal/store"
	"clave/server/internal/store/backup/series"
)

// planKey is the key of the schedules of databases in a store.
const planKey = "backup/schedules"

// Planned is a schedule of a database that was made while the server ran.
type Planned struct {
	// ID is the id among those of the database.
	ID       string    `json:"id"`
	Database string    `json:"database"`
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
	// Daily says when backups are made, and for how long they are kept.
	Daily series.Daily `json:"daily"`
}

// Plan has the schedules of databases in a store. It is safe for concurrent use.
type Plan struct {
	store store.Store
	use   func([]series.Daily)
	mu    struct {
		sync.Mutex
		all []Planned
	}
}

// LoadPlan reads the schedules of a store. use receives them, and those after each change.
func LoadPlan(s store.Store, use func([]series.Daily)) (*Plan, error) {
	p := &Plan{store: s, use: use}
	text, found, err := s.Get([]byte(planKey))
	if err == nil && found {
		err = json.Unmarshal(text, &p.mu.all)
	}
	if err != nil {
		return nil, fmt.Errorf("read the schedules of backups: %w", err)
	}
	use(dailies(p.mu.all))
	return p, nil
}

// dailies returns when backups are made and kept by schedules.
func dailies(all []Planned) []series.Daily {
	out := make([]series.Daily, len(all))
	for i, one := range all {
		out[i] = one.Daily
	}
	return out
}

// All returns the schedules.
func (p *Plan) All() []Planned {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mu.all
}

// Change replaces the schedules by those that edit makes of them, without a change of the slice that it receives. They
// are stored when it returns.
func (p *Plan) Change(ctx context.Context, edit func([]Planned) ([]Planned, error)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	next, err := edit(p.mu.all)
	if err != nil {
		return err
	}
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	var b store.Batch
	if b.Set([]byte(planKey), text); len(next) == 0 {
		b = store.Batch{}
		b.Delete([]byte(planKey))
	}
	if err := p.store.Apply(ctx, &b); err != nil {
		return err
	}
	p.mu.all = next
	p.use(dailies(next))
	return nil
}
