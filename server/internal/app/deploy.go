package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/database/projectfiles"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/release"
)

// The time for which a release waits for a leader, and the interval of its checks.
const (
	releaseTimeout = 20 * time.Second
)

// releaser sends files to the leader.
type releaser struct {
	leader func() (forward.Leader, <-chan struct{})
	client *forward.Client
	// here returns the release service of this node, or nil while it does not lead.
	here func() *releases
	// alone writes a release while no node leads; nil at a node that may become the leader.
	alone func(ctx context.Context, in releaseRequest) (*Released, error)
}

// send sends files to the leader for release, and retries if the leader changes. Retries are safe, because files that
// are in force already make no new release.
func (r *releaser) send(ctx context.Context, in releaseRequest) (*Released, error) {
	var out *Released
	late, err := withLeader(ctx, r.leader, releaseTimeout, func(leader forward.Leader) (err error) {
		out, err = r.try(ctx, leader, in)
		return err
	})
	if late {
		err = fault.Wrap(err, fault.Unavailable, "no leader has answered, so it is unknown whether the files are released: %s. Try again.", fault.Reason(err))
	}
	return out, err
}

// try sends files to the leader once.
func (r *releaser) try(ctx context.Context, leader forward.Leader, in releaseRequest) (*Released, error) {
	if here := r.here(); here != nil {
		return here.release(ctx, in)
	}
	if leader.Node == "" && r.alone != nil {
		return r.alone(ctx, in)
	}
	if leader.Address == "" {
		return nil, errNoLeader
	}
	out := &Released{}
	if err := callLeader(ctx, r.client, leader, releaseService, in, out); err != nil {
		return nil, err
	}
	return out, nil
}

// Deploy releases files to the nodes that share a store: the files that the command line names, or those that
// firebase.json names.
func Deploy(ctx context.Context, c *config.Config, o Options) (out *Released, err error) {
	o.EnsureDefaults()
	if c.Store == "" {
		return nil, fault.E(fault.FailedPrecondition,
			"clave deploy: name the PostgreSQL of the nodes with --store or in CLAVE_STORE. A server that keeps its data in a folder decides by its own files: replace them and send it SIGHUP (rules), or restart it (indexes).")
	}
	files, err := deployed(c)
	if err != nil {
		return nil, err
	}
	remarks, err := projectfiles.Check(files)
	if err != nil {
		return nil, err
	}
	projectfiles.Print(o.Notices, remarks)
	l, err := dialLeader(ctx, c, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	r := &releaser{leader: l.leader, client: l.client, here: func() *releases { return nil }}
	r.alone = func(ctx context.Context, in releaseRequest) (*Released, error) { return releaseAlone(ctx, c, o, in) }
	return r.send(ctx, releaseRequest{By: "clave deploy on " + hostName(), Files: files})
}

// leaderClient calls services of the leader of a store, for a process that is not a node.
type leaderClient struct {
	leader func() (forward.Leader, <-chan struct{})
	client *forward.Client
	close  func() error
}

// dialLeader finds the leader in PostgreSQL and follows its changes until close is called.
func dialLeader(ctx context.Context, c *config.Config, o Options) (_ *leaderClient, err error) {
	members, err := postgres.OpenMembers(ctx, c.Store, o.Log)
	if err != nil {
		return nil, err
	}
	secret, err := members.Secret(ctx)
	var client *forward.Client
	if err == nil {
		client, err = forward.NewClient(secret)
	}
	if err != nil {
		return nil, errors.Join(err, members.Close())
	}
	looking, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- members.Run(looking) }()
	return &leaderClient{leaderOf(members), client, func() error {
		stop()
		err := <-ended
		client.Close()
		_ = members.Close() // which has read only
		return err
	}}, nil
}

// leaderOf returns the leader in the form of package forward.
func leaderOf(m *postgres.Members) func() (forward.Leader, <-chan struct{}) {
	return func() (forward.Leader, <-chan struct{}) {
		l, changed := m.Leader()
		return forward.Leader{Node: l.Node, Address: l.Inner, Epoch: l.Epoch}, changed
	}
}

// releaseAlone writes a release with which the next leader begins.
func releaseAlone(ctx context.Context, c *config.Config, o Options, in releaseRequest) (*Released, error) {
	out := &Released{Alone: true}
	node := postgres.Options{URL: c.Store, Node: in.By, Clock: o.Clock, Log: o.Log}
	err := postgres.ChangeAlone(ctx, node, release.Key(), func(value []byte) ([]byte, error) {
		current, err := release.Decode(value)
		if err != nil {
			return nil, err
		}
		next, changed := current.With(in.Files, in.By, o.Clock.Now())
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

// deployed reads the files that a command line names, or those of firebase.json.
func deployed(c *config.Config) (release.Files, error) {
	files := make(release.Files)
	if len(c.Command) == 0 {
		for _, d := range c.Databases {
			for _, path := range []string{d.RulesFile, d.IndexesFile} {
				if err := addFile(files, d.ID, path, path == d.RulesFile, "Correct firebase.json."); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, word := range c.Command {
		if err := addNamed(files, c, word); err != nil {
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
func addNamed(files release.Files, c *config.Config, path string) error {
	const remedy = "Name the files, or none for those of firebase.json."
	found := false
	for _, d := range c.Databases {
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

// releaseOwn releases the files of this node that firebase.json names, at SIGHUP.
func (a *App) releaseOwn(ctx context.Context, databases []config.Database) {
	of := *a.config
	of.Command, of.Databases = nil, databases
	files, err := deployed(&of)
	if err == nil {
		var remarks []string
		remarks, err = projectfiles.Check(files)
		projectfiles.Print(a.o.Notices, remarks)
	}
	var out *Released
	if err == nil {
		r := &releaser{leader: leaderOf(a.nodes.members), client: a.nodes.node.Client(), here: a.nodes.releases.Load}
		out, err = r.send(ctx, releaseRequest{By: a.nodes.name, Files: files})
	}
	switch {
	case err != nil:
		fmt.Fprintf(a.o.Notices, "Rules and indexes not changed:\n%s\n", fault.Reason(err))
		a.o.Log.Error("rules and indexes were not changed", "error", err)
	case !out.Changed:
		fmt.Fprintf(a.o.Notices, "Release %d (%s) has these files already\n", out.Version, out.Digest)
	default:
		fmt.Fprintf(a.o.Notices, "Released %d (%s)\n", out.Version, out.Digest)
	}
}
