package smtp

import (
	"bufio"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"testing"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/base/fault"
)

// mailServer is an SMTP server that receives one e-mail and sends it to the channel.
func mailServer(t *testing.T) (addr string, mails <-chan string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	out := make(chan string, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		send := func(line string) { fmt.Fprintf(conn, "%s\r\n", line) }
		send("220 here")
		lines := textproto.NewReader(bufio.NewReader(conn))
		for {
			line, err := lines.ReadLine()
			if err != nil {
				return
			}
			switch verb := strings.ToUpper(line[:min(4, len(line))]); verb {
			case "DATA":
				send("354 go on")
				text, err := io.ReadAll(lines.DotReader())
				if err != nil {
					return
				}
				out <- string(text)
				send("250 taken")
			case "QUIT":
				send("221 bye")
				return
			default:
				send("250 ok")
			}
		}
	}()
	t.Cleanup(func() {
		_ = ln.Close()
		<-done
	})
	return ln.Addr().String(), out
}

func TestSend(t *testing.T) {
	addr, mails := mailServer(t)
	s, err := New(Options{URL: "smtp://" + addr + "?from=clave@example.org&insecure=1", App: "Fundación"})
	if err != nil {
		t.Fatal(err)
	}
	const link = "https://example.org/__/auth/action?mode=resetPassword&oobCode=abc"
	if err := s.Send(t.Context(), service.Email{To: "ana@example.com", Kind: onetime.PasswordReset, Link: link, Locale: "es-DO"}); err != nil {
		t.Fatal(err)
	}
	m, err := mail.ReadMessage(strings.NewReader(<-mails))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || subject != "Restablece tu contraseña de Fundación" {
		t.Errorf("Subject = %q, %v", subject, err)
	}
	if m.Header.Get("To") != "<ana@example.com>" || m.Header.Get("From") != "<clave@example.org>" {
		t.Errorf("To %q, From %q", m.Header.Get("To"), m.Header.Get("From"))
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	for _, want := range []string{link, `href="https://example.org/__/auth/action?mode=resetPassword&amp;oobCode=abc"`} {
		part, err := parts.NextRawPart()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("part %q = %q, %v; want %s in it", part.Header.Get("Content-Type"), text, err, want)
		}
	}
}

func TestEveryEmailIsWritten(t *testing.T) {
	for _, locale := range []string{"", "en-US", "es", "es_DO", "fr"} {
		for _, kind := range []onetime.Kind{onetime.PasswordReset, onetime.EmailSignIn, onetime.VerifyEmail, onetime.ChangeEmail, onetime.RecoverEmail} {
			subject, text, html, err := Compose(service.Email{To: "a@example.com", NewEmail: "b@example.com", Kind: kind, Link: "https://x/?a=1&b=<", Locale: locale}, "App")
			if err != nil || subject == "" || !strings.Contains(text, "https://x/?a=1&b=<") || strings.Contains(html, "b=<") || !strings.Contains(html, "<a href=") {
				t.Errorf("%s in %q: %q, %q, %q, %v", kind, locale, subject, text, html, err)
			}
		}
	}
}

// TestSendTest sends the test e-mail.
func TestSendTest(t *testing.T) {
	addr, mails := mailServer(t)
	s, err := New(Options{URL: "smtp://" + addr + "?from=clave@example.org&insecure=1", App: "App"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SendTest(t.Context(), "ana@example.com", "es"); err != nil {
		t.Fatal(err)
	}
	m, err := mail.ReadMessage(strings.NewReader(<-mails))
	if err != nil || m.Header.Get("To") != "<ana@example.com>" || m.Header.Get("Subject") != "App puede enviar correos" {
		t.Errorf("the e-mail is %v, %v", m, err)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, u := range []string{"", "http://x?from=a@b", "smtp://", "smtp://x", "smtp://x:99999999?from=a@b"} {
		if _, err := New(Options{URL: u}); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("New(%q) = %v, want InvalidArgument", u, err)
		}
	}
}
