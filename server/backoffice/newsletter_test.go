package backoffice_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"

	"clave/server/backoffice"
	"clave/server/backoffice/email"
)

// names returns n e-mail addresses.
func names(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("persona%03d@correo.do", i)
	}
	return all
}

// crash runs SendIssues and ends its goroutine right after the n-th message of the issue, before its outcome is
// written.
func crash(t *testing.T, s *backoffice.Service, mails *mailServer, n int) {
	t.Helper()
	mails.after = func() {
		if len(mails.to(issue.Subject)) == n {
			runtime.Goexit()
		}
	}
	done := make(chan error, 1)
	go func() {
		defer close(done)
		done <- s.SendIssues(t.Context())
	}()
	if err, ended := <-done; ended {
		t.Fatalf("SendIssues ended with %v before it crashed", err)
	}
	mails.after = nil
}

func TestEachAddressReceivesAnIssueOnce(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	confirmAll(t, s, mails, documents, manual, names(60)...)
	id := start(t, s, issue, 60)
	if _, _, err := s.StartIssue(t.Context(), "uid-2", issue); nameOfRefusal(t, err) != backoffice.AlreadySent {
		t.Errorf("a second press: %v", err)
	}
	crash(t, s, mails, 10)
	// Another process continues. The mail server fails for a while, rejects an address, breaks off at another, and defers
	// two.
	rest := slices.DeleteFunc(names(60), func(name string) bool { return mails.to(issue.Subject)[name] > 0 })
	rejected, uncertain, deferred, full := rest[0], rest[10], rest[20], rest[30]
	broken, deferrals := true, 0
	mails.fail = func(to string) error {
		switch {
		case to == rejected:
			return email.ErrRejected
		case to == uncertain:
			return email.ErrUncertain
		case to == full, to == deferred && deferrals < 2:
			deferrals++
			return email.ErrDeferred
		case broken && len(mails.to(issue.Subject)) == 30:
			return email.ErrUnavailable
		}
		return nil
	}
	next := mailingService(t, mails, manual)
	if err := next.SendIssues(t.Context()); nameOfRefusal(t, err) != backoffice.Unavailable {
		t.Fatalf("a server that fails: %v", err)
	}
	found, err := documents.Collection("Newsletters").Doc(id).Get(t.Context())
	if err != nil || found.Data()["problem"] != "mail-failed" {
		t.Errorf("the issue of a server that fails: %v, %v", found.Data(), err)
	}
	broken = false
	sendAll(t, next, documents, manual, id)
	got := mails.to(issue.Subject)
	var missing []string
	for _, name := range names(60) {
		if got[name] == 0 {
			missing = append(missing, name)
		} else if got[name] > 1 {
			t.Errorf("%s got the issue %d times", name, got[name])
		}
	}
	if !slices.Equal(missing, []string{rejected, uncertain, full}) {
		t.Errorf("without the issue: %v, want %s, %s and %s", missing, rejected, uncertain, full)
	}
	// The tenth message was delivered, but its delivery was not recorded.
	if got := progressOf(t, documents, id); got != "sent 56 2 2" {
		t.Errorf("the issue's progress is %q, want 56 sent, 2 failed, 2 uncertain", got)
	}
}

func TestSendingIsLimitedAndSkipsUnsubscribedAddresses(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	confirmAll(t, s, mails, documents, manual, names(40)...)
	other := backoffice.Issue{Subject: "Otra", Text: "Otra"}
	ids := []string{start(t, s, issue, 40), start(t, s, other, 40)}
	deferred := ""
	mails.fail = func(to string) error {
		if deferred == "" {
			deferred = to
		}
		if to == deferred {
			return email.ErrDeferred
		}
		return nil
	}
	before := len(mails.messages)
	if err := s.SendIssues(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := len(mails.messages) - before; got != 29 {
		t.Errorf("one call sent %d messages, want 30 less the one that was deferred", got)
	}
	rest := slices.DeleteFunc(names(40), func(name string) bool {
		return name == deferred || mails.to(issue.Subject)[name]+mails.to(other.Subject)[name] > 0
	})
	tokens, err := s.UnsubscribeTokens([]string{deferred, rest[0]})
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range tokens {
		if err := s.Unsubscribe(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	mails.fail = nil
	for _, id := range ids {
		sendAll(t, s, documents, manual, id)
		if got := progressOf(t, documents, id); got != "sent 38 0 0" {
			t.Errorf("the issue's progress is %q, want 38 sent", got)
		}
	}
}

func TestAddressesThatUnsubscribeDuringAnIssueAreSkipped(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	confirmAll(t, s, mails, documents, manual, names(40)...)
	id := start(t, s, issue, 40)
	unsubscribed := ""
	mails.after = func() {
		got := mails.to(issue.Subject)
		if len(got) != 1 {
			return
		}
		next, err := documents.Collection("NewsletterAddresses").OrderBy("confirmedAt", firestore.Asc).Limit(2).Documents(t.Context()).GetAll()
		if err != nil {
			t.Fatal(err)
		}
		unsubscribed, _ = next[1].Data()["email"].(string)
		tokens, err := s.UnsubscribeTokens([]string{unsubscribed})
		if err == nil {
			err = s.Unsubscribe(t.Context(), tokens[0])
		}
		if err != nil {
			t.Error(err)
		}
	}
	sendAll(t, s, documents, manual, id)
	if got := mails.to(issue.Subject); len(got) != 39 || got[unsubscribed] > 0 {
		t.Errorf("the issue went to %d addresses, %d times to %q, which had unsubscribed; want 39 and none", len(got), got[unsubscribed], unsubscribed)
	}
}

func TestAServiceThatStopsDuringAFailureSendsLater(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	confirmAll(t, s, mails, documents, manual, "ana@correo.do")
	id := start(t, s, issue, 1)
	ctx, cancel := context.WithCancel(t.Context())
	mails.fail = func(string) error {
		cancel()
		return email.ErrUnavailable
	}
	if err := s.SendIssues(ctx); nameOfRefusal(t, err) != backoffice.Unavailable {
		t.Fatalf("SendIssues = %v", err)
	}
	mails.fail = nil
	sendAll(t, s, documents, manual, id)
	if got := progressOf(t, documents, id); got != "sent 1 0 0" {
		t.Errorf("the issue's progress is %q, want one sent", got)
	}
}

func TestIssuesAreChecked(t *testing.T) {
	s, _, _, _ := mailing(t)
	for _, bad := range []backoffice.Issue{
		{}, {Subject: "a"}, {Text: "a"}, {Subject: " ", Text: "a"}, {Subject: "a\r\nBcc: b@c.do", Text: "a"},
		{Subject: strings.Repeat("a", 151), Text: "a"}, {Subject: "a", Text: strings.Repeat("a", 20_001)},
	} {
		if _, err := s.PreviewIssue(bad); nameOfRefusal(t, err) != backoffice.InvalidArgument {
			t.Errorf("PreviewIssue(%.20q) = %v", bad, err)
		}
	}
	if text, err := s.PreviewIssue(issue); err != nil || !strings.Contains(text, "Hay concierto.") || !strings.Contains(text, "/boletin/baja?t=") {
		t.Errorf("PreviewIssue = %q, %v", text, err)
	}
	silent, _, _, _ := keeper(t)
	if _, err := silent.PreviewIssue(issue); nameOfRefusal(t, err) != backoffice.NoMail {
		t.Errorf("without a mail server: %v", err)
	}
	if got, err := silent.Newsletter(t.Context()); err != nil || got.Delivery != backoffice.NoDelivery {
		t.Errorf("Newsletter without a mail server = %v, %v", got, err)
	}
}
