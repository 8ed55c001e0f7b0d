// Package smtp sends the e-mails of package service by SMTP, in Spanish or English.
package smtp

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	htmltemplate "html/template"
	"strings"
	"text/template"

	"github.com/wneessen/go-mail"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/mailserver"
)

// files are the templates of the e-mails: LANGUAGE/KIND.txt, whose first line is the subject.
//
//go:embed templates
var files embed.FS

// Options configure a Sender.
type Options struct {
	// URL is the mail server, as package mailserver reads it.
	URL string
	// App is the name of the service in the e-mails; empty means the sender's domain.
	App string
}

// Sender sends e-mails. It is safe for concurrent use.
type Sender struct {
	client    *mail.Client
	from, app string
}

// New returns a Sender. It does not connect to the mail server.
func New(o Options) (*Sender, error) {
	client, from, err := mailserver.Client(o.URL)
	if err != nil {
		return nil, fault.E(fault.InvalidArgument, "%s", err.Error())
	}
	app := o.App
	if app == "" {
		app = strings.TrimSuffix(from[strings.LastIndexByte(from, '@')+1:], ">")
	}
	return &Sender{client: client, from: from, app: app}, nil
}

// testKind is the kind of the e-mail that carries no code.
const testKind onetime.Kind = "TEST"

// SendTest sends an e-mail without a code, with which an administrator checks that the mail server accepts e-mails.
func (s *Sender) SendTest(ctx context.Context, to, locale string) error {
	return s.Send(ctx, service.Email{To: to, Kind: testKind, Locale: locale})
}

// Send implements service.Mailer.
func (s *Sender) Send(ctx context.Context, l service.Email) error {
	subject, text, html, err := Compose(l, s.app)
	if err != nil {
		return err
	}
	m := mail.NewMsg()
	if err := m.From(s.from); err != nil {
		return fmt.Errorf("e-mail from %s: %w", s.from, err)
	}
	if err := m.To(l.To); err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "INVALID_RECIPIENT_EMAIL")
	}
	m.Subject(subject)
	m.SetDate()
	m.SetMessageID()
	m.SetBodyString(mail.TypeTextPlain, text)
	m.AddAlternativeString(mail.TypeTextHTML, html)
	if err := s.client.DialAndSendWithContext(ctx, m); err != nil {
		return fmt.Errorf("send an e-mail: %w", err)
	}
	return nil
}

// language returns the language of an e-mail: Spanish for Spanish locales, English for all others.
func language(locale string) string {
	if first, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(locale, "_", "-")), "-"); first == "es" {
		return "es"
	}
	return "en"
}

// page is the HTML form of an e-mail: its paragraphs, with the link as an anchor.
var page = htmltemplate.Must(htmltemplate.New("page").Parse(`<!doctype html><html lang="{{.Language}}"><body style="font-family:sans-serif">
{{range .Paragraphs}}{{if eq . $.Link}}<p><a href="{{$.Link}}">{{$.Link}}</a></p>{{else}}<p>{{.}}</p>{{end}}
{{end}}</body></html>
`))

// Compose returns the subject, the text and the HTML of an e-mail of a service.
func Compose(l service.Email, app string) (subject, text, html string, err error) {
	lang := language(l.Locale)
	source, err := files.ReadFile("templates/" + lang + "/" + strings.ToLower(string(l.Kind)) + ".txt")
	if err != nil {
		return "", "", "", fmt.Errorf("no template for %s: %w", l.Kind, err)
	}
	t, err := template.New("email").Option("missingkey=error").Parse(string(source))
	if err != nil {
		return "", "", "", err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, map[string]string{"Link": l.Link, "NewEmail": l.NewEmail, "To": l.To, "App": app}); err != nil {
		return "", "", "", err
	}
	subject, text, _ = strings.Cut(b.String(), "\n")
	text = strings.TrimSpace(text) + "\n"
	var h bytes.Buffer
	paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
	if err := page.Execute(&h, map[string]any{"Language": lang, "Paragraphs": paragraphs, "Link": l.Link}); err != nil {
		return "", "", "", err
	}
	return subject, text, h.String(), nil
}
