package backoffice

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
)

// ConfirmedAt returns the times at which addresses were confirmed; zero for one that was not.
func (s *Service) ConfirmedAt(ctx context.Context, addresses []string) ([]time.Time, error) {
	if s.options.UnsubscribeKey == "" {
		return nil, refuse(NotConfigured, errors.New("UNSUBSCRIBE_KEY is not set"))
	}
	times := make([]time.Time, len(addresses))
	if len(addresses) == 0 {
		return times, nil
	}
	c, err := s.connect()
	if err != nil {
		return nil, refuse(Internal, err)
	}
	// The same document may be asked for twice, which GetAll allows.
	refs := make([]*firestore.DocumentRef, len(addresses))
	for i, address := range addresses {
		refs[i] = c.documents.Collection(subscriberCollection).Doc(s.subscriberID(normalAddress(address)))
	}
	found, err := c.documents.GetAll(ctx, refs)
	if err != nil {
		return nil, refuse(Unavailable, fmt.Errorf("read confirmations: %w", err))
	}
	for i, subscriber := range found {
		if confirmed(subscriber) {
			times[i], _ = subscriber.Data()["confirmedAt"].(time.Time)
		}
	}
	return times, nil
}
