package backoffice_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"clave/server/backoffice"
	"clave/server/backoffice/email"
	"clave/server/internal/base/clock/clocktest"
)

// TestTwoServicesSendAnIssueOnce sends an issue with two services at the same time. Every address must receive it once,
// and the counts must be right.
func TestTwoServicesSendAnIssueOnce(t *testing.T) {
	startServers(t)
	manual := clocktest.NewManual(time.Date(2027, 9, 15, 18, 0, 0, 0, time.UTC))
	one, two := &mailServer{}, &mailServer{}
	s, other := mailingService(t, one, manual), mailingService(t, two, manual)
	_, documents, err := s.Clients()
	if err != nil {
		t.Fatal(err)
	}
	confirmAll(t, s, one, documents, manual, names(60)...)
	id := start(t, s, issue, 60)
	for !strings.HasPrefix(progressOf(t, documents, id), "sent ") {
		failed := make(chan error, 1)
		go func() { failed <- other.SendIssues(t.Context()) }()
		if err := s.SendIssues(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-failed; err != nil {
			t.Error(err)
		}
		if t.Failed() {
			return
		}
	}
	got := one.to(issue.Subject)
	for address, n := range two.to(issue.Subject) {
		got[address] += n
	}
	for _, address := range names(60) {
		if got[address] != 1 {
			t.Errorf("%s got the issue %d times", address, got[address])
		}
	}
	if got := progressOf(t, documents, id); got != "sent 60 0 0" {
		t.Errorf("the issue's progress is %q", got)
	}
}

// TestAServicePassesADeliveryThatAnotherCannotSend lets the mail server fail for one service after another one has
// skipped the address. The address must still receive the issue.
func TestAServicePassesADeliveryThatAnotherCannotSend(t *testing.T) {
	startServers(t)
	manual := clocktest.NewManual(time.Date(2027, 9, 15, 18, 0, 0, 0, time.UTC))
	one, two := &mailServer{}, &mailServer{}
	s, other := mailingService(t, one, manual), mailingService(t, two, manual)
	_, documents, err := s.Clients()
	if err != nil {
		t.Fatal(err)
	}
	confirmAll(t, s, one, documents, manual, "ana@correo.do", "bea@correo.do")
	id := start(t, s, issue, 2)
	one.fail = func(string) error {
		return errors.Join(email.ErrUnavailable, other.SendIssues(t.Context()))
	}
	if err := s.SendIssues(t.Context()); nameOfRefusal(t, err) != backoffice.Unavailable {
		t.Fatalf("SendIssues = %v", err)
	}
	one.fail = nil
	sendAll(t, s, documents, manual, id)
	if got := progressOf(t, documents, id); got != "sent 2 0 0" {
		t.Errorf("the issue's progress is %q, want two sent", got)
	}
}
