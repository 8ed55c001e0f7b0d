package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"

	"clave/server/internal/app/config"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/database/projectfiles"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
	"clave/server/internal/store/release"
)

// How rules and indexes come into force on nodes that share a store. The release in the store is authoritative; a
// node's own files supply rules and indexes that were never released, which is all of them at the first start. `clave
// deploy`, and SIGHUP at any node, check files and send them to a service of the leader. The leader builds the indexes,
// writes the release into the store, puts the rules in force and then responds. So a node with a state of the store has
// the release of that state, and a new leader begins with it. Texts that are in force already make no new release, so a
// request whose outcome is unknown can be repeated.

// releaseService is the name of the leader's service that releases files.
const releaseService = "release"

// maxRelease is the maximum size of a request to release files, in bytes.
const maxRelease = 8 << 20

// releases holds the rules and indexes in force at the leader.
type releases struct {
	app      *App
	store    dataStore
	engine   *engine.Engine
	rulesets *authz.Rulesets
	clock    clock.Clock
	log      *slog.Logger
	notices  io.Writer
	mu       struct {
		sync.Mutex
		current *release.Release
	}
}

// releaseRequest is the body of a request to release files, of the node or machine By.
type releaseRequest struct {
	By    string        `json:"by"`
	Files release.Files `json:"files"`
}

// Released is a release without its texts.
type Released struct {
	Version int64  `json:"version"`
	Digest  string `json:"digest"`
	// Changed is false if its files were in force already.
	Changed bool `json:"changed"`
	// Alone is true if no node led: the next leader puts the files in force.
	Alone bool `json:"-"`
}

// beginRelease returns the release in force on a store that this node writes: the stored one, completed with the node's
// own files.
func (a *App) beginRelease(store store.Reader) (*release.Release, error) {
	r, err := release.Load(store)
	if err != nil {
		return nil, err
	}
	serves := a.nodes != nil
	own, err := a.files().Own(r, serves)
	if err != nil {
		return nil, err
	}
	missing := r.Missing(own)
	remarks, err := projectfiles.Check(missing)
	if err != nil {
		return nil, err
	}
	projectfiles.Print(a.o.Notices, remarks)
	if differ := r.Differing(own); serves && len(differ) > 0 {
		fmt.Fprintf(a.o.Notices, "Release %d is in force, not the content of this node's %s (clave deploy, or SIGHUP, releases it)\n", r.Version, strings.Join(differ, ", "))
	}
	next, _ := r.With(missing, a.nodeOrHost(), a.o.Clock.Now())
	return next, nil
}

// nodeOrHost returns the name of the releasing node or machine.
func (a *App) nodeOrHost() string {
	if a.nodes != nil {
		return a.nodes.name
	}
	return "clave on " + hostName()
}

// hostName returns the machine's name.
func hostName() string {
	if host, err := os.Hostname(); err == nil {
		return host
	}
	return "a machine without a name"
}

// openReleases puts the rules of the release in force before requests are served, and registers the service that
// releases further files.
func (a *App) openReleases(ctx context.Context, s *state, rulesets *authz.Rulesets) error {
	r := &releases{app: a, store: s.store, engine: s.engine, rulesets: rulesets, clock: a.o.Clock, log: a.o.Log, notices: a.o.Notices}
	stored, err := release.Load(s.store)
	if err != nil {
		return err
	}
	if stored.Version != s.release.Version {
		if err := r.save(ctx, s.release); err != nil {
			return err
		}
	}
	r.mu.current = s.release
	if err := r.putInForce(s.release.Files); err != nil {
		return err
	}
	if !a.config.Production() {
		a.watchRules(func(ctx context.Context, d config.Database) { a.releaseOwn(ctx, []config.Database{d}) })
	}
	a.nodes.releases.Store(r)
	a.nodes.services[releaseService] = leaderService(maxRelease, r.serve)
	return nil
}

// save writes a release into the store and logs it.
func (s *releases) save(ctx context.Context, r *release.Release) error {
	value, err := r.Encode()
	if err != nil {
		return err
	}
	var b store.Batch
	b.Set(release.Key(), value)
	if err := s.store.Apply(ctx, &b); err != nil {
		return err
	}
	s.log.Info("rules and indexes released", "version", r.Version, "digest", r.Digest(), "by", r.By)
	return nil
}

// putInForce puts rules in force.
func (s *releases) putInForce(files release.Files) error {
	return s.app.files().PutInForce(s.rulesets, files)
}

// release checks files, puts them in force and makes them the release of the store, or changes nothing. It returns
// Unavailable if this node stops leading meanwhile: a retry finds out at the next leader whether the release was
// written.
func (s *releases) release(ctx context.Context, in releaseRequest) (*Released, error) {
	out, err := s.replace(ctx, in)
	for _, ended := range []error{store.ErrClosed, engine.ErrClosed, store.ErrMoved} {
		if errors.Is(err, ended) && !fault.Is(err, fault.Unavailable) {
			return nil, fault.Wrap(err, fault.Unavailable, "This node stopped leading during the release. Please try again.")
		}
	}
	return out, err
}

// replace is release, with the errors of the store.
func (s *releases) replace(ctx context.Context, in releaseRequest) (*Released, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.check(in.Files); err != nil {
		return nil, err
	}
	next, changed := s.mu.current.With(in.Files, in.By, s.clock.Now())
	out := &Released{Version: next.Version, Digest: next.Digest(), Changed: changed}
	if !changed {
		return out, nil
	}
	before, err := s.app.files().Definitions(s.mu.current.Files)
	if err != nil {
		return nil, err
	}
	after, err := s.app.files().Definitions(in.Files)
	if err != nil {
		return nil, err
	}
	// Indexes come first: once the rules are released queries may need them, and a failure is found before anything is
	// in force.
	if err = s.changeIndexes(ctx, after); err == nil {
		err = s.save(ctx, next)
	}
	if err != nil {
		for db := range after {
			after[db] = before[db] // none, if these are its first
		}
		if undo := s.changeIndexes(context.WithoutCancel(ctx), after); undo != nil {
			s.log.Error("indexes that were not released stay until the next start", "error", undo)
		}
		return nil, err
	}
	s.mu.current = next
	fmt.Fprintf(s.notices, "Release %d (%s) is in force, by %s\n", next.Version, next.Digest(), in.By)
	return out, s.putInForce(in.Files)
}

// check returns an error if files can't be released.
func (s *releases) check(files release.Files) error {
	for id := range files {
		named := slices.ContainsFunc(s.app.config.Databases, func(d config.Database) bool { return d.ID == id })
		if s.app.config.Production() && !named {
			return fault.E(fault.FailedPrecondition, "database %s: the leader's firebase.json does not name it. Add it there, at each node, and start the nodes again.", id)
		}
	}
	_, err := projectfiles.Check(files)
	return err
}

// changeIndexes builds and drops indexes according to definitions.
func (s *releases) changeIndexes(ctx context.Context, all map[resource.Database]index.Definitions) error {
	for db, defs := range all {
		if err := s.engine.ChangeIndexes(ctx, db, defs); err != nil {
			return err
		}
		if s.app.consoleData != nil {
			s.app.consoleData.define(db, defs.Indexes)
		}
	}
	return nil
}

// serve serves a request of another node or a command to release files.
func (s *releases) serve(ctx context.Context, in releaseRequest) (*Released, error) {
	out, err := s.release(ctx, in)
	if err != nil && fault.CodeOf(err) == fault.Internal {
		s.log.Error("files were not released", "by", in.By, "error", err)
	}
	return out, err
}
