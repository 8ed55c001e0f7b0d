package readindex

import (
	"context"
	"errors"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/postgres/readlease"
)

// indexWait is the maximum time for which the leader waits for a row of the log after a node's last one.
const indexWait = 400 * time.Millisecond

// LeaderLog is the log at the node that leads, which writes it.
type LeaderLog interface {
	// Progress returns the last row of the log, and a channel that is closed when there is a later one.
	Progress() (seq int64, changed <-chan struct{})
	// Held returns an error if another node may lead by now.
	Held() error
}

// LeaderStack is the parts that serve reads at the node that leads.
type LeaderStack interface {
	// Latest returns the latest version of a database; 0 if it does not exist.
	Latest(db resource.Database) clock.Version
	// Visible returns a channel that is closed when readers see all rows that the log has now, or nil if they do.
	Visible() <-chan struct{}
}

// IssuerOptions configure an Issuer.
type IssuerOptions struct {
	Log   LeaderLog
	Stack LeaderStack
	// Rules identifies the rules in force.
	Rules func() string
	// Leases are those that the leader grants.
	Leases *readlease.Grants
}

// Validate returns an error if a required option is missing.
func (o *IssuerOptions) Validate() error {
	if o.Log == nil || o.Stack == nil || o.Rules == nil || o.Leases == nil {
		return errors.New("readindex: an issuer needs a log, a stack, rules and leases")
	}
	return nil
}

// Issuer issues read indexes and leases at the node that leads. It is safe for concurrent use.
type Issuer struct{ o IssuerOptions }

// NewIssuer returns an Issuer.
func NewIssuer(o IssuerOptions) (*Issuer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Issuer{o}, nil
}

// Issue responds to a request of a node.
func (i *Issuer) Issue(ctx context.Context, r Request) (index Index, err error) {
	if r.Holder != nil {
		i.o.Leases.Arrived(r.Holder)
	}
	if r.Wait {
		i.await(ctx, r)
	}
	mark := i.o.Leases.Mark()
	// The versions come first: all commits up to them are in the log then, up to the row that is read after them. This
	// node makes the log up to that row visible before another node does.
	index.Versions = make(map[string]clock.Version, len(r.Databases))
	for _, name := range r.Databases {
		if v := i.o.Stack.Latest(databaseOf(name)); v > 0 {
			index.Versions[name] = v
		}
	}
	index.Rules = i.o.Rules()
	index.Seq, _ = i.o.Log.Progress()
	recalled, err := i.visible(ctx, r)
	switch {
	case err != nil:
		return index, err
	case recalled:
		return Index{Seq: r.After, Rules: index.Rules}, i.o.Log.Held()
	case r.Lease && r.Holder != nil && index.Seq == r.After:
		index.Lease = i.o.Leases.Grant(r.Holder, mark, r.Received)
	}
	return index, i.o.Log.Held() // last, so that everything before was read while this node led
}

// visible waits until this node's readers see all of the log. If the node that makes a request has a lease that is
// recalled, visible returns true at once, because this node's readers see no later row before the response.
func (i *Issuer) visible(ctx context.Context, r Request) (recalled bool, err error) {
	written := i.o.Stack.Visible()
	for {
		var turned <-chan struct{}
		if r.Holder != nil {
			if recalled, turned = i.o.Leases.Recalled(r.Holder); recalled {
				return true, nil
			}
		}
		if written == nil {
			return false, nil
		}
		select {
		case <-written:
			written = nil
		case <-turned:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// await waits for a short time until the store has another last row of the log than a request names, or until the lease
// of the node that makes the request is due.
func (i *Issuer) await(ctx context.Context, r Request) {
	late, stop := clock.System().After(indexWait)
	defer stop()
	for over := false; !over; {
		seq, changed := i.o.Log.Progress()
		if seq != r.After { // also if PostgreSQL was reset to an earlier state
			return
		}
		due, after, turned := false, indexWait, (<-chan struct{})(nil)
		if r.Holder != nil {
			due, after, turned = i.o.Leases.Due(r.Holder, r.Lease)
		}
		if due {
			return
		}
		look, stopLook := clock.System().After(after)
		select {
		case <-changed:
		case <-turned:
		case <-look:
		case <-late:
			over = true
		case <-ctx.Done():
			over = true
		}
		stopLook()
	}
}
