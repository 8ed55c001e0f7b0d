package backoffice

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/backoffice/email"
	"clave/server/internal/base/mailbox"
)

// requests is a round of requests for confirmation.
type requests struct {
	s         *Service
	documents *firestore.Client
	progress  *firestore.DocumentRef
	// left is the number of requests that may still be sent, and sent the number of requests that were sent.
	left, sent int
	mailing
}

// RequestConfirmations sends a request for confirmation to the addresses of new subscriptions, and again to those whose
// request the mail server did not accept. It returns how many it sent. If more subscriptions wait than requests may be
// sent, it takes the earliest and the latest in equal parts, so that a flood of subscriptions delays the others but
// does not block them.
func (s *Service) RequestConfirmations(ctx context.Context) (int, error) {
	c, err := s.connect()
	if err != nil {
		return 0, refuse(Internal, err)
	}
	r := &requests{mailing: mailing{sender: s.options.Mail}, s: s, documents: c.documents, progress: c.documents.Collection(progressCollection).Doc(progressDocument)}
	limit, err := r.limit(ctx)
	if err != nil {
		return 0, refuse(Unavailable, err)
	}
	if limit < 2 {
		return 0, nil // one alone would always be the earliest
	}
	r.left = limit / 2
	retryErr := r.retry(ctx)
	r.close()
	r.left = limit - r.sent
	err = errors.Join(retryErr, r.requestNew(ctx))
	r.close()
	if err != nil {
		return r.sent, refuse(Unavailable, err)
	}
	return r.sent, nil
}

// limit returns how many requests may be sent now. Addresses that were confirmed since do not count.
func (r *requests) limit(ctx context.Context) (int, error) {
	lately := r.documents.Collection(subscriberCollection).Where("pendingSince", ">", r.s.options.Clock.Now().Add(-requestsTime))
	counted, err := lately.NewAggregationQuery().WithCount("n").Get(ctx)
	if err != nil {
		return 0, fmt.Errorf("count the requests: %w", err)
	}
	n, err := count(counted["n"])
	return min(requestBatch, maxRequests-n), err
}

// retry sends the requests that the mail server did not accept before and that are due.
func (r *requests) retry(ctx context.Context) error {
	due, err := r.documents.Collection(subscriberCollection).Where("retryAt", "<=", r.s.options.Clock.Now()).OrderBy("retryAt", firestore.Asc).
		Limit(r.left).Documents(ctx).GetAll()
	if err != nil {
		return fmt.Errorf("find the requests to retry: %w", err)
	}
	for _, known := range due {
		address, _ := known.Data()["email"].(string)
		lately, err := r.lately(ctx, address)
		if err != nil {
			return err
		}
		if lately { // a request was sent to another address of the mailbox
			err = written(known.Ref.Update(ctx, []firestore.Update{{Path: "retryAt", Value: nil}}, firestore.LastUpdateTime(known.UpdateTime)))
		} else {
			err = r.send(ctx, known, address)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// requestNew sends the requests of new subscriptions: half of them for the earliest, which are then passed, and the
// rest for the latest.
func (r *requests) requestNew(ctx context.Context) error {
	query, err := r.waiting(ctx, firestore.Asc)
	if err != nil {
		return err
	}
	found, err := query.Limit(readBatch).Documents(ctx).GetAll()
	if err != nil || len(found) == 0 {
		return wrapped("find subscriptions", err)
	}
	rest := r.left / 2
	r.left -= rest
	read, err := r.requestEach(ctx, found)
	// The place is stored also after an error: the subscriptions before it must not receive a second request.
	if read > 0 {
		last := found[read-1]
		if _, setErr := r.progress.Set(ctx, map[string]any{"createdAt": last.Data()["createdAt"], "id": last.Ref.ID}); setErr != nil {
			err = errors.Join(err, fmt.Errorf("store the position in the subscriptions: %w", setErr))
		}
	}
	if err != nil || read == len(found) {
		return err
	}
	// Some of the earliest still wait, so the latest get the other half. They are not passed: the place is before them.
	if query, err = r.waiting(ctx, firestore.Desc); err != nil {
		return err
	}
	if found, err = query.Limit(readBatch).Documents(ctx).GetAll(); err != nil {
		return fmt.Errorf("find the latest subscriptions: %w", err)
	}
	r.left = rest
	_, err = r.requestEach(ctx, found)
	return err
}

// wrapped returns an error with its context, or nil.
func wrapped(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// waiting returns the query of the subscriptions after the stored place, in a direction of time.
func (r *requests) waiting(ctx context.Context, direction firestore.Direction) (firestore.Query, error) {
	query := r.documents.Collection(newsletter).Where("createdAt", "<", r.s.options.Clock.Now().Add(-settled)).
		OrderBy("createdAt", direction).OrderBy(firestore.DocumentID, direction)
	kept, err := r.progress.Get(ctx)
	if status.Code(err) == codes.NotFound {
		return query, nil
	}
	if err != nil {
		return query, fmt.Errorf("read the position in the subscriptions: %w", err)
	}
	if direction == firestore.Desc {
		return query.EndBefore(kept.Data()["createdAt"], kept.Data()["id"]), nil
	}
	return query.StartAfter(kept.Data()["createdAt"], kept.Data()["id"]), nil
}

// requestEach sends requests for subscriptions while some are left to send. It returns how many subscriptions need not
// be read again.
func (r *requests) requestEach(ctx context.Context, found []*firestore.DocumentSnapshot) (read int, err error) {
	for read < len(found) && r.left > 0 {
		err := r.request(ctx, found[read])
		if err == nil || errors.Is(err, errNotAccepted) {
			read++
		}
		if err != nil {
			return read, err
		}
	}
	return read, nil
}

// request sends a request to the address of a subscription, unless the address is invalid or confirmed, or a request
// was lately sent to it or its mailbox. An error that is not errNotAccepted means that the subscription must be read
// again.
func (r *requests) request(ctx context.Context, subscription *firestore.DocumentSnapshot) error {
	text, _ := subscription.Data()["email"].(string)
	address := normalAddress(text)
	if parsed, err := mail.ParseAddress(address); err != nil || parsed.Address != address {
		return nil
	}
	known, err := r.documents.Collection(subscriberCollection).Doc(r.s.subscriberID(address)).Get(ctx)
	if err != nil && status.Code(err) != codes.NotFound {
		return fmt.Errorf("read an address: %w", err)
	}
	created, _ := subscription.Data()["createdAt"].(time.Time)
	if requested, _ := known.Data()["pendingSince"].(time.Time); confirmed(known) || requested.After(created) {
		return nil
	}
	if lately, err := r.lately(ctx, address); err != nil || lately {
		return err
	}
	return r.send(ctx, known, address)
}

// lately reports whether a request was sent to the mailbox of an address within requestAgain.
func (r *requests) lately(ctx context.Context, address string) (bool, error) {
	now := r.s.options.Clock.Now()
	found, err := r.documents.Collection(subscriberCollection).Where("request", ">", requestOf(address, now.Add(-requestAgain))).
		Where("request", "<=", requestOf(address, now)).Limit(1).Documents(ctx).GetAll()
	return len(found) > 0, wrapped("find the requests to a mailbox", err)
}

// errNotAccepted is the error of a request that the mail server did not accept and that is stored for a retry. The
// server may accept no other request at present.
var errNotAccepted = errors.New("a request for confirmation was not accepted")

// send sends a request to an address and writes the outcome. known is the address's document, which may not exist.
func (r *requests) send(ctx context.Context, known *firestore.DocumentSnapshot, address string) error {
	if err := r.connect(ctx); err != nil {
		return err
	}
	now := r.s.options.Clock.Now()
	fields := map[string]any{"pendingSince": now, "request": requestOf(address, now), "retryAt": nil, "tries": nil}
	err := r.connection.Send(r.s.confirmationMessage(address, now.Add(confirmTime)))
	r.left--
	r.sent++
	stop := errors.Is(err, email.ErrUnavailable) || errors.Is(err, email.ErrSender)
	if stop || errors.Is(err, email.ErrDeferred) {
		tried, _ := known.Data()["tries"].(int64)
		fields["request"] = requestOf(address, now.Add(-requestAgain)) // the owner may subscribe again at once
		fields["tries"] = tried + 1
		if tried+1 < maxRequestTries {
			fields["retryAt"] = now.Add(firstRetry << (2 * tried))
		}
	}
	if err != nil {
		r.s.options.Log.WarnContext(ctx, "a request for confirmation was not accepted", "subscriber", known.Ref.ID, "error", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outcomeTime)
	defer cancel()
	if writeErr := writeRequest(ctx, known, address, fields); writeErr != nil {
		return writeErr
	}
	if stop {
		return fmt.Errorf("%w: %w", errNotAccepted, err)
	}
	return nil
}

// writeRequest writes the outcome of a request to an address's document, unless the document has changed since it was
// read, for example by a confirmation with an earlier link.
func writeRequest(ctx context.Context, known *firestore.DocumentSnapshot, address string, fields map[string]any) error {
	if !known.Exists() {
		fields["email"], fields["confirmedAt"] = address, nil
		return written(known.Ref.Create(ctx, fields))
	}
	var changes []firestore.Update
	for path, value := range fields {
		changes = append(changes, firestore.Update{Path: path, Value: value})
	}
	return written(known.Ref.Update(ctx, changes, firestore.LastUpdateTime(known.UpdateTime)))
}

// written returns the error of a write to an address's document, or nil if another writer has changed the document.
func written(_ *firestore.WriteResult, err error) error {
	switch status.Code(err) {
	case codes.OK, codes.FailedPrecondition, codes.AlreadyExists, codes.NotFound:
		return nil
	}
	return fmt.Errorf("write a request for confirmation: %w", err)
}

// requestOf returns the field of an address's document by which the requests to a mailbox in a span of time are found:
// the mailbox and the time of the request. For one mailbox, the values sort by time.
func requestOf(address string, at time.Time) string {
	return mailbox.Of(address) + " " + at.UTC().Format("2006-01-02T15:04:05.000000Z")
}
