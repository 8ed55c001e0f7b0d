package mailserver_test

import (
	"strings"
	"testing"

	"clave/server/internal/base/mailserver"
)

func TestClient(t *testing.T) {
	for _, tt := range []struct{ url, address, from string }{
		{"smtp://mail.example.org?from=a@b.do", "mail.example.org:25", "a@b.do"},
		{"smtp://u:p@mail.example.org:587?from=a@b.do", "mail.example.org:587", "a@b.do"},
		{"smtps://u:p%40ss@mail.example.org?from=a@b.do", "mail.example.org:465", "a@b.do"},
		{"smtp://127.0.0.1:2525?from=a@b.do&insecure=1", "127.0.0.1:2525", "a@b.do"},
		{"smtp://[::1]:2525?from=a@b.do&insecure=1", "::1:2525", "a@b.do"},
		{"smtp://mail.example.org?from=Fundaci%C3%B3n+%3Ca@b.do%3E", "mail.example.org:25", "Fundación <a@b.do>"},
	} {
		client, from, err := mailserver.Client(tt.url)
		if err != nil || from != tt.from || client.ServerAddr() != tt.address {
			t.Errorf("Client(%q) = %v, %q, %v, want %s, %s", tt.url, client, from, err, tt.address, tt.from)
		}
	}
}

func TestClientRefuses(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"", "smtp://user:password@host"},
		{"mail.example.org:587", "smtp://user:password@host"},
		{"http://mail.example.org?from=a@b.do", "smtp://user:password@host"},
		{"smtp://?from=a@b.do", "smtp://user:password@host"},
		{"smtp://:25?from=a@b.do", "smtp://user:password@host"},
		{"smtp://mail.example.org", "?from=name@host"},
		{"smtp://mail.example.org?from=nobody", "nobody"},
		{"smtp://mail.example.org:99999?from=a@b.do", "99999"},
		{"smtp://secret:hidden@mail example?from=a@b.do", "smtp://user:password@host"},
	} {
		_, _, err := mailserver.Client(tt.url)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Client(%q) = %v, want %q in it", tt.url, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "hidden") {
			t.Errorf("Client(%q): the error has the password: %v", tt.url, err)
		}
	}
}

func FuzzClient(f *testing.F) {
	const secret = "hunter2-hunter2"
	f.Add("smtp://", "host:587?from=name@host")
	f.Add("smtps://", "host?from=x&insecure=1")
	f.Add("smtp://", "h:0?from=a@b")
	f.Fuzz(func(t *testing.T, scheme, rest string) {
		text := scheme + "user:" + secret + "@" + rest
		client, from, err := mailserver.Client(text)
		switch {
		case err != nil && strings.Contains(err.Error(), secret) && strings.HasSuffix(scheme, "://"):
			t.Errorf("Client(%q): the error has the password: %v", text, err)
		case err == nil && (client == nil || !strings.Contains(from, "@") || strings.HasPrefix(client.ServerAddr(), ":")):
			t.Errorf("Client(%q) = %v, %q", text, client, from)
		}
	})
}
