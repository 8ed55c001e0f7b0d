package backoffice_test

import (
	"testing"
	"time"

	"clave/server/backoffice/email"
)

// requestEvery runs a round of requests at every step of a period. Errors are expected where the mail server fails.
func requestEvery(t *testing.T, round func() error, advance func(time.Duration), step, span time.Duration) {
	t.Helper()
	for ; span > 0; span -= step {
		if err := round(); err != nil {
			t.Log(err)
		}
		advance(step)
	}
}

// TestAFailingAddressDelaysNoOther uses an address for which the mail server always closes the connection.
func TestAFailingAddressDelaysNoOther(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	subscribe(t, documents, manual, "ana@correo.do")
	subscribe(t, documents, manual, "bea@correo.do")
	tries := 0
	mails.fail = func(to string) error {
		if to == "ana@correo.do" {
			tries++
			return email.ErrUnavailable
		}
		return nil
	}
	round := func() error {
		_, err := s.RequestConfirmations(t.Context())
		return err
	}
	requestEvery(t, round, manual.Advance, 15*time.Second, 30*time.Second)
	if got := mails.to(confirmSubject); got["bea@correo.do"] != 1 || tries != 1 {
		t.Errorf("requests to %v after %d tries of ana, want one to bea after one", got, tries)
	}
	requestEvery(t, round, manual.Advance, time.Hour, 5*24*time.Hour)
	if tries != 8 {
		t.Errorf("%d tries in five days, want 8", tries)
	}
	manual.Advance(31 * 24 * time.Hour)
	if got, err := s.Purge(t.Context()); err != nil || got["NewsletterAddresses"] != 2 {
		t.Errorf("Purge = %v, %v, want both addresses", got, err)
	}
}

// TestADeferredRequestIsRetried uses a mail server that accepts only the second attempt, as with greylisting.
func TestADeferredRequestIsRetried(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	subscribe(t, documents, manual, "ana@correo.do")
	mails.fail = func(string) error { return email.ErrDeferred }
	request(t, s, mails)
	mails.fail = nil
	for range 3 {
		manual.Advance(time.Minute)
		request(t, s, mails)
	}
	if got := mails.to(confirmSubject); got["ana@correo.do"] != 1 {
		t.Errorf("requests to %v, want one to ana", got)
	}
}

// TestAFloodOfSubscriptionsIsLimited subscribes many addresses, and one address before and one after them.
func TestAFloodOfSubscriptionsIsLimited(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	subscribe(t, documents, manual, names(150)...)
	subscribe(t, documents, manual, "ana@correo.do")
	request(t, s, mails)
	if got := mails.to(confirmSubject); len(got) != 60 || got["ana@correo.do"] != 1 {
		t.Errorf("%d requests at once, %d to ana; want 60 and one", len(got), got["ana@correo.do"])
	}
	for range 2 {
		manual.Advance(time.Hour)
		request(t, s, mails)
	}
	got := mails.to(confirmSubject)
	if len(got) != 151 {
		t.Errorf("%d addresses got a request in three hours, want 151", len(got))
	}
	for address, n := range got {
		if n != 1 {
			t.Errorf("%s got %d requests", address, n)
		}
	}
}
