package backoffice_test

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"clave/server/backoffice"
	"clave/server/backoffice/email"
	"clave/server/internal/base/clock/clocktest"
)

// sendFor sends at every step of a period.
func sendFor(t *testing.T, s *backoffice.Service, manual *clocktest.Manual, span, step time.Duration) {
	t.Helper()
	for ; span > 0; span -= step {
		if err := s.SendIssues(t.Context()); err != nil {
			t.Fatal(err)
		}
		manual.Advance(step)
	}
}

// problemOf returns the problem of an issue.
func problemOf(t *testing.T, documents *firestore.Client, id string) any {
	t.Helper()
	found, err := documents.Collection("Newsletters").Doc(id).Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found.Data()["problem"]
}

// TestSuccessiveRefusalsPauseAnIssue lets the mail server accept some e-mails and then refuse all for two days.
func TestSuccessiveRefusalsPauseAnIssue(t *testing.T) {
	for _, kind := range []error{email.ErrRejected, email.ErrDeferred} {
		t.Run(kind.Error(), func(t *testing.T) { pauses(t, kind) })
	}
}

// pauses runs the test with one kind of refusal.
func pauses(t *testing.T, kind error) {
	t.Helper()
	s, mails, manual, documents := mailing(t)
	confirmAll(t, s, mails, documents, manual, names(40)...)
	id := start(t, s, issue, 40)
	full, tried := true, 0
	mails.fail = func(string) error {
		if tried++; full && len(mails.to(issue.Subject)) == 10 {
			return fmt.Errorf("%w (%w)", kind, email.ErrSender)
		}
		return nil
	}
	sendFor(t, s, manual, 15*time.Second, 15*time.Second)
	if got := progressOf(t, documents, id); got != "paused 10 0 0" || problemOf(t, documents, id) != "mail-refused" || tried != 15 {
		t.Errorf("after %d tries: %q, %v", tried, got, problemOf(t, documents, id))
	}
	tried = 0
	sendFor(t, s, manual, 48*time.Hour, 10*time.Minute)
	if got := progressOf(t, documents, id); got != "paused 10 0 0" || tried > 48 {
		t.Errorf("two days later: %q, %d tries", got, tried)
	}
	full = false
	sendFor(t, s, manual, 10*time.Hour, time.Hour)
	if got := progressOf(t, documents, id); got != "sent 40 0 0" || problemOf(t, documents, id) != "" || len(mails.to(issue.Subject)) != 40 {
		t.Errorf("in the end: %q, %v", got, problemOf(t, documents, id))
	}
}

// TestARefusalOfOneAddressIsCountedAsFailed uses a mail server that refuses only the e-mails to one address.
func TestARefusalOfOneAddressIsCountedAsFailed(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	confirmAll(t, s, mails, documents, manual, names(8)...)
	id := start(t, s, issue, 8)
	mails.fail = func(to string) error {
		if to == "persona003@correo.do" {
			return fmt.Errorf("%w (%w)", email.ErrRejected, email.ErrSender)
		}
		return nil
	}
	sendFor(t, s, manual, 4*24*time.Hour, time.Hour)
	if got := progressOf(t, documents, id); got != "sent 7 1 0" {
		t.Errorf("the issue's progress is %q, want one failed", got)
	}
}

func TestAnErrorOfAnIssueDoesNotStopTheOthers(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	confirmAll(t, s, mails, documents, manual, "ana@correo.do")
	broken := map[string]any{"state": "sending", "after": map[string]any{"confirmedAt": manual.Now(), "id": 5}}
	if _, err := documents.Collection("Newsletters").Doc("0").Set(t.Context(), broken); err != nil {
		t.Fatal(err)
	}
	id := start(t, s, issue, 1)
	for range 2 {
		if err := s.SendIssues(t.Context()); nameOfRefusal(t, err) != backoffice.Unavailable {
			t.Errorf("SendIssues with an issue that cannot be read: %v", err)
		}
	}
	if got := progressOf(t, documents, id); got != "sent 1 0 0" {
		t.Errorf("the issue after the broken one: %q", got)
	}
}
