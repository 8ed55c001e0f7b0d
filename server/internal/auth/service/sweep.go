package service

import (
	"context"
	"errors"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/authapp"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/auth/service/pending"
	"clave/server/internal/auth/service/session"
	"clave/server/internal/auth/service/sms"
)

// sweepEvery is the interval between removals of expired items. deadSession is the time for which a session that has
// ended is kept, so that a refresh returns the reason.
const (
	sweepEvery  = time.Hour
	deadSession = 30 * 24 * time.Hour
)

// Run sends queued codes and periodically removes expired codes and sessions, until ctx is done. If another node does
// so (Follow), it only waits.
func (s *Service) Run(ctx context.Context) error {
	if s.o.Follow {
		<-ctx.Done()
		return nil
	}
	due, stop := s.o.Clock.After(sweepEvery)
	defer func() { stop() }()
	for {
		select {
		case <-ctx.Done():
			s.drainOutbox(ctx)
			return nil
		case p := <-s.outbox:
			s.deliver(ctx, p)
			continue
		case <-due:
		}
		stop()
		due, stop = s.o.Clock.After(sweepEvery)
		if err := s.Sweep(ctx); err != nil && !errors.Is(err, context.Canceled) {
			s.o.Log.Error("expired codes and sessions were not removed", "error", err)
		}
	}
}

// Sweep removes expired codes and sessions.
func (s *Service) Sweep(ctx context.Context) error {
	scopes, err := s.accounts.Scopes(ctx)
	if err != nil {
		return err
	}
	for _, sc := range scopes {
		if sc.Project == "" {
			continue
		}
		for _, kind := range []string{onetime.Item, sms.Item, authapp.Item, pending.Item, idp.OpenItem, idp.PendingItem, session.Item, session.BegunItem} {
			if err := s.sweepKind(ctx, sc, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

// creation is the part of stored codes that holds their creation time.
type creation struct {
	Type onetime.Kind `json:"type"`
	Made time.Time    `json:"made"`
}

// sweepKind removes the expired items of one kind.
func (s *Service) sweepKind(ctx context.Context, sc account.Scope, kind string) error {
	var ended []string
	err := s.accounts.Items(ctx, sc, kind, func(id string, decode func(any) error) error {
		over, err := s.over(sc, kind, decode)
		if over {
			ended = append(ended, id)
		}
		return err
	})
	if err != nil || len(ended) == 0 {
		return err
	}
	return s.accounts.Change(ctx, sc, nil, func(ch *account.Change) error {
		for _, id := range ended {
			ch.Remove(kind, id)
		}
		return nil
	})
}

// over reports whether an item has expired.
func (s *Service) over(sc account.Scope, kind string, decode func(any) error) (bool, error) {
	now := s.now(sc.Project)
	if kind == session.Item || kind == session.BegunItem {
		var ses session.Session
		if err := decode(&ses); err != nil {
			return false, err
		}
		if now.Sub(time.Unix(ses.AuthTime, 0)) < deadSession {
			return false, nil
		}
		u, err := s.accounts.Get(account.Scope{Project: sc.Project, Tenant: ses.Tenant}, ses.UID)
		return err == nil && (u == nil || ses.AuthTime < u.Since()), err
	}
	var d creation
	if err := decode(&d); err != nil {
		return false, err
	}
	life := time.Hour
	if kind == onetime.Item {
		life = onetime.Lifetimes[d.Type] + 24*time.Hour
	}
	return now.Sub(d.Made) > life, nil
}
