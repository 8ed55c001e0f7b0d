package email

import (
	"bufio"
	"errors"
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
)

// parse encodes a message and returns its header and the decoded parts of its body.
func parse(t *testing.T, m *Message) (mail.Header, []string) {
	t.Helper()
	encoded, err := encode("boletin@example.org", m)
	if err != nil {
		t.Fatalf("encode(%+v) = %v", m, err)
	}
	var raw strings.Builder
	if _, err := encoded.WriteTo(&raw); err != nil {
		t.Fatal(err)
	}
	read, err := mail.ReadMessage(strings.NewReader(raw.String()))
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(read.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	var bodies []string
	parts := multipart.NewReader(read.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return read.Header, bodies
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, strings.ReplaceAll(string(text), "\r\n", "\n"))
	}
}

func TestMessage(t *testing.T) {
	const link = "https://www.example.org/boletin/baja?t=a&b"
	m := &Message{To: "ana@correo.do", Subject: "Canción de octubre", Text: "Hola <Ana>.\nDos líneas.\n\n" + link + "\n", Unsubscribe: link}
	header, bodies := parse(t, m)
	subject, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
	if err != nil || subject != m.Subject {
		t.Errorf("Subject = %q, %v", subject, err)
	}
	for name, want := range map[string]string{
		"From": "<boletin@example.org>", "To": "<ana@correo.do>", "List-Unsubscribe": "<" + link + ">",
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click", "Auto-Submitted": "auto-generated",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if header.Get("Message-ID") == "" || header.Get("Date") == "" {
		t.Errorf("Message-ID or Date is missing: %v", header)
	}
	if len(bodies) != 2 || bodies[0] != m.Text {
		t.Fatalf("bodies = %q", bodies)
	}
	for _, want := range []string{"<p>Hola &lt;Ana&gt;.<br>Dos líneas.</p>", `<a href="https://www.example.org/boletin/baja?t=a&amp;b">`} {
		if !strings.Contains(bodies[1], want) {
			t.Errorf("the HTML has no %s: %s", want, bodies[1])
		}
	}
	if header, _ := parse(t, &Message{To: "ana@correo.do", Subject: "s", Text: "t"}); header.Get("List-Unsubscribe")+header.Get("List-Unsubscribe-Post") != "" {
		t.Errorf("a message without an unsubscribe link has the header fields of one: %v", header)
	}
}

func TestMessagesThatCannotBeEncoded(t *testing.T) {
	for _, m := range []*Message{
		{To: "nobody", Subject: "s"}, {To: "a@b.do\r\nBcc: c@d.do", Subject: "s"},
		{To: "a@b.do", Subject: "s\r\nBcc: c@d.do"}, {To: "a@b.do", Subject: "s", Unsubscribe: "x\ny"},
	} {
		if _, err := encode("boletin@example.org", m); err == nil {
			t.Errorf("encode(%+v) succeeds", m)
		}
	}
}

func FuzzMessageHasOnlyItsOwnFields(f *testing.F) {
	f.Add("ana@correo.do", "Hola", "Texto\n\nhttps://example.org", "https://example.org/baja?t=x")
	f.Add("\"a b\"@c.do", "s\rBcc: x@y.do", "\r\n.\r\n", "x\r\nBcc: x@y.do")
	f.Fuzz(func(t *testing.T, to, subject, text, unsubscribe string) {
		encoded, err := encode("boletin@example.org", &Message{To: to, Subject: subject, Text: text, Unsubscribe: unsubscribe})
		if err != nil {
			return
		}
		var raw strings.Builder
		if _, err := encoded.WriteTo(&raw); err != nil {
			return
		}
		read, err := mail.ReadMessage(strings.NewReader(raw.String()))
		if err != nil {
			t.Fatalf("unreadable: %v\n%q", err, raw.String())
		}
		if len(read.Header["To"]) != 1 || len(read.Header["Bcc"])+len(read.Header["Cc"]) > 0 {
			t.Errorf("header %v", read.Header)
		}
	})
}

// serve runs an SMTP server for one connection, which answers each command by replies (keyed by its first four letters,
// "." for the end of a message) and 250 otherwise. An empty reply closes the connection.
func serve(t *testing.T, replies map[string]string) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		converse(conn, replies)
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return "smtp://" + listener.Addr().String() + "?from=boletin@example.org&insecure=1"
}

// converse answers the commands of one connection.
func converse(conn net.Conn, replies map[string]string) {
	answer := func(key, usual string) bool {
		reply, ok := replies[key]
		if !ok {
			reply = usual
		}
		if reply == "" {
			return false
		}
		_, err := fmt.Fprintf(conn, "%s\r\n", reply)
		return err == nil
	}
	if !answer("", "220 ready") {
		return
	}
	lines := textproto.NewReader(bufio.NewReader(conn))
	for {
		text, err := lines.ReadLine()
		if err != nil {
			return
		}
		key := strings.ToUpper(text[:min(4, len(text))])
		usual := map[string]string{"DATA": "354 go on", "QUIT": "221 bye"}[key]
		if usual == "" {
			usual = "250 ok"
		}
		if !answer(key, usual) {
			return
		}
		if key != "DATA" || replies["DATA"] != "" {
			continue
		}
		if _, err := io.Copy(io.Discard, lines.DotReader()); err != nil || !answer(".", "250 accepted") {
			return
		}
	}
}

func TestSendClassifiesReplies(t *testing.T) {
	for _, tt := range []struct {
		name    string
		replies map[string]string
		want    error
		sender  bool
	}{
		{"an accepted message", nil, nil, false},
		{"a connection that breaks after the message was accepted", map[string]string{"RSET": ""}, nil, false},
		{"a recipient that does not exist", map[string]string{"RCPT": "550 no such user"}, ErrRejected, false},
		{"a full mailbox", map[string]string{"RCPT": "452 full"}, ErrDeferred, false},
		{"a server that closes", map[string]string{"RCPT": "421 closing"}, ErrUnavailable, false},
		{"a sender that is not allowed", map[string]string{"MAIL": "550 not you"}, ErrRejected, true},
		{"a sender that is deferred", map[string]string{"MAIL": "450 quota"}, ErrDeferred, true},
		{"a server that closes at the sender", map[string]string{"MAIL": "421 closing"}, ErrUnavailable, false},
		{"a text that is rejected", map[string]string{".": "554 spam"}, ErrRejected, true},
		{"a text that is deferred", map[string]string{".": "451 later"}, ErrDeferred, true},
		{"a connection that breaks before the reply", map[string]string{".": ""}, ErrUncertain, false},
		{"a server that rejects DATA", map[string]string{"DATA": "554 quota"}, ErrRejected, true},
	} {
		sender, err := Server(serve(t, tt.replies))
		if err != nil {
			t.Fatal(err)
		}
		connection, err := sender.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := connection.Send(&Message{To: "ana@correo.do", Subject: "s", Text: "t"}); !errors.Is(err, tt.want) || errors.Is(err, ErrSender) != tt.sender {
			t.Errorf("%s: %v, want %v, of the sender: %t", tt.name, err, tt.want, tt.sender)
		}
		_ = connection.Close()
	}
}

func TestErrorsDoNotNameTheRecipient(t *testing.T) {
	for _, reply := range []string{"550 <ana@correo.do>: no such user", "452 ana@correo.do is full", "421 closing", ""} {
		sender, err := Server(serve(t, map[string]string{"RCPT": reply}))
		if err != nil {
			t.Fatal(err)
		}
		connection, err := sender.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := connection.Send(&Message{To: "ana@correo.do", Subject: "s", Text: "t"}); err == nil || strings.Contains(err.Error(), "ana") {
			t.Errorf("after %q: %v", reply, err)
		}
		_ = connection.Close()
	}
	if err := (&connection{server: &server{from: "boletin@example.org"}}).Send(&Message{To: "ana@@correo.do"}); !errors.Is(err, ErrRejected) || strings.Contains(err.Error(), "ana") {
		t.Errorf("an invalid address: %v", err)
	}
}

func TestConnectFails(t *testing.T) {
	sender, err := Server(serve(t, map[string]string{"": "554 go away"}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sender.Connect(t.Context()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("Connect = %v", err)
	}
	if _, err := Server("http://example.org"); err == nil {
		t.Error("a URL of no mail server is accepted")
	}
}

func TestTerminal(t *testing.T) {
	var out strings.Builder
	connection, err := Terminal{&out}.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := connection.Send(&Message{To: "ana@correo.do", Subject: "Hola", Text: "Uno\n\nhttp://localhost:5000/x\n"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"To: ana@correo.do\n", "Subject: Hola\n", "    http://localhost:5000/x\n", "MAIL_URL"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, &out)
		}
	}
}
