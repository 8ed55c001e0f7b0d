package backoffice

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"clave/server/internal/base/clock"
)

// The collections of published events and of drafts.
const (
	eventCollection = "MusicEvent"
	draftCollection = "MusicEventDrafts"
)

// The interval of checking drafts, the maximum number of drafts in a check, and its time limit.
const (
	publishInterval = 30 * time.Second
	publishBatch    = 50
	publishTime     = time.Minute
)

// PublishDue publishes the drafts whose time has come, the earliest first, each under the same id, and returns their
// number.
func (s *Service) PublishDue(ctx context.Context) (int, error) {
	c, err := s.connect()
	if err != nil {
		return 0, refuse(Internal, err)
	}
	now := s.options.Clock.Now()
	due := c.documents.Collection(draftCollection).Where("publishAt", "<=", now).OrderBy("publishAt", firestore.Asc)
	published := 0
	for {
		found, err := due.Limit(publishBatch).Documents(ctx).GetAll()
		if err != nil {
			return published, refuse(Unavailable, fmt.Errorf("find drafts: %w", err))
		}
		for _, draft := range found {
			done, err := publish(ctx, c.documents, draft.Ref, now)
			if err != nil {
				return published, refuse(Unavailable, fmt.Errorf("publish %s: %w", draft.Ref.ID, err))
			}
			if done {
				published++
			}
		}
		if len(found) < publishBatch {
			return published, nil
		}
	}
}

// publish creates an event from a draft. It reports false for one that is no longer due: an administrator may have
// changed, published or deleted it meanwhile.
func publish(ctx context.Context, documents *firestore.Client, draft *firestore.DocumentRef, now time.Time) (bool, error) {
	done := false
	err := documents.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		done = false
		all, err := tx.GetAll([]*firestore.DocumentRef{draft})
		if err != nil {
			return err
		}
		fields := all[0].Data()
		at, ok := fields["publishAt"].(time.Time)
		if !ok || at.After(now) {
			return nil
		}
		delete(fields, "publishAt")
		fields["isPublished"] = true
		fields["createdAt"], fields["updatedAt"] = firestore.ServerTimestamp, firestore.ServerTimestamp
		if err := tx.Set(documents.Collection(eventCollection).Doc(draft.ID), fields); err != nil {
			return err
		}
		done = true
		return tx.Delete(draft)
	})
	return done && err == nil, err
}

// KeepPublishing publishes drafts that are due, at once and every half minute until ctx is done.
func (s *Service) KeepPublishing(ctx context.Context) error {
	for {
		limited, cancel := context.WithTimeout(ctx, publishTime)
		published, err := s.PublishDue(limited)
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			s.options.Log.ErrorContext(ctx, "drafts could not be published", "error", err)
		case published > 0:
			s.options.Log.InfoContext(ctx, "drafts were published", "count", published)
		}
		if clock.Sleep(ctx, s.options.Clock, publishInterval) != nil {
			return nil
		}
	}
}
