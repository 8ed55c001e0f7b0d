package leaderservice

import (
	"context"
	"errors"
	"log/slog"

	"clave/server/internal/cluster/forward"
	"clave/server/internal/store/postgres"
)

// Client calls services of the leader of a store, for a process that is not a node.
type Client struct {
	// Leader returns the leader and a channel that is closed when it changes.
	Leader func() (forward.Leader, <-chan struct{})
	// Client sends requests to it.
	Client *forward.Client
	// Close ends both.
	Close func() error
}

// Dial finds the leader in the PostgreSQL at a URL and follows its changes until Close is called.
func Dial(ctx context.Context, url string, log *slog.Logger) (_ *Client, err error) {
	members, err := postgres.OpenMembers(ctx, url, log)
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
	return &Client{Of(members), client, func() error {
		stop()
		err := <-ended
		client.Close()
		_ = members.Close() // which has read only
		return err
	}}, nil
}

// Of returns the leader in the form of package forward.
func Of(m *postgres.Members) func() (forward.Leader, <-chan struct{}) {
	return func() (forward.Leader, <-chan struct{}) {
		l, changed := m.Leader()
		return forward.Leader{Node: l.Node, Address: l.Inner, Epoch: l.Epoch}, changed
	}
}
