package backoffice

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/backoffice/email"
	"clave/server/internal/base/clock"
)

// The newsletter is sent to confirmed addresses only (double opt-in). Visitors write subscriptions, and anyone can
// enter any address. The back office keeps a document for each address in subscriberCollection: when a confirmation was
// requested, and when the address was confirmed. progressCollection/progressDocument is the place in the subscriptions
// up to which confirmations were requested.
const (
	subscriberCollection = "NewsletterAddresses"
	progressCollection   = "BackOffice"
	progressDocument     = "newsletter"
)

// Limits of the requests for confirmation.
const (
	// requestBatch is the maximum number of requests in each requestInterval. More subscriptions are read, because those
	// that cause no request must not delay the others.
	requestInterval = 15 * time.Second
	requestBatch    = 10
	readBatch       = 300
	// requestAgain is the time after a mailbox's last request from which on a new subscription of one of its addresses
	// causes another request.
	requestAgain = 24 * time.Hour
	// A request that the mail server did not accept is retried after firstRetry, four times that, and so on,
	// maxRequestTries times in all (four days). The address is erased with those that were not confirmed.
	firstRetry      = time.Minute
	maxRequestTries = 8
	// maxRequests is the maximum number of requests in requestsTime. It limits the e-mails that a robot can cause by
	// subscribing other people's addresses. Further subscriptions wait. Addresses that were confirmed since do not count.
	maxRequests  = 60
	requestsTime = time.Hour
	// settled is the age of subscriptions that are read: a subscription may have an earlier createdAt than one that was
	// committed before it.
	settled = 5 * time.Second
	// confirmTime is the time for which a confirmation link is valid, and pendingTime the time for which an unconfirmed
	// address is kept.
	confirmTime = 7 * 24 * time.Hour
	pendingTime = 30 * 24 * time.Hour
)

// subscriberID returns the name of an address's document, from which the address cannot be computed.
func (s *Service) subscriberID(address string) string {
	return hex.EncodeToString(s.mac("subscriber", address))
}

// Confirm confirms the address of a link's token. Repeated calls change nothing. An address that was unsubscribed after
// the request remains unsubscribed.
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
			{Path: "retryAt", Value: nil},
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

// erasePending erases the subscriptions of addresses that were not confirmed in pendingTime, so that addresses of
// people who did not subscribe are not kept.
func (s *Service) erasePending(ctx context.Context, t *trace) error {
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
			s.options.Log.InfoContext(ctx, "confirmations were requested", "count", sent)
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
