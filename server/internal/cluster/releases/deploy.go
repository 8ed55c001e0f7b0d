package releases

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/database/projectfiles"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/release"
)

// releaseTimeout is the time for which a release waits for a leader.
const releaseTimeout = 20 * time.Second

// Sender sends files to the leader.
type Sender struct {
	// Leader returns the leader and a channel that is closed when it changes. Client sends requests to it.
	Leader func() (forward.Leader, <-chan struct{})
	Client *forward.Client
	// Here returns the service of this node, or nil while it does not lead.
	Here func() *Service
	// alone writes a release while no node leads; nil at a node that may become the leader.
	alone func(ctx context.Context, in Request) (*Released, error)
}

// NoLeader is the Leader of a server that shares its store with no other: there is none, and its channel never says
// that one has come.
func NoLeader() (forward.Leader, <-chan struct{}) { return forward.Leader{}, nil }

// Send sends files to the leader for release, and retries if the leader changes. Retries are safe, because files that
// are in force already make no new release.
func (r *Sender) Send(ctx context.Context, in Request) (*Released, error) {
	var out *Released
	late, err := leaderservice.Retry(ctx, r.Leader, releaseTimeout, func(leader forward.Leader) (err error) {
		out, err = r.try(ctx, leader, in)
		return err
	})
	if late {
		err = fault.Wrap(err, fault.Unavailable, "no leader has answered, so it is unknown whether the files are released: %s. Try again.", fault.Reason(err))
	}
	return out, err
}

// try sends files to the leader once.
func (r *Sender) try(ctx context.Context, leader forward.Leader, in Request) (*Released, error) {
	if here := r.Here(); here != nil {
		return here.Release(ctx, in)
	}
	if leader.Node == "" && r.alone != nil {
		return r.alone(ctx, in)
	}
	if leader.Address == "" {
		return nil, leaderservice.ErrNoLeader
	}
	out := &Released{}
	if err := leaderservice.Call(ctx, r.Client, leader, ServiceName, in, out); err != nil {
		return nil, err
	}
	return out, nil
}

// Command is a command that releases files to the nodes that share a store.
type Command struct {
	// Store is the URL of their PostgreSQL, and By the name of this machine.
	Store, By string
	// Project has the files of firebase.json.
	Project *projectfiles.Project
	// Files are the paths that the command line names, and Database the database that it names, or empty.
	Files    []string
	Database string
	Clock    clock.Clock
	Log      *slog.Logger
}

// Deploy releases files to the nodes that share a store: the files that the command line names, or those that
// firebase.json names.
func (c *Command) Deploy(ctx context.Context) (out *Released, err error) {
	if c.Store == "" {
		return nil, fault.E(fault.FailedPrecondition,
			"clave deploy: name the administration APIs of a server with --admin-api and --key, or the PostgreSQL of nodes with --store or in CLAVE_STORE. A server without --admin-api that keeps its data in a folder decides by its own files: replace them and send it SIGHUP (rules), or restart it (indexes).")
	}
	files, err := c.Read()
	if err != nil {
		return nil, err
	}
	l, err := leaderservice.Dial(ctx, c.Store, c.Log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	s := &Sender{Leader: l.Leader, Client: l.Client, Here: func() *Service { return nil }, alone: c.alone}
	return s.Send(ctx, Request{By: c.By, Files: files})
}

// Read reads and checks the files that the command line names, or those that firebase.json names.
func (c *Command) Read() (release.Files, error) {
	files, err := c.deployed()
	if err != nil {
		return nil, err
	}
	remarks, err := projectfiles.Check(files)
	if err != nil {
		return nil, err
	}
	projectfiles.Print(c.Project.Notices, remarks)
	return files, nil
}

// alone writes a release with which the next leader begins.
func (c *Command) alone(ctx context.Context, in Request) (*Released, error) {
	out := &Released{Alone: true}
	node := postgres.Options{URL: c.Store, Node: in.By, Clock: c.Clock, Log: c.Log}
	err := postgres.ChangeAlone(ctx, node, release.Key(), func(value []byte) ([]byte, error) {
		current, err := release.Decode(value)
		if err != nil {
			return nil, err
		}
		next, changed := current.With(in.Files, in.By, c.Clock.Now())
		out.Version, out.Digest, out.Changed = next.Version, next.Digest(), changed
		if !changed {
			return nil, nil
		}
		return next.Encode()
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// deployed reads the files that the command line names, or those of firebase.json.
func (c *Command) deployed() (release.Files, error) {
	files := make(release.Files)
	if len(c.Files) == 0 {
		for _, d := range c.Project.Databases {
			for _, path := range []string{d.RulesFile, d.IndexesFile} {
				if err := addFile(files, d.ID, path, path == d.RulesFile, "Correct firebase.json."); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, word := range c.Files {
		if err := c.addNamed(files, word); err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, fault.E(fault.InvalidArgument, "clave deploy: firebase.json names no firestore.rules and no firestore.indexes; name the files")
	}
	return files, nil
}

// addFile reads a file of a database. An empty path means no file.
func addFile(files release.Files, id, path string, rules bool, remedy string) error {
	if path == "" {
		return nil
	}
	f, err := projectfiles.ReadText(path, remedy)
	if err != nil {
		return err
	}
	d := files[id]
	if rules {
		d.Rules = f
	} else {
		d.Indexes = f
	}
	files[id] = d
	return nil
}

// addNamed reads a file that the command line names. The file belongs to the databases that have it in firebase.json.
// Any other file is, by its extension, the rules or indexes of --database.
func (c *Command) addNamed(files release.Files, path string) error {
	const remedy = "Name the files, or none for those of firebase.json."
	found := false
	for _, d := range c.Project.Databases {
		for _, own := range []string{d.RulesFile, d.IndexesFile} {
			if c.Database != "" || own == "" || !samePath(own, path) {
				continue
			}
			found = true
			if err := addFile(files, d.ID, path, own == d.RulesFile, remedy); err != nil {
				return err
			}
		}
	}
	if found {
		return nil
	}
	id := c.Database
	if id == "" {
		id = resource.DefaultDatabase
	}
	switch {
	case strings.HasSuffix(path, ".rules"):
		return addFile(files, id, path, true, remedy)
	case strings.HasSuffix(path, ".json"):
		return addFile(files, id, path, false, remedy)
	}
	return fault.E(fault.InvalidArgument, "%s: expected rules (NAME.rules), indexes (NAME.json), or a file that firebase.json names", path)
}

// samePath reports whether two paths name the same file.
func samePath(a, b string) bool {
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	return errX == nil && errY == nil && x == y
}

// SendOwn releases the files that firebase.json names for some databases of a node, and reports the result to the
// notices of the project and the log.
func (r *Sender) SendOwn(ctx context.Context, node string, p *projectfiles.Project, databases []release.Paths, log *slog.Logger) {
	of := *p
	of.Databases = databases
	files, err := (&Command{Project: &of}).deployed()
	if err == nil {
		var remarks []string
		remarks, err = projectfiles.Check(files)
		projectfiles.Print(p.Notices, remarks)
	}
	var out *Released
	if err == nil {
		out, err = r.Send(ctx, Request{By: node, Files: files})
	}
	switch {
	case err != nil:
		fmt.Fprintf(p.Notices, "Rules and indexes not changed:\n%s\n", fault.Reason(err))
		log.Error("rules and indexes were not changed", "error", err)
	case !out.Changed:
		fmt.Fprintf(p.Notices, "Release %d (%s) has these files already\n", out.Version, out.Digest)
	default:
		fmt.Fprintf(p.Notices, "Released %d (%s)\n", out.Version, out.Digest)
	}
}
