package backoffice

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/backoffice/email"
)

// issueCollection has a document for each issue of the newsletter: its text, its author, its state and its progress.
// The document's name is the hash of subject and text, so that the same issue cannot be started twice.
const issueCollection = "Newsletters"

// Limits of issues, in characters. frontend/src/features/admin-newsletter/issue-values.ts has the same.
const (
	maxSubject   = 150
	maxIssueText = 20_000
)

// Issue is the text of an issue of the newsletter.
type Issue struct{ Subject, Text string }

// checked returns the issue without spaces around its parts.
func (i Issue) checked() (Issue, error) {
	i.Subject, i.Text = strings.TrimSpace(i.Subject), strings.TrimSpace(strings.ReplaceAll(i.Text, "\r\n", "\n"))
	if i.Subject == "" || i.Text == "" || utf8.RuneCountInString(i.Subject) > maxSubject || utf8.RuneCountInString(i.Text) > maxIssueText ||
		strings.ContainsAny(i.Subject, "\r\n") {
		return i, refuse(InvalidArgument, nil)
	}
	return i, nil
}

// id returns the name of the issue's document.
func (i Issue) id() string {
	sum := sha256.Sum256([]byte(i.Subject + "\x00" + i.Text))
	return hex.EncodeToString(sum[:16])
}

// issueMessage returns the e-mail of an issue to an address.
func (s *Service) issueMessage(i Issue, address string) *email.Message {
	unsubscribe := s.link("/boletin/baja", s.tokenOf(address))
	return &email.Message{
		To: address, Subject: i.Subject, Unsubscribe: unsubscribe,
		Text: i.Text + "\n\n—\nFundación Todo por Medio de la Música\n\nPara no recibir más este boletín:\n" + unsubscribe + "\n",
	}
}

// Delivery is how the service's e-mails are delivered.
type Delivery string

// The kinds of delivery: none because a setting is missing, the terminal of a development server, or a mail server.
const (
	NoDelivery       Delivery = "none"
	TerminalDelivery Delivery = "terminal"
	ServerDelivery   Delivery = "server"
)

// NewsletterStatus is the state that the panel shows before an administrator composes an issue.
type NewsletterStatus struct {
	Delivery Delivery
	// Confirmed is the number of addresses to which an issue would be sent.
	Confirmed int
}

// Newsletter returns the status of the newsletter.
func (s *Service) Newsletter(ctx context.Context) (NewsletterStatus, error) {
	if !s.sendsEmail() {
		return NewsletterStatus{Delivery: NoDelivery}, nil
	}
	c, err := s.connect()
	if err != nil {
		return NewsletterStatus{}, refuse(Internal, err)
	}
	confirmed, err := countSubscribers(ctx, c.documents)
	if err != nil {
		return NewsletterStatus{}, err
	}
	if _, ok := s.options.Mail.(email.Terminal); ok {
		return NewsletterStatus{TerminalDelivery, confirmed}, nil
	}
	return NewsletterStatus{ServerDelivery, confirmed}, nil
}

// PreviewIssue returns the text that subscribers will read.
func (s *Service) PreviewIssue(i Issue) (string, error) {
	i, err := i.checked()
	if err != nil {
		return "", err
	}
	if !s.sendsEmail() {
		return "", refuse(NoMail, nil)
	}
	return s.issueMessage(i, "nombre@ejemplo.do").Text, nil
}

// TestIssue sends an issue to the administrator who composes it, and returns the address.
func (s *Service) TestIssue(ctx context.Context, by string, i Issue) (string, error) {
	i, err := i.checked()
	if err != nil {
		return "", err
	}
	if !s.sendsEmail() {
		return "", refuse(NoMail, nil)
	}
	c, err := s.connect()
	if err != nil {
		return "", refuse(Internal, err)
	}
	account, err := c.accounts.GetUser(ctx, by)
	if err != nil {
		return "", refuse(Unavailable, fmt.Errorf("read the account %s: %w", by, err))
	}
	connection, err := s.options.Mail.Connect(ctx)
	if err != nil {
		return "", refuse(MailFailed, err)
	}
	defer func() { _ = connection.Close() }() // the message is sent by then
	i.Subject = "[Prueba] " + i.Subject
	if err := connection.Send(s.issueMessage(i, account.Email)); err != nil {
		return "", refuse(MailFailed, err)
	}
	return account.Email, nil
}

// subscribers returns the query of the confirmed addresses, in the order in which issues are sent.
func subscribers(documents *firestore.Client) firestore.Query {
	return documents.Collection(subscriberCollection).Where("confirmedAt", ">", time.Unix(0, 0)).OrderBy("confirmedAt", firestore.Asc).
		OrderBy(firestore.DocumentID, firestore.Asc)
}

// countSubscribers returns the number of confirmed addresses.
func countSubscribers(ctx context.Context, documents *firestore.Client) (int, error) {
	all := subscribers(documents)
	counted, err := all.NewAggregationQuery().WithCount("n").Get(ctx)
	if err != nil {
		return 0, refuse(Unavailable, fmt.Errorf("count the subscribers: %w", err))
	}
	total, err := count(counted["n"])
	if err != nil {
		return 0, refuse(Internal, err)
	}
	return total, nil
}

// StartIssue starts sending an issue to all addresses that are confirmed now, and returns its id and their number. An
// issue that any administrator has started before is refused.
func (s *Service) StartIssue(ctx context.Context, by string, i Issue) (id string, total int, err error) {
	if i, err = i.checked(); err != nil {
		return "", 0, err
	}
	if !s.sendsEmail() {
		return "", 0, refuse(NoMail, nil)
	}
	c, err := s.connect()
	if err != nil {
		return "", 0, refuse(Internal, err)
	}
	if total, err = countSubscribers(ctx, c.documents); err != nil {
		return "", 0, err
	}
	if total == 0 {
		return "", 0, refuse(NoSubscribers, nil)
	}
	// The id is a hash of the issue. So of two administrators who send the same issue at the same time, only one creates
	// the document.
	id = i.id()
	_, err = c.documents.Collection(issueCollection).Doc(id).Create(ctx, map[string]any{
		"subject": i.Subject, "text": i.Text, "createdBy": by, "createdAt": s.options.Clock.Now(), "state": stateSending, "problem": "",
		"total": total, stateSent: 0, stateFailed: 0, stateUncertain: 0,
	})
	if status.Code(err) == codes.AlreadyExists {
		return "", 0, refuse(AlreadySent, err)
	}
	if err != nil {
		return "", 0, refuse(Unavailable, fmt.Errorf("create an issue: %w", err))
	}
	s.options.Log.InfoContext(ctx, "an issue of the newsletter was started", "issue", id, "by", by, "addresses", total)
	return id, total, nil
}
