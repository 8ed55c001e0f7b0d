package backoffice

import (
	"context"
	"errors"
)

// minKey is the length of the shortest key of unsubscribe links, in bytes.
const minKey = 32

// tokenOf returns the token of an address's unsubscribe link, which only the service can make.
func (s *Service) tokenOf(email string) string { return s.signed("unsubscribe", email) }

// UnsubscribeTokens returns the tokens of the unsubscribe links of addresses, for the newsletter's e-mails.
func (s *Service) UnsubscribeTokens(emails []string) ([]string, error) {
	if s.options.UnsubscribeKey == "" {
		return nil, refuse(NotConfigured, errors.New("UNSUBSCRIBE_KEY is not set"))
	}
	tokens := make([]string, len(emails))
	for i, email := range emails {
		tokens[i] = s.tokenOf(email)
	}
	return tokens, nil
}

// Subscriber returns the address of an unsubscribe link's token, whether or not it is subscribed.
func (s *Service) Subscriber(token string) (string, error) {
	return s.verified("unsubscribe", token)
}

// Unsubscribe erases all subscriptions of the address of a link's token. Repeated calls change nothing.
func (s *Service) Unsubscribe(ctx context.Context, token string) error {
	email, err := s.Subscriber(token)
	if err != nil {
		return err
	}
	c, err := s.connect()
	if err != nil {
		return refuse(Internal, err)
	}
	t := newTrace(c.documents, "unsubscribe", "")
	if err := t.eraseSubscriber(ctx, email); err != nil {
		return refuse(Unavailable, err)
	}
	s.options.Log.InfoContext(ctx, "an address was unsubscribed", "counts", t.counts)
	return nil
}

// eraseSubscriber erases an address's subscriptions in any spelling. It erases the record of the confirmation last, so
// that an interrupted erasure can be found.
func (t *trace) eraseSubscriber(ctx context.Context, address string) error {
	for _, name := range []string{newsletter, subscriberCollection} {
		if err := t.eraseAddress(ctx, name, address); err != nil {
			return err
		}
	}
	return nil
}
