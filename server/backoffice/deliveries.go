package backoffice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/backoffice/email"
)

// deliveryCollection is the subcollection of an issue with a document for each address to which sending was begun,
// named like the address's document. It is created before the e-mail is passed to the mail server. So an issue is never
// sent twice to an address: an e-mail that a crash interrupts between the two counts as uncertain and is not sent
// again. Its field due is the time when an open delivery needs attention: an interrupted one is settled, a deferred one
// is retried.
const deliveryCollection = "deliveries"

// The states of an issue (sending, paused, sent), and of a delivery.
const (
	stateSending   = "sending"
	stateSent      = "sent"
	stateFailed    = "failed"
	stateUncertain = "uncertain"
	// statePaused is an issue of which the mail server refused maxRefusals e-mails one after the other (pause.go).
	statePaused = "paused"
	// stateDeferred is a delivery that the mail server did not accept and that is retried.
	stateDeferred = "deferred"
)

// Limits of sending: at most sendBatch e-mails each sendInterval, 120 a minute, because mail servers reject or suspend
// faster senders.
const (
	sendInterval = 15 * time.Second
	sendBatch    = 30
	// sendTime is the time limit of a delivery, with a margin. One that has the state sending for longer was interrupted.
	sendTime = 5 * time.Minute
	// outcomeTime is the time limit of writing the outcome of a delivery.
	outcomeTime = 5 * time.Second
	// retryTime is the time between tries of a deferred delivery, and maxSendTries their number.
	retryTime    = 20 * time.Minute
	maxSendTries = 5
)

// KeepSending sends the started issues until ctx is done.
func (s *Service) KeepSending(ctx context.Context) error {
	return s.keepEmailing(ctx, sendInterval, "the newsletter could not be sent", s.SendIssues)
}

// SendIssues sends at most sendBatch more e-mails of the issues that are not complete. An error of one issue does not
// stop the others. A later call continues, even after an error and in another process.
func (s *Service) SendIssues(ctx context.Context) error {
	c, err := s.connect()
	if err != nil {
		return refuse(Internal, err)
	}
	open, err := c.documents.Collection(issueCollection).Where("state", "in", []string{stateSending, statePaused}).Documents(ctx).GetAll()
	if err != nil {
		return refuse(Unavailable, fmt.Errorf("find issues: %w", err))
	}
	left := sendBatch
	var failures error
	for _, issue := range open {
		r := newRound(s, c.documents, issue, left)
		if r.waits() {
			continue
		}
		err := r.run(ctx)
		r.close()
		left = r.left
		if err != nil {
			r.report(ctx, err)
			failures = errors.Join(failures, fmt.Errorf("issue %s: %w", issue.Ref.ID, err))
		}
		if left == 0 || ctx.Err() != nil {
			break
		}
	}
	if failures != nil {
		return refuse(Unavailable, failures)
	}
	return nil
}

// round sends a part of an issue.
type round struct {
	s         *Service
	documents *firestore.Client
	issue     *firestore.DocumentSnapshot
	// left is the number of e-mails that may still be sent.
	left int
	mailing
	// refusals is the number of successive refusals because of the sender, including earlier rounds. paused is set by the
	// refusal that pauses the issue (pause.go).
	refusals int
	paused   bool
}

// newRound returns a round of an issue with at most left e-mails.
func newRound(s *Service, documents *firestore.Client, issue *firestore.DocumentSnapshot, left int) *round {
	refusals, _ := issue.Data()["refusals"].(int64)
	return &round{mailing: mailing{sender: s.options.Mail}, s: s, documents: documents, issue: issue, left: left, refusals: int(refusals)}
}

// report writes the reason why sending stopped for the panel, once.
func (r *round) report(ctx context.Context, cause error) {
	if !errors.Is(cause, email.ErrUnavailable) || r.issue.Data()["problem"] == string(MailFailed) {
		return
	}
	if _, err := r.issue.Ref.Update(ctx, []firestore.Update{{Path: "problem", Value: string(MailFailed)}}); err != nil {
		r.s.options.Log.WarnContext(ctx, "the problem of an issue could not be stored", "issue", r.issue.Ref.ID, "error", err)
	}
}

// run sends to the addresses for which sending has not begun, then to the deferred ones, and ends the issue when there
// are none.
func (r *round) run(ctx context.Context) error {
	query := subscribers(r.documents)
	if created, ok := r.issue.Data()["createdAt"].(time.Time); ok {
		// Addresses that are confirmed later receive the next issue.
		query = query.Where("confirmedAt", "<=", created)
	}
	if after, ok := r.issue.Data()["after"].(map[string]any); ok {
		query = query.StartAfter(after["confirmedAt"], after["id"])
	}
	limit := r.left
	next, err := query.Limit(limit).Documents(ctx).GetAll()
	if err != nil {
		return fmt.Errorf("find the next addresses: %w", err)
	}
	for _, to := range next {
		if err := r.begin(ctx, to); err != nil {
			return err
		}
		if r.paused {
			return nil
		}
	}
	if len(next) == limit {
		return nil // there may be more addresses, even if some of these needed no e-mail
	}
	return r.finish(ctx)
}

// begin sends to an address, unless sending to it has begun before, or the address has been erased since it was found.
func (r *round) begin(ctx context.Context, to *firestore.DocumentSnapshot) error {
	if err := r.connect(ctx); err != nil {
		return err
	}
	_, err := to.Ref.Get(ctx)
	if status.Code(err) == codes.NotFound {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read an address: %w", err)
	}
	delivery := r.issue.Ref.Collection(deliveryCollection).Doc(to.Ref.ID)
	now := r.s.options.Clock.Now()
	_, err = delivery.Create(ctx, map[string]any{"at": now, "due": now.Add(sendTime), "state": stateSending, "tries": 1})
	switch {
	case status.Code(err) == codes.AlreadyExists:
		// It was begun by this process before a restart, or by another one. finish settles interrupted deliveries.
	case err != nil:
		return fmt.Errorf("begin a delivery: %w", err)
	default:
		address, _ := to.Data()["email"].(string)
		if err := r.send(ctx, delivery, address, 1); err != nil {
			return err
		}
	}
	changes := []firestore.Update{{Path: "after", Value: map[string]any{"confirmedAt": to.Data()["confirmedAt"], "id": to.Ref.ID}}}
	if r.refusals < maxRefusals {
		changes = append(changes, firestore.Update{Path: "problem", Value: ""})
	}
	if _, err := r.issue.Ref.Update(ctx, changes); err != nil {
		return fmt.Errorf("store the position in the addresses: %w", err)
	}
	return nil
}

// send passes the e-mail of a delivery that was begun to the mail server and writes the outcome. An error means that
// the e-mail was certainly not sent and the delivery is deferred, or that the outcome could not be written.
func (r *round) send(ctx context.Context, delivery *firestore.DocumentRef, address string, tries int) error {
	subject, _ := r.issue.Data()["subject"].(string)
	text, _ := r.issue.Data()["text"].(string)
	r.left--
	err := r.connection.Send(r.s.issueMessage(Issue{subject, text}, address))
	outcome := stateUncertain
	switch {
	case err == nil:
		outcome = stateSent
	case errors.Is(err, email.ErrUnavailable):
		return errors.Join(err, r.undo(ctx, delivery, tries))
	case errors.Is(err, email.ErrSender):
		r.close() // some servers accept no other message on the connection
		r.refusals++
		if outcome = stateDeferred; isFinal(r.refusals, tries) {
			outcome = stateFailed
		}
	case errors.Is(err, email.ErrDeferred) && tries < maxSendTries:
		outcome = stateDeferred
	case errors.Is(err, email.ErrRejected), errors.Is(err, email.ErrDeferred):
		outcome = stateFailed
	}
	if err != nil {
		r.s.options.Log.WarnContext(ctx, "an e-mail of the newsletter was not sent", "issue", r.issue.Ref.ID, "subscriber", delivery.ID, "outcome", outcome, "error", err)
	}
	return r.recordOutcome(ctx, delivery, outcome, r.changes(outcome, err)...)
}

// undo defers a delivery whose e-mail was not sent, even while the service stops. It is then sent after the addresses
// that follow, since another process may already be beyond it.
func (r *round) undo(ctx context.Context, delivery *firestore.DocumentRef, tries int) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outcomeTime)
	defer cancel()
	_, err := delivery.Update(ctx, []firestore.Update{
		{Path: "state", Value: stateDeferred}, {Path: "tries", Value: tries - 1}, {Path: "due", Value: r.s.options.Clock.Now()},
	})
	return err
}

// recordOutcome writes the outcome of a delivery and the changes of the issue, and counts the outcome, in one
// transaction, even while the service stops. If the delivery is already recorded, it changes nothing.
func (r *round) recordOutcome(ctx context.Context, delivery *firestore.DocumentRef, outcome string, changes ...firestore.Update) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outcomeTime)
	defer cancel()
	err := r.documents.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		found, err := tx.Get(delivery)
		if err != nil {
			return err
		}
		if found.Data()["state"] != stateSending {
			return nil
		}
		now := r.s.options.Clock.Now()
		var due any // never
		if outcome == stateDeferred {
			due = now.Add(retryTime)
		}
		if err := tx.Update(delivery, []firestore.Update{{Path: "state", Value: outcome}, {Path: "at", Value: now}, {Path: "due", Value: due}}); err != nil {
			return err
		}
		all := slices.Clone(changes) // the transaction may be repeated
		if outcome != stateDeferred {
			all = append(all, firestore.Update{Path: outcome, Value: firestore.Increment(1)})
		}
		if len(all) == 0 {
			return nil
		}
		return tx.Update(r.issue.Ref, all)
	})
	if err != nil {
		return fmt.Errorf("write the outcome of a delivery: %w", err)
	}
	return nil
}

// finish settles interrupted deliveries, sends deferred ones whose time has come, and ends the issue when neither is
// left. It reads at most sendBatch deliveries: a mail server may have deferred all.
func (r *round) finish(ctx context.Context) error {
	open := r.issue.Ref.Collection(deliveryCollection).Where("due", ">", time.Unix(0, 0)).OrderBy("due", firestore.Asc)
	first, err := open.Limit(r.left).Documents(ctx).GetAll()
	if err != nil {
		return fmt.Errorf("find open deliveries: %w", err)
	}
	now := r.s.options.Clock.Now()
	for _, delivery := range first {
		due, _ := delivery.Data()["due"].(time.Time)
		switch {
		case now.Before(due):
			return nil // and so are the others
		case delivery.Data()["state"] == stateSending:
			err = r.recordOutcome(ctx, delivery.Ref, stateUncertain)
		default:
			err = r.retry(ctx, delivery)
		}
		if err != nil {
			return err
		}
		if r.paused {
			return nil
		}
	}
	if len(first) > 0 {
		return nil
	}
	if _, err := r.issue.Ref.Update(ctx, []firestore.Update{{Path: "state", Value: stateSent}, {Path: "problem", Value: ""}, {Path: "finishedAt", Value: now}}); err != nil {
		return fmt.Errorf("end an issue: %w", err)
	}
	r.s.options.Log.InfoContext(ctx, "an issue of the newsletter was sent", "issue", r.issue.Ref.ID)
	return nil
}

// retry sends a deferred delivery again, unless another process does. An address that was unsubscribed meanwhile
// receives nothing.
func (r *round) retry(ctx context.Context, delivery *firestore.DocumentSnapshot) error {
	subscriber, err := r.documents.Collection(subscriberCollection).Doc(delivery.Ref.ID).Get(ctx)
	if status.Code(err) == codes.NotFound {
		_, err := delivery.Ref.Delete(ctx)
		return err
	}
	if err != nil {
		return fmt.Errorf("read an address: %w", err)
	}
	if err := r.connect(ctx); err != nil {
		return err
	}
	tried, _ := delivery.Data()["tries"].(int64)
	tries := int(tried) + 1
	now := r.s.options.Clock.Now()
	_, err = delivery.Ref.Update(ctx, []firestore.Update{
		{Path: "state", Value: stateSending}, {Path: "tries", Value: tries}, {Path: "at", Value: now}, {Path: "due", Value: now.Add(sendTime)},
	}, firestore.LastUpdateTime(delivery.UpdateTime))
	if status.Code(err) == codes.FailedPrecondition || status.Code(err) == codes.NotFound {
		return nil
	}
	if err != nil {
		return fmt.Errorf("begin a delivery again: %w", err)
	}
	address, _ := subscriber.Data()["email"].(string)
	return r.send(ctx, delivery.Ref, address, tries)
}
