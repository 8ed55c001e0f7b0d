package backoffice

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"cloud.google.com/go/firestore"

	"clave/server/internal/base/clock"
)

// newsletter is the collection of the newsletter's subscriptions. They are kept until they are unsubscribed.
const newsletter = "Massive Boletin"

// forms are the collections of messages and applications, which are kept for a year.
var forms = []string{"ContactRequests", "voluntaryAplications", "voluntaryApplications", "IntrumentRental"}

// personal are all collections that hold addresses of visitors.
var personal = append([]string{newsletter, subscriberCollection}, forms...)

// erasures is the collection of traces. A trace has the time, the reason, the administrator and the number of documents
// of an erasure, and no personal data.
const erasures = "erasures"

// eraseBatch is the number of documents that are erased together.
const eraseBatch = 300

// Counts are numbers of documents by collection.
type Counts map[string]int

// Total returns the sum.
func (c Counts) Total() int {
	total := 0
	for _, n := range c {
		total += n
	}
	return total
}

// Count returns how many documents hold an e-mail address, of all collections that visitors write to.
func (s *Service) Count(ctx context.Context, email string) (Counts, error) {
	c, err := s.person(email)
	if err != nil {
		return nil, err
	}
	counts := make(Counts)
	for _, name := range personal {
		found, err := ofAddress(ctx, c.documents.Collection(name), email)
		if err != nil {
			return nil, refuse(Unavailable, err)
		}
		counts[name] = len(found)
	}
	return counts, nil
}

// count returns the number of an aggregation's result.
func count(value any) (int, error) {
	n, ok := value.(interface{ GetIntegerValue() int64 })
	if !ok {
		return 0, fmt.Errorf("a count is %T", value)
	}
	return int(n.GetIntegerValue()), nil
}

// Erase erases all documents that hold an e-mail address, at the request of an administrator, and writes a trace.
func (s *Service) Erase(ctx context.Context, by, email string) (Counts, error) {
	c, err := s.person(email)
	if err != nil {
		return nil, err
	}
	t := newTrace(c.documents, "request", by)
	for _, name := range personal {
		if err := t.eraseAddress(ctx, name, email); err != nil {
			return t.counts, refuse(Unavailable, err)
		}
	}
	s.options.Log.InfoContext(ctx, "a person's data were erased", "by", by, "counts", t.counts)
	return t.counts, nil
}

// person checks the address of a person and returns the clients.
func (s *Service) person(email string) (*clients, error) {
	email = strings.TrimSpace(email)
	if utf8.RuneCountInString(email) > maxEmail || !strings.Contains(email, "@") {
		return nil, refuse(InvalidEmail, nil)
	}
	c, err := s.connect()
	if err != nil {
		return nil, refuse(Internal, err)
	}
	return c, nil
}

// trace is the record of an erasure in progress.
type trace struct {
	documents *firestore.Client
	ref       *firestore.DocumentRef
	reason    string
	// by is the administrator's uid, or empty.
	by     string
	counts Counts
}

// newTrace returns the trace of an erasure that has not begun.
func newTrace(documents *firestore.Client, reason, by string) *trace {
	return &trace{documents: documents, ref: documents.Collection(erasures).NewDoc(), reason: reason, by: by, counts: make(Counts)}
}

// erase erases the documents that a query of a collection finds, batch by batch.
func (t *trace) erase(ctx context.Context, query firestore.Query, collection string) error {
	for {
		found, err := query.Limit(eraseBatch).Select().Documents(ctx).GetAll()
		if err != nil {
			return fmt.Errorf("find in %s: %w", collection, err)
		}
		if len(found) == 0 {
			return nil
		}
		refs := make([]*firestore.DocumentRef, len(found))
		for i, document := range found {
			refs[i] = document.Ref
		}
		if err := t.eraseDocuments(ctx, refs, collection); err != nil {
			return err
		}
		if len(found) < eraseBatch {
			return nil
		}
	}
}

// eraseDocuments erases documents of a collection and writes the trace, both or neither, so that an erasure that is
// interrupted has one too.
func (t *trace) eraseDocuments(ctx context.Context, refs []*firestore.DocumentRef, collection string) error {
	t.counts[collection] += len(refs)
	err := t.documents.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		for _, ref := range refs {
			if err := tx.Delete(ref); err != nil {
				return err
			}
		}
		return tx.Set(t.ref, map[string]any{"at": firestore.ServerTimestamp, "reason": t.reason, "by": t.by, "counts": t.counts})
	})
	if err != nil {
		t.counts[collection] -= len(refs)
		return fmt.Errorf("erase in %s: %w", collection, err)
	}
	return nil
}

// Purge erases the messages and applications that are older than a year, by their createdAt, and the subscriptions that
// were not confirmed, and writes a trace. Documents without createdAt are not found.
func (s *Service) Purge(ctx context.Context) (Counts, error) {
	c, err := s.connect()
	if err != nil {
		return nil, refuse(Internal, err)
	}
	yearAgo := s.options.Clock.Now().AddDate(-1, 0, 0)
	t := newTrace(c.documents, "term", "")
	for _, name := range forms {
		old := c.documents.Collection(name).Where("createdAt", "<", yearAgo).OrderBy("createdAt", firestore.Asc)
		if err := t.erase(ctx, old, name); err != nil {
			return t.counts, refuse(Unavailable, err)
		}
	}
	if err := s.erasePending(ctx, t); err != nil {
		return t.counts, refuse(Unavailable, err)
	}
	return t.counts, nil
}

// When the purge runs: at the start of the service and daily; sooner after a failure.
const (
	purgeInterval = 24 * time.Hour
	purgeRetry    = 10 * time.Minute
	purgeTime     = 30 * time.Minute
)

// KeepTerms purges at once and daily until ctx is done.
func (s *Service) KeepTerms(ctx context.Context) error {
	for {
		wait := purgeInterval
		limited, cancel := context.WithTimeout(ctx, purgeTime)
		counts, err := s.Purge(limited)
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			wait = purgeRetry
			s.options.Log.ErrorContext(ctx, "messages and applications older than a year could not be erased", "error", err, "counts", counts)
		case counts.Total() > 0:
			s.options.Log.InfoContext(ctx, "messages and applications older than a year were erased", "counts", counts)
		}
		if clock.Sleep(ctx, s.options.Clock, wait) != nil {
			return nil
		}
	}
}
