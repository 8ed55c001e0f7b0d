package mcpserver

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/suite/seed"
)

// maxSeed is the maximum size of a seed in an argument, in bytes.
const maxSeed = 1 << 20

// seedIn is a seed.
type seedIn struct {
	Place
	Seed  string `json:"seed" jsonschema:"documents and users in YAML or JSON, such as {documents: {users: {ann: {name: Ann}}}, users: {ann: {email: ann@example.org}}}"`
	Prune bool   `json:"prune,omitempty" jsonschema:"also delete documents that the seed lacks from its collections, and accounts beside those of the seed"`
}

// addSeeds adds the tool that compares seeds.
func (t *tools) addSeeds() {
	add(t.server, reading("diff_seed", "Compare a seed", "Compares a seed of documents and accounts with a project, and returns what differs. Passwords are not shown."+warning),
		func(ctx context.Context, in seedIn) (any, error) {
			_, found, err := t.compare(ctx, in)
			if err != nil {
				return nil, err
			}
			return list(found, func(d *seed.Difference) string { return d.Name })
		})
}

// compare compares a seed with a project. It returns the project and what differs.
func (t *tools) compare(ctx context.Context, in seedIn) (*seed.Target, []*seed.Difference, error) {
	if len(in.Seed) > maxSeed {
		return nil, nil, fault.E(fault.InvalidArgument, "the seed has more than %d bytes", maxSeed)
	}
	db, err := t.client.database(in.Place)
	if err != nil {
		return nil, nil, err
	}
	now := clock.System().Now()
	var state struct {
		Now time.Time `json:"now"`
	}
	if !t.client.Production() && t.client.control(ctx, http.MethodGet, "projects/"+url.PathEscape(db.Project)+":clock", nil, &state) == nil {
		now = state.Now
	}
	s, err := seed.Load([]seed.Source{{Name: "seed.yaml", Text: []byte(in.Seed)}}, seed.Options{DB: db, Now: now})
	if err != nil {
		return nil, nil, err
	}
	target := t.client.target(db)
	found, err := seed.Compare(ctx, target, s, in.Prune)
	return target, found, err
}

// addWrites adds the tools that change data.
func (t *tools) addWrites() {
	add(t.server, writing("apply_seed", "Apply a seed", "Writes what differs between a seed of documents and accounts and a project, and returns it."+warning),
		func(ctx context.Context, in seedIn) (any, error) {
			target, found, err := t.compare(ctx, in)
			if err == nil {
				err = seed.Apply(ctx, target, found)
			}
			if err != nil {
				return nil, err
			}
			return list(found, func(d *seed.Difference) string { return d.Name })
		})
	if t.client.Production() {
		return
	}
	add(t.server, writing("advance_clock", "Advance the clock", "Advances the clock of a project by a duration, or resets it."), t.advance)
}

// advanceIn is a change of a project's clock.
type advanceIn struct {
	Place
	By    string `json:"by,omitempty" jsonschema:"duration such as 90m"`
	Reset bool   `json:"reset,omitempty" jsonschema:"reset the clock to the server's"`
}

// advance changes a project's clock.
func (t *tools) advance(ctx context.Context, in advanceIn) (any, error) {
	db, err := t.client.database(in.Place)
	if err != nil {
		return nil, err
	}
	if (in.By == "") != in.Reset {
		return nil, fault.E(fault.InvalidArgument, "give by or reset")
	}
	var out map[string]any
	path := "projects/" + url.PathEscape(db.Project)
	if in.Reset {
		err = t.client.control(ctx, http.MethodDelete, path+":clock", nil, &out)
	} else {
		err = t.client.control(ctx, http.MethodPost, path+":advance", map[string]string{"by": in.By}, &out)
	}
	return out, err
}
