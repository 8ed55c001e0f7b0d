package backoffice_test

import (
	"context"
	"reflect"
	"sort"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
)

// draft stores a draft that is published at a given time. A zero time means never.
func draft(t *testing.T, documents *firestore.Client, id string, at time.Time) {
	t.Helper()
	var publishAt any
	if !at.IsZero() {
		publishAt = at
	}
	_, err := documents.Collection("MusicEventDrafts").Doc(id).Set(t.Context(), map[string]any{
		"title": id, "description": "d", "location": "l", "featuredArtist": "", "price": 500, "date": "2027-10-01", "time": "19:30",
		"eventDate": time.Date(2027, 10, 1, 23, 30, 0, 0, time.UTC), "createdBy": "uid-1", "createdByEmail": "ana@correo.do",
		"createdAt": at, "updatedAt": at, "publishAt": publishAt,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ids returns the names of a collection's documents, in order.
func ids(t *testing.T, documents *firestore.Client, collection string) []string {
	t.Helper()
	all, err := documents.Collection(collection).Documents(t.Context()).GetAll()
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(all))
	for _, document := range all {
		names = append(names, document.Ref.ID)
	}
	sort.Strings(names)
	return names
}

func TestPublishDue(t *testing.T) {
	s, manual, _, documents := keeper(t)
	draft(t, documents, "due", manual.Now())
	draft(t, documents, "overdue", manual.Now().Add(-time.Hour))
	draft(t, documents, "later", manual.Now().Add(time.Second))
	draft(t, documents, "never", time.Time{})
	if n, err := s.PublishDue(t.Context()); err != nil || n != 2 {
		t.Fatalf("PublishDue = %d, %v, want 2", n, err)
	}
	if got, want := ids(t, documents, "MusicEvent"), []string{"due", "overdue"}; !reflect.DeepEqual(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
	if got, want := ids(t, documents, "MusicEventDrafts"), []string{"later", "never"}; !reflect.DeepEqual(got, want) {
		t.Errorf("drafts %v, want %v", got, want)
	}
	event, err := documents.Collection("MusicEvent").Doc("due").Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fields := event.Data()
	if _, there := fields["publishAt"]; there || fields["isPublished"] != true || fields["price"] != int64(500) {
		t.Errorf("the event of a draft is %v", fields)
	}
	if made, ok := fields["createdAt"].(time.Time); !ok || time.Since(made) > time.Hour {
		t.Errorf("the event was created at %v, want now by the server's clock", fields["createdAt"])
	}
	manual.Advance(time.Second)
	if n, err := s.PublishDue(t.Context()); err != nil || n != 1 {
		t.Errorf("a second later PublishDue = %d, %v, want 1", n, err)
	}
}

func TestKeepPublishing(t *testing.T) {
	s, manual, _, documents := keeper(t)
	draft(t, documents, "soon", manual.Now().Add(20*time.Second))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.KeepPublishing(ctx) }()
	await(t, "a draft is published once its moment has come", func() bool {
		manual.Advance(10 * time.Second)
		return len(ids(t, documents, "MusicEvent")) == 1
	})
	stop()
	if err := <-ended; err != nil {
		t.Errorf("KeepPublishing ended with %v", err)
	}
}
