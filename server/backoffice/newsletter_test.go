package backoffice_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"clave/server/backoffice"
	"clave/server/backoffice/email"
	"clave/server/backoffice/seed"
	"clave/server/clock"
)

// mailServer is an email.Sender that keeps what it accepts.
type mailServer struct {
	messages []email.Message
	// fail returns the error of a message to an address; nil when all are accepted.
	fail func(to string) error
	// after runs after each message.
	after func()
	// down is returned instead of a connection.
	down error
}

func (b *mailServer) Connect(context.Context) (email.Connection, error) { return b, b.down }

func (b *mailServer) Close() error { return nil }

func (b *mailServer) Send(l *email.Message) error {
	if b.fail != nil {
		if err := b.fail(l.To); err != nil {
			return err
		}
	}
	b.messages = append(b.messages, *l)
	if b.after != nil {
		b.after()
	}
	return nil
}

// to returns how many messages of a subject each address got.
func (b *mailServer) to(subject string) map[string]int {
	got := make(map[string]int)
	for _, l := range b.messages {
		if l.Subject == subject {
			got[l.To]++
		}
	}
	return got
}

// confirmSubject is the subject of a request for confirmation.
const confirmSubject = "Confirma tu suscripción al boletín"

// mailing returns a service with a mail server, on running servers, with its clock and the documents.
func mailing(t *testing.T) (*backoffice.Service, *mailServer, *clock.Hand, *firestore.Client) {
	t.Helper()
	startServers(t)
	hand, mails := clock.NewHand(time.Date(2027, 9, 15, 18, 0, 0, 0, time.UTC)), &mailServer{}
	s := mailingService(t, mails, hand)
	_, documents, err := s.Clients()
	if err != nil {
		t.Fatal(err)
	}
	return s, mails, hand, documents
}

// mailingService returns a service with a mail server.
func mailingService(t *testing.T, mails *mailServer, hand *clock.Hand) *backoffice.Service {
	t.Helper()
	s, err := backoffice.New(t.Context(), backoffice.Options{
		ProjectID: "demo-back-office", SignupCode: secret, UnsubscribeKey: backoffice.DemoUnsubscribeKey,
		Mail: mails, PublicURL: "https://www.example.org/", Clock: hand, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// subscribe writes subscriptions as visitors do, and advances the clock until they are read.
func subscribe(t *testing.T, documents *firestore.Client, hand *clock.Hand, emails ...string) {
	t.Helper()
	for _, email := range emails {
		fields := map[string]any{"email": email, "createdAt": hand.Now(), "source": "homepage"}
		if _, _, err := documents.Collection("Massive Boletin").Add(t.Context(), fields); err != nil {
			t.Fatal(err)
		}
	}
	hand.Advance(time.Minute)
}

// request requests confirmations until there are no new subscriptions, and returns the token of each address.
func request(t *testing.T, s *backoffice.Service, mails *mailServer) map[string]string {
	t.Helper()
	before := len(mails.messages)
	for {
		n, err := s.RequestConfirmations(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	tokens := make(map[string]string)
	for _, l := range mails.messages[before:] {
		match := regexp.MustCompile(`https://www\.example\.org/boletin/confirmar\?t=(\S+)`).FindStringSubmatch(l.Text)
		if l.Subject != confirmSubject || match == nil || l.Unsubscribe != "" {
			t.Fatalf("the request is %+v", l)
		}
		token, err := url.QueryUnescape(match[1])
		if err != nil {
			t.Fatal(err)
		}
		tokens[l.To] = token
	}
	return tokens
}

// confirmAll subscribes and confirms addresses.
func confirmAll(t *testing.T, s *backoffice.Service, mails *mailServer, documents *firestore.Client, hand *clock.Hand, emails ...string) {
	t.Helper()
	subscribe(t, documents, hand, emails...)
	for _, token := range request(t, s, mails) {
		if err := s.Confirm(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	hand.Advance(time.Minute)
}

// issue is what the tests send.
var issue = backoffice.Issue{Subject: "Noticias de octubre", Text: "Hola.\r\n\r\nHay concierto."}

// start starts an issue and checks the number of addresses.
func start(t *testing.T, s *backoffice.Service, issue backoffice.Issue, want int) string {
	t.Helper()
	id, total, err := s.StartIssue(t.Context(), "uid-1", issue)
	if err != nil || total != want {
		t.Fatalf("StartIssue = %d, %v, want %d", total, err, want)
	}
	return id
}

// progressOf returns the state of an issue, and how many messages were sent, failed and are uncertain.
func progressOf(t *testing.T, documents *firestore.Client, id string) string {
	t.Helper()
	found, err := documents.Collection("Newsletters").Doc(id).Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f := found.Data()
	return fmt.Sprint(f["state"], " ", f["sent"], " ", f["failed"], " ", f["uncertain"])
}

// sendAll sends until the issue is sent completely.
func sendAll(t *testing.T, s *backoffice.Service, documents *firestore.Client, hand *clock.Hand, id string) {
	t.Helper()
	for range 50 {
		if err := s.SendIssues(t.Context()); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(progressOf(t, documents, id), "sent ") {
			return
		}
		hand.Advance(10 * time.Minute)
	}
	t.Fatalf("the issue does not end: %s", progressOf(t, documents, id))
}

// nameOfRefusal returns the name of a refusal, "" for no error.
func nameOfRefusal(t *testing.T, err error) backoffice.Name {
	t.Helper()
	var refusal *backoffice.Refusal
	if err != nil && !errors.As(err, &refusal) {
		t.Fatalf("%v is no refusal", err)
	}
	if refusal == nil {
		return ""
	}
	return refusal.Name
}

func TestOnlyConfirmedAddressesGetTheNewsletter(t *testing.T) {
	s, mails, hand, documents := mailing(t)
	if _, _, err := s.StartIssue(t.Context(), "uid-1", issue); nameOfRefusal(t, err) != backoffice.NoSubscribers {
		t.Errorf("an issue for nobody: %v", err)
	}
	subscribe(t, documents, hand, "ana@correo.do", "ana@correo.do", "bea@correo.do", "no@ne@", "carla <c@correo.do>")
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
	id := start(t, s, issue, 1)
	hand.Advance(time.Minute)
	if err := s.Confirm(t.Context(), tokens["bea@correo.do"]); err != nil {
		t.Fatal(err)
	}
	sendAll(t, s, documents, hand, id)
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
	sendAll(t, s, documents, hand, start(t, s, second, 1))
	if got := mails.to(second.Subject); len(got) != 1 || got["bea@correo.do"] != 1 {
		t.Errorf("the second issue went to %v", got)
	}
}

func TestLinksForConfirmingExpireAndCannotBeForged(t *testing.T) {
	s, mails, hand, documents := mailing(t)
	subscribe(t, documents, hand, "ana@correo.do")
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
	hand.Advance(7 * 24 * time.Hour)
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

func TestAnAddressGetsOneRequestADay(t *testing.T) {
	s, mails, hand, documents := mailing(t)
	for _, step := range []struct {
		wait time.Duration
		want int
	}{{0, 1}, {time.Hour, 1}, {24 * time.Hour, 2}} {
		hand.Advance(step.wait)
		subscribe(t, documents, hand, "ana@correo.do")
		request(t, s, mails)
		if got := mails.to(confirmSubject)["ana@correo.do"]; got != step.want {
			t.Errorf("after %v more: %d requests, want %d", step.wait, got, step.want)
		}
	}
}

func TestAMailboxGetsOneRequestADay(t *testing.T) {
	s, mails, hand, documents := mailing(t)
	subscribe(t, documents, hand, "ana@gmail.com", "ana+1@gmail.com", "a.n.a+2@gmail.com", "ana@googlemail.com", "Ana@Gmail.com",
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
	hand.Advance(24 * time.Hour)
	subscribe(t, documents, hand, "bea+3@correo.do")
	request(t, s, mails)
	if n := len(mails.messages); n != 6 {
		t.Errorf("a day later %d requests in all, want 6", n)
	}
}

func TestSubscriptionsWithoutARequestDelayNobody(t *testing.T) {
	s, mails, hand, documents := mailing(t)
	repeated := slices.Repeat([]string{"ana@correo.do", "no@ne@"}, 30)
	subscribe(t, documents, hand, repeated...)
	subscribe(t, documents, hand, "bea@correo.do")
	if n, err := s.RequestConfirmations(t.Context()); n != 2 || err != nil {
		t.Errorf("RequestConfirmations = %d, %v, want 2: ana and bea", n, err)
	}
	subscribe(t, documents, hand, names(15)...)
	if n, err := s.RequestConfirmations(t.Context()); n != 10 || err != nil {
		t.Errorf("RequestConfirmations = %d, %v, want 10", n, err)
	}
	request(t, s, mails)
	if got := len(mails.to(confirmSubject)); got != 17 {
		t.Errorf("%d addresses got a request, want 17", got)
	}
}

func TestAConfirmationDuringAnotherRequestIsKept(t *testing.T) {
	s, mails, hand, documents := mailing(t)
	subscribe(t, documents, hand, "ana@correo.do")
	token := request(t, s, mails)["ana@correo.do"]
	hand.Advance(25 * time.Hour)
	subscribe(t, documents, hand, "ana@correo.do") // by anybody
	mails.after = func() {
		if err := s.Confirm(t.Context(), token); err != nil {
			t.Error(err)
		}
	}
	request(t, s, mails)
	start(t, s, issue, 1)
}

func TestRequestsContinueAfterAFailure(t *testing.T) {
	s, mails, hand, documents := mailing(t)
	subscribe(t, documents, hand, "ana@correo.do", "bea@correo.do", "carla@correo.do", "dora@correo.do")
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
	hand.Advance(time.Minute)
	request(t, s, mails)
	if got := mails.to(confirmSubject); len(got) != 2 || got["ana@correo.do"] != 1 || got["bea@correo.do"] != 1 {
		t.Errorf("requests to %v, want ana and bea once", got)
	}
	mails.fail = nil
	subscribe(t, documents, hand, "carla@correo.do", "dora@correo.do")
	request(t, s, mails)
	if got := mails.to(confirmSubject); len(got) != 3 || got["dora@correo.do"] != 1 {
		t.Errorf("requests to %v, want dora's too, whose first one was deferred", got)
	}
}

// names returns n addresses.
func names(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("persona%03d@correo.do", i)
	}
	return all
}

// crash runs SendIssues and ends its goroutine right after the n-th message of the issue, before its outcome is written.
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

func TestNobodyGetsAnIssueTwiceNorIsLeftOut(t *testing.T) {
	s, mails, hand, documents := mailing(t)
	confirmAll(t, s, mails, documents, hand, names(60)...)
	id := start(t, s, issue, 60)
	if _, _, err := s.StartIssue(t.Context(), "uid-2", issue); nameOfRefusal(t, err) != backoffice.AlreadySent {
		t.Errorf("a second press: %v", err)
	}
	crash(t, s, mails, 10)
	// Another process continues. The mail server fails for a while, rejects an address, breaks off at another, and defers two.
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
	next := mailingService(t, mails, hand)
	if err := next.SendIssues(t.Context()); nameOfRefusal(t, err) != backoffice.Unavailable {
		t.Fatalf("a server that fails: %v", err)
	}
	found, err := documents.Collection("Newsletters").Doc(id).Get(t.Context())
	if err != nil || found.Data()["problem"] != "mail-failed" {
		t.Errorf("the issue of a server that fails: %v, %v", found.Data(), err)
	}
	broken = false
	sendAll(t, next, documents, hand, id)
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
	// The tenth message arrived, but that was never written.
	if got := progressOf(t, documents, id); got != "sent 56 2 2" {
		t.Errorf("the issue's progress is %q, want 56 sent, 2 failed, 2 uncertain", got)
	}
}

func TestSendingIsLimitedAndLeavesOutWhoUnsubscribed(t *testing.T) {
	s, mails, hand, documents := mailing(t)
	confirmAll(t, s, mails, documents, hand, names(40)...)
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
		sendAll(t, s, documents, hand, id)
		if got := progressOf(t, documents, id); got != "sent 38 0 0" {
			t.Errorf("the issue's progress is %q, want 38 sent", got)
		}
	}
}

func TestWhoUnsubscribesWhileOthersAreSentToGetsNothing(t *testing.T) {
	s, mails, hand, documents := mailing(t)
	confirmAll(t, s, mails, documents, hand, names(40)...)
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
	sendAll(t, s, documents, hand, id)
	if got := mails.to(issue.Subject); len(got) != 39 || got[unsubscribed] > 0 {
		t.Errorf("the issue went to %d addresses, %d times to %q, which had unsubscribed; want 39 and none", len(got), got[unsubscribed], unsubscribed)
	}
}

func TestAServiceThatStopsDuringAFailureSendsLater(t *testing.T) {
	s, mails, hand, documents := mailing(t)
	confirmAll(t, s, mails, documents, hand, "ana@correo.do")
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
	sendAll(t, s, documents, hand, id)
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

func TestErasingAPersonErasesItsConfirmation(t *testing.T) {
	s, mails, hand, documents := mailing(t)
	confirmAll(t, s, mails, documents, hand, "ana@correo.do", "bea@correo.do")
	if got, err := s.Erase(t.Context(), "uid-1", "Ana@correo.do"); err != nil || got["NewsletterAddresses"] != 1 || got.Total() != 2 {
		t.Errorf("Erase = %v, %v", got, err)
	}
	start(t, s, issue, 1)
}

func TestAddressesThatAreNotConfirmedAreErased(t *testing.T) {
	s, mails, hand, documents := mailing(t)
	confirmAll(t, s, mails, documents, hand, "ana@correo.do")
	subscribe(t, documents, hand, "bea@correo.do")
	request(t, s, mails)
	for _, step := range []struct {
		wait time.Duration
		want int
	}{{29 * 24 * time.Hour, 0}, {25 * time.Hour, 2}, {24 * time.Hour, 0}} {
		hand.Advance(step.wait)
		if got, err := s.Purge(t.Context()); err != nil || got.Total() != step.want {
			t.Errorf("Purge after %v more = %v, %v, want %d", step.wait, got, err, step.want)
		}
	}
	start(t, s, issue, 1)
}

// TestDemoSubscribersAreConfirmed checks that the demo data have the names that the service gives to addresses.
func TestDemoSubscribersAreConfirmed(t *testing.T) {
	s, mails, hand, documents := mailing(t)
	accounts, _, err := s.Clients()
	if err != nil {
		t.Fatal(err)
	}
	data, err := seed.Load(t.Context(), os.DirFS("../../emulator-config"), hand.Now())
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
			subscribe(t, documents, hand, address)
		}
	}
	if sent := request(t, s, mails); len(sent) != 0 || confirmed == 0 {
		t.Errorf("%d requests to %d addresses that are confirmed: %v", len(sent), confirmed, sent)
	}
	start(t, s, issue, confirmed)
}
