package missingindex

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
)

// built records the indexes that an engine receives.
type built struct {
	got []string
	err error
}

// MissingIndex implements Engine.
func (b *built) MissingIndex(db resource.Database, d index.Definition, wanted bool) error {
	b.got = append(b.got, fmt.Sprintf("%s/%s %s %v", db.Project, db.ID, d.CollectionGroup, wanted))
	return b.err
}

// TestReports sends two indexes to a leader that does not receive the first request.
func TestReports(t *testing.T) {
	reports, leader := NewReports(), new(built)
	h := Handler(leader, slog.New(slog.DiscardHandler))
	db := resource.Database{Project: "p", ID: "d"}
	for _, group := range []string{"one", "two"} {
		reports.Note(group == "two")(db, index.Definition{CollectionGroup: group, Fields: []index.Field{{Path: "a"}, {Path: "b"}}})
	}
	ctx, stop := context.WithCancel(t.Context())
	calls := 0
	reports.Send(ctx, func(_ context.Context, service string, body []byte) bool {
		if calls++; calls == 1 {
			return false
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(body))))
		if service != ServiceName || w.Code != http.StatusOK {
			t.Errorf("the service %s returns %d", service, w.Code)
		}
		if calls == 3 {
			stop()
		}
		return true
	}, slog.New(slog.DiscardHandler))
	if want := "[p/d one false p/d two true]"; fmt.Sprint(leader.got) != want || calls != 3 {
		t.Errorf("after %d calls the leader has %v, want %s", calls, leader.got, want)
	}
}

// TestAFullQueueDropsIndexes notes more indexes than the queue holds.
func TestAFullQueueDropsIndexes(t *testing.T) {
	reports := NewReports()
	for range maxQueued + 1 {
		reports.Note(false)(resource.Database{}, index.Definition{CollectionGroup: "c"})
	}
	if n := len(reports.queue); n != maxQueued {
		t.Errorf("the queue has %d indexes, want %d", n, maxQueued)
	}
}
