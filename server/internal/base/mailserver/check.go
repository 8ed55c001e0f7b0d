package mailserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/smtp"
	"net/url"
	"time"
)

// ErrNoEncryption is the error of a mail server that offers no STARTTLS, over which no e-mail can be sent.
var ErrNoEncryption = errors.New("the mail server offers no STARTTLS: use smtps:// and its port, another port or server, or insecure=1 in a private network")

// checkTime is the time limit of Check.
const checkTime = 5 * time.Second

// Check connects to the mail server of a URL that Client accepts. It returns ErrNoEncryption if e-mails must be
// encrypted by STARTTLS and the server does not offer it, or why it could not be reached.
func Check(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return errForm
	}
	if u.Scheme != "smtp" || u.Query().Get("insecure") == "1" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "25")))
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	client, err := smtp.NewClient(conn, u.Hostname())
	if err != nil {
		_ = conn.Close()
		return fmt.Errorf("the mail server does not answer: %w", err)
	}
	defer func() { _ = client.Close() }()
	if err := client.Hello("localhost"); err != nil {
		return fmt.Errorf("the mail server refuses EHLO: %w", err)
	}
	if offered, _ := client.Extension("STARTTLS"); !offered {
		return ErrNoEncryption
	}
	_ = client.Quit() // Nothing was sent.
	return nil
}
