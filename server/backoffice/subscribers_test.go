package backoffice_test

import (
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"clave/server/backoffice"
	"clave/server/backoffice/email"
	"clave/server/backoffice/seed"
)

func TestOnlyConfirmedAddressesReceiveTheNewsletter(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	if _, _, err := s.StartIssue(t.Context(), "uid-1", issue); nameOfRefusal(t, err) != backoffice.NoSubscribers {
		t.Errorf("an issue without addressees: %v", err)
	}
	subscribe(t, documents, manual, "ana@correo.do", "ana@correo.do", "bea@correo.do", "no@ne@", "carla <c@correo.do>")
	tokens := request(t, s, mails)
	if got := mails.to(confirmSubject); len(got) != 2 || got["ana@correo.do"] != 1 || got["bea@correo.do"] != 1 {
		t.Fatalf("requests to %v, want ana and bea once", got)
	}
	if address, err := s.Confirming(tokens["ana@correo.do"]); err != nil || address != "ana@correo.do" {
		t.Errorf("Confirming = %q, %v", address, err)
	}
	for range 2 {
		if err := s.Confirm(t.Context(), tokens["ana@correo.do"]); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Newsletter(t.Context()); err != nil || got != (backoffice.NewsletterStatus{Delivery: backoffice.ServerDelivery, Confirmed: 1}) {
		t.Errorf("Newsletter = %v, %v", got, err)
	}
	times, err := s.ConfirmedAt(t.Context(), []string{"bea@correo.do", " ANA@correo.do", "ana@correo.do", "nadie@correo.do"})
	if err != nil || len(times) != 4 || !times[0].IsZero() || !times[1].Equal(manual.Now()) || !times[2].Equal(manual.Now()) || !times[3].IsZero() {
		t.Errorf("ConfirmedAt = %v, %v, want two for ana", times, err)
	}
	if times, err := s.ConfirmedAt(t.Context(), nil); err != nil || len(times) != 0 {
		t.Errorf("ConfirmedAt of nobody = %v, %v", times, err)
	}
	id := start(t, s, issue, 1)
	manual.Advance(time.Minute)
	if err := s.Confirm(t.Context(), tokens["bea@correo.do"]); err != nil {
		t.Fatal(err)
	}
	sendAll(t, s, documents, manual, id)
	if got := mails.to(issue.Subject); len(got) != 1 || got["ana@correo.do"] != 1 {
		t.Fatalf("the issue went to %v, want ana once, because bea confirmed later", got)
	}
	last := mails.messages[len(mails.messages)-1]
	if !strings.HasPrefix(last.Text, "Hola.\n\nHay concierto.\n\n—\n") || !strings.HasPrefix(last.Unsubscribe, "https://www.example.org/boletin/baja?t=") || !strings.Contains(last.Text, last.Unsubscribe) {
		t.Errorf("the message: %+v", last)
	}
	if got := progressOf(t, documents, id); got != "sent 1 0 0" {
		t.Errorf("the issue's progress is %q", got)
	}
	token, err := url.QueryUnescape(strings.TrimPrefix(last.Unsubscribe, "https://www.example.org/boletin/baja?t="))
	if err == nil {
		err = s.Unsubscribe(t.Context(), token)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Confirm(t.Context(), tokens["ana@correo.do"]); nameOfRefusal(t, err) != backoffice.InvalidLink {
		t.Errorf("an old link after unsubscribing: %v", err)
	}
	second := backoffice.Issue{Subject: "Noticias de noviembre", Text: "Hola."}
	sendAll(t, s, documents, manual, start(t, s, second, 1))
	if got := mails.to(second.Subject); len(got) != 1 || got["bea@correo.do"] != 1 {
		t.Errorf("the second issue went to %v", got)
	}
}

func TestLinksForConfirmingExpireAndCannotBeForged(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	subscribe(t, documents, manual, "ana@correo.do")
	token := request(t, s, mails)["ana@correo.do"]
	unsubscribe, err := s.UnsubscribeTokens([]string{"ana@correo.do"})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", ".", "x", token + "x", token[1:], "YQ." + strings.SplitN(token, ".", 2)[1], unsubscribe[0]} {
		if err := s.Confirm(t.Context(), bad); nameOfRefusal(t, err) != backoffice.InvalidLink {
			t.Errorf("Confirm(%q) = %v", bad, err)
		}
	}
	if _, err := s.Subscriber(token); nameOfRefusal(t, err) != backoffice.InvalidLink {
		t.Errorf("a confirmation link unsubscribes: %v", err)
	}
	manual.Advance(7 * 24 * time.Hour)
	if err := s.Confirm(t.Context(), token); nameOfRefusal(t, err) != backoffice.InvalidLink {
		t.Errorf("a link of a week ago: %v", err)
	}
}

func FuzzConfirming(f *testing.F) {
	s, err := backoffice.New(f.Context(), backoffice.Options{ProjectID: "demo-back-office", UnsubscribeKey: backoffice.DemoUnsubscribeKey})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("")
	f.Add("YW5hQGNvcnJlby5kbw.AAAA")
	f.Fuzz(func(t *testing.T, token string) {
		if address, err := s.Confirming(token); err == nil {
			t.Errorf("Confirming(%q) = %q for a token that the service did not make", token, address)
		}
	})
}

func TestAnAddressReceivesOneRequestADay(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	for _, step := range []struct {
		wait time.Duration
		want int
	}{{0, 1}, {time.Hour, 1}, {24 * time.Hour, 2}} {
		manual.Advance(step.wait)
		subscribe(t, documents, manual, "ana@correo.do")
		request(t, s, mails)
		if got := mails.to(confirmSubject)["ana@correo.do"]; got != step.want {
			t.Errorf("after %v more: %d requests, want %d", step.wait, got, step.want)
		}
	}
}

func TestAMailboxReceivesOneRequestADay(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	subscribe(t, documents, manual, "ana@gmail.com", "ana+1@gmail.com", "a.n.a+2@gmail.com", "ana@googlemail.com", "Ana@Gmail.com",
		"bea+1@correo.do", "bea+2@correo.do", "b.ea@correo.do", "+1@correo.do", "+2@correo.do")
	request(t, s, mails)
	got := make(map[string]int)
	for to := range mails.to(confirmSubject) {
		name, domain, _ := strings.Cut(to, "@")
		if domain != "correo.do" {
			name = "ana"
		}
		got[strings.TrimRight(name, "+12")]++
	}
	if want := map[string]int{"ana": 1, "bea": 1, "b.ea": 1, "": 2}; !maps.Equal(got, want) || len(mails.messages) != 5 {
		t.Errorf("%d requests to %v, want %v", len(mails.messages), got, want)
	}
	manual.Advance(24 * time.Hour)
	subscribe(t, documents, manual, "bea+3@correo.do")
	request(t, s, mails)
	if n := len(mails.messages); n != 6 {
		t.Errorf("a day later %d requests in all, want 6", n)
	}
}

func TestSubscriptionsWithoutARequestDelayNoOther(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	repeated := slices.Repeat([]string{"ana@correo.do", "no@ne@"}, 30)
	subscribe(t, documents, manual, repeated...)
	subscribe(t, documents, manual, "bea@correo.do")
	if n, err := s.RequestConfirmations(t.Context()); n != 2 || err != nil {
		t.Errorf("RequestConfirmations = %d, %v, want 2: ana and bea", n, err)
	}
	subscribe(t, documents, manual, names(15)...)
	if n, err := s.RequestConfirmations(t.Context()); n != 10 || err != nil {
		t.Errorf("RequestConfirmations = %d, %v, want 10", n, err)
	}
	request(t, s, mails)
	if got := len(mails.to(confirmSubject)); got != 17 {
		t.Errorf("%d addresses got a request, want 17", got)
	}
}

func TestAConfirmationDuringAnotherRequestIsKept(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	subscribe(t, documents, manual, "ana@correo.do")
	token := request(t, s, mails)["ana@correo.do"]
	manual.Advance(25 * time.Hour)
	subscribe(t, documents, manual, "ana@correo.do") // no account is needed
	mails.after = func() {
		if err := s.Confirm(t.Context(), token); err != nil {
			t.Error(err)
		}
	}
	request(t, s, mails)
	start(t, s, issue, 1)
}

func TestRequestsContinueAfterAFailure(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	subscribe(t, documents, manual, "ana@correo.do", "bea@correo.do", "carla@correo.do", "dora@correo.do")
	mails.down = email.ErrUnavailable
	if n, err := s.RequestConfirmations(t.Context()); n != 0 || nameOfRefusal(t, err) != backoffice.Unavailable {
		t.Fatalf("without a mail server: %d, %v", n, err)
	}
	mails.down = nil
	broken := true
	mails.fail = func(to string) error {
		switch {
		case to == "carla@correo.do":
			return email.ErrRejected
		case to == "dora@correo.do" && len(mails.messages) < 3:
			return email.ErrDeferred
		case broken && len(mails.messages) == 1:
			return email.ErrUnavailable
		}
		return nil
	}
	if _, err := s.RequestConfirmations(t.Context()); nameOfRefusal(t, err) != backoffice.Unavailable {
		t.Fatalf("a server that fails: %v", err)
	}
	broken = false
	manual.Advance(time.Minute)
	request(t, s, mails)
	if got := mails.to(confirmSubject); len(got) != 2 || got["ana@correo.do"] != 1 || got["bea@correo.do"] != 1 {
		t.Errorf("requests to %v, want ana and bea once", got)
	}
	mails.fail = nil
	subscribe(t, documents, manual, "carla@correo.do", "dora@correo.do")
	request(t, s, mails)
	if got := mails.to(confirmSubject); len(got) != 3 || got["dora@correo.do"] != 1 {
		t.Errorf("requests to %v, want dora's too, whose first one was deferred", got)
	}
}

func TestErasingAPersonErasesItsConfirmation(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	confirmAll(t, s, mails, documents, manual, "ana@correo.do", "bea@correo.do")
	if got, err := s.Erase(t.Context(), "uid-1", "Ana@correo.do"); err != nil || got["NewsletterAddresses"] != 1 || got.Total() != 2 {
		t.Errorf("Erase = %v, %v", got, err)
	}
	start(t, s, issue, 1)
}

func TestAddressesThatAreNotConfirmedAreErased(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	confirmAll(t, s, mails, documents, manual, "ana@correo.do")
	subscribe(t, documents, manual, "bea@correo.do")
	request(t, s, mails)
	for _, step := range []struct {
		wait time.Duration
		want int
	}{{29 * 24 * time.Hour, 0}, {25 * time.Hour, 2}, {24 * time.Hour, 0}} {
		manual.Advance(step.wait)
		if got, err := s.Purge(t.Context()); err != nil || got.Total() != step.want {
			t.Errorf("Purge after %v more = %v, %v, want %d", step.wait, got, err, step.want)
		}
	}
	start(t, s, issue, 1)
}

// TestDemoSubscribersAreConfirmed checks that the document names in the demo data are those that the service derives
// from addresses.
func TestDemoSubscribersAreConfirmed(t *testing.T) {
	s, mails, manual, documents := mailing(t)
	accounts, _, err := s.Clients()
	if err != nil {
		t.Fatal(err)
	}
	data, err := seed.Load(t.Context(), os.DirFS("../../emulator-config"), manual.Now())
	if err != nil {
		t.Fatal(err)
	}
	if done, err := seed.Apply(t.Context(), accounts, documents, data); !done || err != nil {
		t.Fatalf("Apply = %v, %v", done, err)
	}
	if sent := request(t, s, mails); len(sent) != 0 {
		t.Errorf("the demo data cause %d requests for confirmation", len(sent))
	}
	confirmed := 0
	for _, d := range data.Documents {
		if address, ok := d.Fields["email"].(string); ok && d.Fields["confirmedAt"] != nil {
			confirmed++
			subscribe(t, documents, manual, address)
		}
	}
	if sent := request(t, s, mails); len(sent) != 0 || confirmed == 0 {
		t.Errorf("%d requests to %d addresses that are confirmed: %v", len(sent), confirmed, sent)
	}
	start(t, s, issue, confirmed)
}
