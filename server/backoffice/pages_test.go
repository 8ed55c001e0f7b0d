package backoffice_test

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"clave/server/backoffice/pages"
)

// TestEventsForPages reads events from a server as the pages of the site do.
func TestEventsForPages(t *testing.T) {
	startServers(t)
	s, _ := newService(t)
	_, documents, err := s.Clients()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2027, 9, 5, 23, 30, 0, 0, time.UTC)
	for i, fields := range []map[string]any{{"isPublished": true}, {"isPublished": false}, {"updatedAt": start}} {
		fields["title"], fields["eventDate"] = "Gala", start.AddDate(0, 0, i)
		if _, err := documents.Collection("MusicEvent").Doc(fmt.Sprint("pages-", i)).Set(t.Context(), fields); err != nil {
			t.Fatal(err)
		}
	}
	store := pages.Documents(func() (*firestore.Client, error) { return documents, nil })
	if got, err := store.Event(t.Context(), "pages-0"); err != nil || got["title"] != "Gala" {
		t.Errorf("Event(pages-0) = %v, %v", got, err)
	}
	if got, err := store.Event(t.Context(), "pages-none"); err != nil || got != nil {
		t.Errorf("Event(pages-none) = %v, %v, want none", got, err)
	}
	listed, err := store.Published(t.Context(), 1000)
	if err != nil || len(listed) != 2 || listed[0].ID != "pages-2" || !listed[0].Updated.Equal(start) || listed[1].ID != "pages-0" {
		t.Errorf("Published = %v, %v, want pages-2 and pages-0", listed, err)
	}
}
