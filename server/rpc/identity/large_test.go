package identity

import (
	"context"
	"net/http/httptest"
	"testing"

	"golang.org/x/sync/semaphore"

	"clave/server/fault"
	"clave/server/identity"
)

// TestLargeBodiesWaitForEachOther uses up the budget for clients' large bodies. Small bodies and those of administrators must pass; a large one must
// wait until its request ends.
func TestLargeBodiesWaitForEachOther(t *testing.T) {
	h := &Handler{large: semaphore.NewWeighted(maxLarge)}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequest("POST", "/", nil).WithContext(ended)
	client, admin := &request{http: r}, &request{http: r, call: identity.Call{Admin: true}}
	for range maxLarge / maxBody {
		release, err := h.admit(&request{http: r.WithContext(t.Context())}, maxBody)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
	}
	if _, err := h.admit(client, largeBody-1); err != nil {
		t.Errorf("a small body beside large ones: %v", err)
	}
	if _, err := h.admit(admin, maxAdminBody); err != nil {
		t.Errorf("an administrator's body beside large ones: %v", err)
	}
	if _, err := h.admit(client, largeBody); !fault.Is(err, fault.Canceled) {
		t.Errorf("a large body without room: %v, want CANCELLED at the end of its request", err)
	}
}
