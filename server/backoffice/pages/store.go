package pages

import (
	"context"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// eventCollection is the collection of events.
const eventCollection = "MusicEvent"

// documents implements Store in Firestore.
type documents struct {
	connect func() (*firestore.Client, error)
}

// Documents returns the Store of a project's documents. connect returns the client, created on first use.
func Documents(connect func() (*firestore.Client, error)) Store { return documents{connect} }

// Event implements Store.
func (d documents) Event(ctx context.Context, id string) (map[string]any, error) {
	client, err := d.connect()
	if err != nil {
		return nil, err
	}
	found, err := client.Collection(eventCollection).Doc(id).Get(ctx)
	if status.Code(err) == codes.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return found.Data(), nil
}

// Published implements Store. An event without isPublished was stored before that field was introduced, and counts as
// published.
func (d documents) Published(ctx context.Context, limit int) ([]Listed, error) {
	client, err := d.connect()
	if err != nil {
		return nil, err
	}
	query := client.Collection(eventCollection).OrderBy("eventDate", firestore.Desc).Limit(limit)
	found, err := query.Select("eventDate", "updatedAt", "isPublished").Documents(ctx).GetAll()
	if err != nil {
		return nil, err
	}
	listed := make([]Listed, 0, len(found))
	for _, event := range found {
		fields := event.Data()
		if published, ok := fields["isPublished"].(bool); ok && !published {
			continue
		}
		updated, _ := fields["updatedAt"].(time.Time)
		listed = append(listed, Listed{ID: event.Ref.ID, Updated: updated})
	}
	return listed, nil
}
