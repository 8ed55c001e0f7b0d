package backoffice_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"clave/server/backoffice"
	"clave/server/backoffice/email"
	"clave/server/internal/base/clock/clocktest"
)

// mailServer is an email.Sender that keeps what it accepts.
type mailServer struct {
	messages []email.Message
	// fail returns the error of a message to an address; nil when all are accepted.
	fail func(to string) error
	// after runs after each message.
	after func()
	// down, if set, is returned instead of a connection.
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

// to counts the accepted messages with a subject by address.
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

// mailing returns a service on running servers, its mail server, its clock, and a client of Firestore.
func mailing(t *testing.T) (*backoffice.Service, *mailServer, *clocktest.Manual, *firestore.Client) {
	t.Helper()
	startServers(t)
	manual, mails := clocktest.NewManual(time.Date(2027, 9, 15, 18, 0, 0, 0, time.UTC)), &mailServer{}
	s := mailingService(t, mails, manual)
	_, documents, err := s.Clients()
	if err != nil {
		t.Fatal(err)
	}
	return s, mails, manual, documents
}

// mailingService returns a service with a mail server.
func mailingService(t *testing.T, mails *mailServer, manual *clocktest.Manual) *backoffice.Service {
	t.Helper()
	s, err := backoffice.New(t.Context(), backoffice.Options{
		ProjectID: "demo-back-office", SignupCode: secret, UnsubscribeKey: backoffice.DemoUnsubscribeKey,
		Mail: mails, PublicURL: "https://www.example.org/", Clock: manual, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// subscribe writes subscriptions as visitors do, and advances the clock until they are read.
func subscribe(t *testing.T, documents *firestore.Client, manual *clocktest.Manual, emails ...string) {
	t.Helper()
	for _, email := range emails {
		fields := map[string]any{"email": email, "createdAt": manual.Now(), "source": "homepage"}
		if _, _, err := documents.Collection("Massive Boletin").Add(t.Context(), fields); err != nil {
			t.Fatal(err)
		}
	}
	manual.Advance(time.Minute)
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
func confirmAll(t *testing.T, s *backoffice.Service, mails *mailServer, documents *firestore.Client, manual *clocktest.Manual, emails ...string) {
	t.Helper()
	subscribe(t, documents, manual, emails...)
	for _, token := range request(t, s, mails) {
		if err := s.Confirm(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	manual.Advance(time.Minute)
}

// issue is the issue that the tests send.
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
func sendAll(t *testing.T, s *backoffice.Service, documents *firestore.Client, manual *clocktest.Manual, id string) {
	t.Helper()
	for range 50 {
		if err := s.SendIssues(t.Context()); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(progressOf(t, documents, id), "sent ") {
			return
		}
		manual.Advance(10 * time.Minute)
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
