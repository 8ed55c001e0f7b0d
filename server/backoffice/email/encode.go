package email

import (
	"errors"
	"html/template"
	"strings"

	"github.com/wneessen/go-mail"
)

// page is the HTML form of a message.
var page = template.Must(template.New("page").Parse(`<!doctype html><html lang="es"><body style="font-family:sans-serif">
{{range .}}<p>{{range $i, $line := .}}{{if $i}}<br>{{end}}{{if .Link}}<a href="{{.Text}}">{{.Text}}</a>{{else}}{{.Text}}{{end}}{{end}}</p>
{{end}}</body></html>
`))

// line is a line of a message. A link is alone in its line.
type line struct {
	Text string
	Link bool
}

// encode returns the mail client's form of a message: plain text and HTML.
func encode(from string, m *Message) (*mail.Msg, error) {
	encoded := mail.NewMsg()
	if err := errors.Join(encoded.From(from), encoded.To(m.To)); err != nil {
		return nil, err
	}
	if strings.ContainsAny(m.Subject+m.Unsubscribe, "\r\n") {
		return nil, errors.New("a header field of the message has more than one line")
	}
	encoded.Subject(m.Subject)
	encoded.SetDate()
	encoded.SetMessageID()
	encoded.SetGenHeader("Auto-Submitted", "auto-generated")
	if m.Unsubscribe != "" {
		encoded.SetGenHeader(mail.HeaderListUnsubscribe, "<"+m.Unsubscribe+">")
		encoded.SetGenHeader(mail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	}
	encoded.SetBodyString(mail.TypeTextPlain, m.Text)
	var html strings.Builder
	if err := page.Execute(&html, paragraphs(m.Text)); err != nil {
		return nil, err
	}
	encoded.AddAlternativeString(mail.TypeTextHTML, html.String())
	return encoded, nil
}

// paragraphs returns the lines of each paragraph of a text.
func paragraphs(text string) [][]line {
	var all [][]line
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		var lines []line
		for text := range strings.SplitSeq(paragraph, "\n") {
			isLink := strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")
			lines = append(lines, line{text, isLink && !strings.ContainsAny(text, " \t")})
		}
		all = append(all, lines)
	}
	return all
}
