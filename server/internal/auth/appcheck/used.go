package appcheck

import (
	"context"
	"errors"
	"slices"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
)

// UsedItem is the kind of item of an account.Store that stores the ids of used tokens, by their hash.
const UsedItem = "appcheckused"

// maxUsed is the maximum number of ids of used tokens of all projects. sweepEvery is the interval between removals of
// those whose tokens have expired.
const (
	maxUsed    = 200_000
	sweepEvery = 5 * time.Minute
)

// used is a used token as it is stored.
type used struct {
	Expires time.Time `json:"expires"`
}

// errUsedFull is the error of a token that cannot be marked as used.
var errUsedFull = fault.E(fault.ResourceExhausted, "Too many used App Check tokens are still valid. Please try again later.")

// Consume marks a token as used, and reports whether it was before. Tokens with the same id count as one.
func (s *Service) Consume(ctx context.Context, project, raw string) (already bool, err error) {
	t, err := s.o.Tokens.AppCheck(raw, project)
	if err != nil {
		if fault.Is(err, fault.Unavailable) {
			return false, err
		}
		return false, fault.Wrap(err, fault.InvalidArgument, "App Check token is invalid.")
	}
	id := randid.Digest("id " + t.ID)
	if t.ID == "" {
		id = randid.Digest("token " + raw)
	}
	if err := s.reserve(ctx); err != nil {
		return false, err
	}
	now := s.o.Clock.Now()
	err = s.o.Accounts.Change(ctx, account.Scope{Project: project}, []string{UsedItem + id}, func(ch *account.Change) error {
		var before used
		found, err := ch.Load(UsedItem, id, &before)
		if err != nil {
			return err
		}
		if already = found && now.Before(before.Expires); already {
			return nil
		}
		return ch.Save(UsedItem, id, used{t.Expires})
	})
	if err != nil || already {
		s.release()
	}
	return already, err
}

// reserve counts an id that is about to be stored. It returns an error if there are too many.
func (s *Service) reserve(ctx context.Context) error {
	s.used.Lock()
	defer s.used.Unlock()
	if s.used.count < 0 || s.used.count >= maxUsed && s.o.Clock.Now().Sub(s.used.swept) >= sweepEvery {
		if err := s.sweepLocked(ctx); err != nil {
			return err
		}
	}
	if s.used.count >= maxUsed {
		return errUsedFull
	}
	s.used.count++
	return nil
}

// release takes back what reserve counted.
func (s *Service) release() {
	s.used.Lock()
	defer s.used.Unlock()
	s.used.count--
}

// Run removes the ids of expired tokens from time to time until ctx is done.
func (s *Service) Run(ctx context.Context) error {
	for clock.Sleep(ctx, s.o.Clock, sweepEvery) == nil {
		if err := s.Sweep(ctx); err != nil && !errors.Is(err, context.Canceled) {
			s.o.Log.Error("used App Check tokens were not removed", "error", err)
		}
	}
	return nil
}

// Sweep removes the ids of expired tokens.
func (s *Service) Sweep(ctx context.Context) error {
	s.used.Lock()
	defer s.used.Unlock()
	return s.sweepLocked(ctx)
}

// sweepLocked removes the ids of expired tokens, and counts the others.
func (s *Service) sweepLocked(ctx context.Context) error {
	scopes, err := s.o.Accounts.Scopes(ctx)
	if err != nil {
		return err
	}
	kept, now := 0, s.o.Clock.Now()
	for _, scope := range scopes {
		var ended []string
		err := s.o.Accounts.Items(ctx, scope, UsedItem, func(id string, decode func(any) error) error {
			var u used
			if err := decode(&u); err != nil {
				return err
			}
			if now.Before(u.Expires) {
				kept++
			} else {
				ended = append(ended, id)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for part := range slices.Chunk(ended, maxRemoved) {
			if err := s.remove(ctx, scope, part, now); err != nil {
				return err
			}
		}
	}
	s.used.count, s.used.swept = kept, now
	return nil
}

// maxRemoved is the number of ids that one change removes.
const maxRemoved = 500

// remove removes the ids of tokens that have expired. One that was used again meanwhile stays.
func (s *Service) remove(ctx context.Context, scope account.Scope, ids []string, now time.Time) error {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = UsedItem + id
	}
	return s.o.Accounts.Change(ctx, scope, names, func(ch *account.Change) error {
		for _, id := range ids {
			var u used
			found, err := ch.Load(UsedItem, id, &u)
			if err != nil {
				return err
			}
			if found && !now.Before(u.Expires) {
				ch.Remove(UsedItem, id)
			}
		}
		return nil
	})
}
