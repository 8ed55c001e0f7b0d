package backoffice

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/backoffice/email"
	"clave/server/clock"
)

// The newsletter is sent to confirmed addresses only (double opt-in). Visitors write subscriptions, which anybody can do with
// anybody's address. The back office keeps a document for each address in subscriberCollection: when a confirmation was requested,
// and when the address was confirmed. progressCollection/progressDocument is the place in the subscriptions up to which
// confirmations were requested.
const (
	subscriberCollection = "NewsletterAddresses"
	progressCollection   = "BackOffice"
	progressDocument     = "newsletter"
)

// Limits of the requests for confirmation.
const (
	// requestBatch is the most requests each requestInterval: a robot that subscribes strangers causes no more e-mails than that. More
	// subscriptions are read, because those that cause no request must not delay the others.
	requestInterval = 15 * time.Second
	requestBatch    = 10
	readBatch       = 300
	// requestAgain is the age of a mailbox's last request after which one of its addresses that is subscribed gets another one.
	requestAgain = 24 * time.Hour
	// settled is the age of subscriptions that are read: one that commits late may have an earlier time than its neighbours.
	settled = 5 * time.Second
	// confirmTime is how long a confirmation link is valid, and pendingTime how long an address that is not confirmed is kept.
	confirmTime = 7 * 24 * time.Hour
	pendingTime = 30 * 24 * time.Hour
)

// subscriberID returns the name of an address's document, from which the address cannot be computed.
func (s *Service) subscriberID(address string) string {
	return hex.EncodeToString(s.mac("subscriber", address))
}

// mac returns the HMAC of a text for a purpose under the key of links.
func (s *Service) mac(purpose, text string) []byte {
	mac := hmac.New(sha256.New, []byte(s.options.UnsubscribeKey))
	mac.Write([]byte(purpose + "\x00" + text))
	return mac.Sum(nil)
}

// Confirm confirms the address of a link's token. Doing so again changes nothing. An address that unsubscribed since the request is not
// subscribed by it.
func (s *Service) Confirm(ctx context.Context, token string) error {
	address, err := s.Confirming(token)
	if err != nil {
		return err
	}
	c, err := s.connect()
	if err != nil {
		return refuse(Internal, err)
	}
	ref := c.documents.Collection(subscriberCollection).Doc(s.subscriberID(address))
	err = c.documents.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		found, err := tx.Get(ref)
		if err != nil {
			return err
		}
		if confirmed(found) {
			return nil
		}
		return tx.Update(ref, []firestore.Update{
			{Path: "confirmedAt", Value: s.options.Clock.Now()}, {Path: "pendingSince", Value: nil}, {Path: "request", Value: nil},
		})
	})
	switch {
	case status.Code(err) == codes.NotFound:
		return refuse(InvalidLink, nil)
	case err != nil:
		return refuse(Unavailable, fmt.Errorf("confirm an address: %w", err))
	}
	s.options.Log.InfoContext(ctx, "an address was confirmed")
	return nil
}

// confirmed reports whether a subscriber's document has a confirmation.
func confirmed(subscriber *firestore.DocumentSnapshot) bool {
	at, ok := subscriber.Data()["confirmedAt"].(time.Time)
	return ok && !at.IsZero()
}

// RequestConfirmations sends a request for confirmation to the addresses of new subscriptions, the earliest first, and returns how
// many it sent.
func (s *Service) RequestConfirmations(ctx context.Context) (int, error) {
	c, err := s.connect()
	if err != nil {
		return 0, refuse(Internal, err)
	}
	progress := c.documents.Collection(progressCollection).Doc(progressDocument)
	query, err := s.newSubscriptions(ctx, c.documents, progress)
	if err != nil {
		return 0, refuse(Unavailable, err)
	}
	found, err := query.Limit(readBatch).Documents(ctx).GetAll()
	if err != nil {
		return 0, refuse(Unavailable, fmt.Errorf("find subscriptions: %w", err))
	}
	if len(found) == 0 {
		return 0, nil
	}
	sent, read, err := s.requestEach(ctx, c.documents, found)
	if read > 0 {
		last := found[read-1]
		if _, setErr := progress.Set(ctx, map[string]any{"createdAt": last.Data()["createdAt"], "id": last.Ref.ID}); setErr != nil {
			err = errors.Join(err, fmt.Errorf("write the place in the subscriptions: %w", setErr))
		}
	}
	if err != nil {
		return sent, refuse(Unavailable, err)
	}
	return sent, nil
}

// requestEach sends at most requestBatch requests for subscriptions. It returns how many it sent, and how many subscriptions need not be
// read again.
func (s *Service) requestEach(ctx context.Context, documents *firestore.Client, found []*firestore.DocumentSnapshot) (sent, read int, err error) {
	connection, err := s.options.Mail.Connect(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = connection.Close() }() // the messages are sent by then
	for read < len(found) && sent < requestBatch {
		done, err := s.requestConfirmation(ctx, documents, connection, found[read])
		if err != nil {
			return sent, read, err
		}
		if done {
			sent++
		}
		read++
	}
	return sent, read, nil
}

// newSubscriptions returns the query of the subscriptions after the place that is kept.
func (s *Service) newSubscriptions(ctx context.Context, documents *firestore.Client, progress *firestore.DocumentRef) (firestore.Query, error) {
	query := documents.Collection(newsletter).Where("createdAt", "<", s.options.Clock.Now().Add(-settled)).
		OrderBy("createdAt", firestore.Asc).OrderBy(firestore.DocumentID, firestore.Asc)
	kept, err := progress.Get(ctx)
	if status.Code(err) == codes.NotFound {
		return query, nil
	}
	if err != nil {
		return query, fmt.Errorf("read the place in the subscriptions: %w", err)
	}
	return query.StartAfter(kept.Data()["createdAt"], kept.Data()["id"]), nil
}

// requestConfirmation sends a request to the address of a subscription, unless it is confirmed, its mailbox was sent one lately, or it is
// not an address. An error means that the subscription must be read again. One whose request the mail server defers or rejects is not.
func (s *Service) requestConfirmation(ctx context.Context, documents *firestore.Client, connection email.Connection, subscription *firestore.DocumentSnapshot) (bool, error) {
	text, _ := subscription.Data()["email"].(string)
	address := strings.ToLower(strings.TrimSpace(text))
	if parsed, err := mail.ParseAddress(address); err != nil || parsed.Address != address {
		return false, nil
	}
	now := s.options.Clock.Now()
	addresses := documents.Collection(subscriberCollection)
	known, err := addresses.Doc(s.subscriberID(address)).Get(ctx)
	if err != nil && status.Code(err) != codes.NotFound {
		return false, fmt.Errorf("read an address: %w", err)
	}
	if confirmed(known) {
		return false, nil
	}
	lately, err := addresses.Where("request", ">", requestOf(address, now.Add(-requestAgain))).Where("request", "<=", requestOf(address, now)).
		Limit(1).Documents(ctx).GetAll()
	if err != nil {
		return false, fmt.Errorf("find the requests to a mailbox: %w", err)
	}
	if len(lately) > 0 {
		return false, nil
	}
	since := now
	err = connection.Send(s.confirmationMessage(address, now.Add(confirmTime)))
	switch {
	case errors.Is(err, email.ErrUnavailable):
		return false, err
	case errors.Is(err, email.ErrDeferred):
		since = now.Add(-requestAgain) // the owner may subscribe again at once
	}
	if err != nil {
		s.options.Log.WarnContext(ctx, "a request for confirmation was not accepted", "subscription", subscription.Ref.ID, "error", err)
	}
	return true, writeRequest(ctx, known, address, since)
}

// writeRequest writes that a confirmation was requested from an address, unless the address's document changed since it was read, as by a
// confirmation with an earlier link.
func writeRequest(ctx context.Context, known *firestore.DocumentSnapshot, address string, since time.Time) error {
	var err error
	if known.Exists() {
		_, err = known.Ref.Update(ctx, []firestore.Update{
			{Path: "pendingSince", Value: since}, {Path: "request", Value: requestOf(address, since)},
		}, firestore.LastUpdateTime(known.UpdateTime))
	} else {
		_, err = known.Ref.Create(ctx, map[string]any{
			"email": address, "pendingSince": since, "request": requestOf(address, since), "confirmedAt": nil,
		})
	}
	switch status.Code(err) {
	case codes.OK, codes.FailedPrecondition, codes.AlreadyExists, codes.NotFound:
		return nil
	}
	return fmt.Errorf("write that a confirmation was requested: %w", err)
}

// link returns an address of the site with a token.
func (s *Service) link(path, token string) string {
	return strings.TrimSuffix(s.options.PublicURL, "/") + path + "?t=" + url.QueryEscape(token)
}

// confirmationMessage returns the e-mail that requests a confirmation.
func (s *Service) confirmationMessage(address string, until time.Time) *email.Message {
	return &email.Message{
		To: address, Subject: "Confirma tu suscripción al boletín",
		Text: "Alguien pidió recibir en este correo el boletín de la Fundación Todo por Medio de la Música.\n\n" +
			"Si fuiste tú, confírmalo aquí en los próximos 7 días:\n\n" + s.link("/boletin/confirmar", s.confirmation(address, until)) +
			"\n\nSi no fuiste tú, no hagas nada: no te enviaremos el boletín.\n",
	}
}

// forgetPending erases the subscriptions of addresses that were not confirmed in pendingTime, without which a stranger's address would
// be kept for ever.
func (s *Service) forgetPending(ctx context.Context, t *trace) error {
	old, err := t.documents.Collection(subscriberCollection).Where("pendingSince", "<", s.options.Clock.Now().Add(-pendingTime)).
		OrderBy("pendingSince", firestore.Asc).Limit(eraseBatch).Documents(ctx).GetAll()
	if err != nil {
		return fmt.Errorf("find addresses that were not confirmed: %w", err)
	}
	for _, subscriber := range old {
		address, _ := subscriber.Data()["email"].(string)
		if err := t.eraseSubscriber(ctx, address); err != nil {
			return err
		}
	}
	return nil
}

// KeepRequestingConfirmations requests confirmations at once and every requestInterval until ctx is done.
func (s *Service) KeepRequestingConfirmations(ctx context.Context) error {
	return s.keepEmailing(ctx, requestInterval, "confirmations could not be requested", func(ctx context.Context) error {
		sent, err := s.RequestConfirmations(ctx)
		if sent > 0 {
			s.options.Log.InfoContext(ctx, "confirmations requested", "count", sent)
		}
		return err
	})
}

// keepEmailing repeats a round of sending until ctx is done. Without the settings of e-mail it only waits.
func (s *Service) keepEmailing(ctx context.Context, interval time.Duration, failure string, round func(context.Context) error) error {
	if !s.sendsEmail() {
		<-ctx.Done()
		return nil
	}
	for {
		err := round(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			s.options.Log.ErrorContext(ctx, failure, "error", err)
		}
		if clock.Sleep(ctx, s.options.Clock, interval) != nil {
			return nil
		}
	}
}

// sendsEmail reports whether the service has everything that sending e-mails needs.
func (s *Service) sendsEmail() bool {
	return s.options.Mail != nil && s.options.UnsubscribeKey != "" && s.options.PublicURL != ""
}
