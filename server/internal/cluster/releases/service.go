package releases

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/database/projectfiles"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
	"clave/server/internal/store/release"
)

// ServiceName is the name of the leader's service that releases files.
const ServiceName = "release"

// maxRelease is the maximum size of a request to release files, in bytes.
const maxRelease = 8 << 20

// Engine builds and drops indexes.
type Engine interface {
	// ChangeIndexes makes the definitions those of a database, and returns when all indexes are built. The zero
	// Database means all databases without definitions of their own.
	ChangeIndexes(ctx context.Context, db resource.Database, defs index.Definitions) error
}

// Options are the parts of a leader that a release changes.
type Options struct {
	// Project has the files of firebase.json. In production only its databases get releases.
	Project  *projectfiles.Project
	Store    store.Store
	Engine   Engine
	Rulesets *authz.Rulesets
	// Defined, unless nil, is called with the indexes of each database that a release defines.
	Defined func(db resource.Database, indexes []index.Definition)
	Clock   clock.Clock
	Log     *slog.Logger
}

// Service holds the rules and indexes in force at the leader.
type Service struct {
	o Options
	// indexing is held while indexes change, which may take long. Rules can be released meanwhile.
	indexing sync.Mutex
	// making is held while a database is made.
	making sync.Mutex
	mu     struct {
		sync.Mutex
		current *release.Release
	}
}

// Request is the body of a request to release files, of the node or machine By.
type Request struct {
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

// Begin returns the release in force on a store that this node or machine writes: the stored one, completed with its
// own files. serves is set for a node, which serves requests by it.
func Begin(st store.Reader, p *projectfiles.Project, by string, serves bool, now time.Time) (*release.Release, error) {
	r, err := release.Load(st)
	if err != nil {
		return nil, err
	}
	own, err := p.Own(r, serves)
	if err != nil {
		return nil, err
	}
	missing := r.Missing(own)
	remarks, err := projectfiles.Check(missing)
	if err != nil {
		return nil, err
	}
	projectfiles.Print(p.Notices, remarks)
	if differ := r.Differing(own); serves && len(differ) > 0 {
		fmt.Fprintf(p.Notices, "Release %d is in force, not the content of this node's %s (clave deploy, or SIGHUP, releases it)\n", r.Version, strings.Join(differ, ", "))
	}
	next, _ := r.With(missing, by, now)
	return next, nil
}

// Open puts the rules of the release with which a leader begins in force, before requests are served, and writes it
// into the store unless it is there.
func Open(ctx context.Context, o Options, begun *release.Release) (*Service, error) {
	s := &Service{o: o}
	stored, err := release.Load(o.Store)
	if err != nil {
		return nil, err
	}
	if stored.Version != begun.Version {
		if err := s.save(ctx, begun); err != nil {
			return nil, err
		}
	}
	s.mu.current = begun
	s.o.Project.Made.Use(begun)
	return s, s.putInForce(begun.Files)
}

// Handler serves requests of other nodes and commands to release files, under ServiceName.
func (s *Service) Handler() http.Handler { return leaderservice.Handler(maxRelease, s.serve) }

// save writes a release into the store and logs it.
func (s *Service) save(ctx context.Context, r *release.Release) error {
	value, err := r.Encode()
	if err != nil {
		return err
	}
	var b store.Batch
	b.Set(release.Key(), value)
	if err := s.o.Store.Apply(ctx, &b); err != nil {
		return err
	}
	s.o.Log.Info("rules and indexes released", "version", r.Version, "digest", r.Digest(), "by", r.By)
	return nil
}

// putInForce puts rules in force.
func (s *Service) putInForce(files release.Files) error {
	return s.o.Project.PutInForce(s.o.Rulesets, files)
}

// Release checks files, puts them in force and makes them the release of the store, or changes nothing. It returns
// Unavailable if this node stops leading meanwhile: a retry finds out at the next leader whether the release was
// written.
func (s *Service) Release(ctx context.Context, in Request) (*Released, error) {
	out, err := s.replace(ctx, in)
	return out, s.ended(err)
}

// ended returns Unavailable for the error of a store or an engine that has ended, and other errors as they are.
func (s *Service) ended(err error) error {
	for _, ended := range []error{store.ErrClosed, engine.ErrClosed, store.ErrMoved} {
		if errors.Is(err, ended) && !fault.Is(err, fault.Unavailable) {
			return fault.Wrap(err, fault.Unavailable, "This node stopped leading during the release. Please try again.")
		}
	}
	return err
}

// replace is Release, with the errors of the store.
func (s *Service) replace(ctx context.Context, in Request) (*Released, error) {
	if err := s.check(in.Files); err != nil {
		return nil, err
	}
	for _, d := range in.Files {
		if d.Indexes != nil {
			s.indexing.Lock()
			defer s.indexing.Unlock()
			return s.replaceIndexes(ctx, in)
		}
	}
	return s.swap(ctx, in)
}

// ChangeIndexes releases other index definitions of a database: edit receives those of the release and returns those
// that replace them. It returns when all indexes are built.
func (s *Service) ChangeIndexes(ctx context.Context, by, id string, edit func(index.Definitions) (index.Definitions, error)) error {
	s.indexing.Lock()
	defer s.indexing.Unlock()
	if err := ctx.Err(); err != nil { // the caller may have waited for long
		return err
	}
	defs, err := s.Definitions(id)
	if err != nil {
		return err
	}
	if defs, err = edit(defs); err != nil {
		return err
	}
	file := &release.File{Name: "firestore.indexes.json", Text: string(index.Format(defs))}
	in := Request{By: by, Files: release.Files{id: {Indexes: file}}}
	if err := s.check(in.Files); err != nil {
		return err
	}
	_, err = s.replaceIndexes(ctx, in)
	return s.ended(err)
}

// Current returns the release in force.
func (s *Service) Current() *release.Release {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.current
}

// Definitions returns the index definitions of a database in the release in force.
func (s *Service) Definitions(id string) (index.Definitions, error) {
	all, err := s.o.Project.Definitions(release.Files{id: s.Current().Files[id]})
	for _, defs := range all { // at most one
		return defs, err
	}
	return index.Definitions{}, err
}

// replaceIndexes is replace for files with indexes; indexing is held.
func (s *Service) replaceIndexes(ctx context.Context, in Request) (*Released, error) {
	current := s.Current()
	if same, changed := current.With(in.Files, in.By, s.o.Clock.Now()); !changed {
		return &Released{Version: same.Version, Digest: same.Digest()}, nil
	}
	before, err := s.o.Project.Definitions(current.Files)
	if err != nil {
		return nil, err
	}
	after, err := s.o.Project.Definitions(in.Files)
	if err != nil {
		return nil, err
	}
	// Indexes come first: once the rules are released queries may need them, and a failure is found before anything is
	// in force.
	out := (*Released)(nil)
	if err = s.changeIndexes(ctx, after); err == nil {
		out, err = s.swap(ctx, in)
	}
	if err != nil {
		for db := range after {
			after[db] = before[db] // none, if these are its first
		}
		if undo := s.changeIndexes(context.WithoutCancel(ctx), after); undo != nil {
			s.o.Log.Error("indexes that were not released stay until the next start", "error", undo)
		}
		return nil, err
	}
	return out, nil
}

// swap writes a release, whose indexes are built, and puts its rules in force.
func (s *Service) swap(ctx context.Context, in Request) (*Released, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.exist(in.Files); err != nil { // A database may have been deleted since check.
		return nil, err
	}
	next, changed := s.mu.current.With(in.Files, in.By, s.o.Clock.Now())
	out := &Released{Version: next.Version, Digest: next.Digest(), Changed: changed}
	if !changed {
		return out, nil
	}
	if err := s.save(ctx, next); err != nil {
		return nil, err
	}
	s.mu.current = next
	s.o.Project.Made.Use(next)
	fmt.Fprintf(s.o.Project.Notices, "Release %d (%s) is in force, by %s\n", next.Version, next.Digest(), in.By)
	return out, s.putInForce(in.Files)
}

// check returns an error if files can't be released.
func (s *Service) check(files release.Files) error {
	for _, d := range files {
		if d.Made != nil {
			return fault.E(fault.InvalidArgument, "Databases are made by the administration API.")
		}
	}
	if err := s.exist(files); err != nil {
		return err
	}
	_, err := projectfiles.Check(files)
	return err
}

// exist returns an error if files are of a database that the server does not have. Otherwise a later database of the
// name would have them.
func (s *Service) exist(files release.Files) error {
	for id, d := range files {
		if s.o.Project.Production && !s.named(id) && !s.o.Project.Made.Has(id) && d.Made == nil {
			return fault.E(fault.FailedPrecondition, "database %s: the leader's firebase.json does not name it. Add it there, at each node, and start the nodes again.", id)
		}
	}
	return nil
}

// named reports whether firebase.json names a database.
func (s *Service) named(id string) bool {
	return slices.ContainsFunc(s.o.Project.Databases, func(d release.Paths) bool { return d.ID == id })
}

// changeIndexes builds and drops indexes according to definitions.
func (s *Service) changeIndexes(ctx context.Context, all map[resource.Database]index.Definitions) error {
	for db, defs := range all {
		if err := s.o.Engine.ChangeIndexes(ctx, db, defs); err != nil {
			return err
		}
		if s.o.Defined != nil {
			s.o.Defined(db, defs.Indexes)
		}
	}
	return nil
}

// serve serves a request of another node or a command to release files.
func (s *Service) serve(ctx context.Context, in Request) (*Released, error) {
	out, err := s.Release(ctx, in)
	if err != nil && fault.CodeOf(err) == fault.Internal {
		s.o.Log.Error("files were not released", "by", in.By, "error", err)
	}
	return out, err
}
