// Package mailserver connects to the mail server that a URL names.
package mailserver

import (
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// timeout is the time limit for sending one e-mail.
const timeout = 30 * time.Second

// errForm is the error of a URL that names no mail server. It does not repeat the URL, which has a password.
var errForm = errors.New("the mail server must be smtp://user:password@host:587?from=name@host")

// Client returns a client and the sender's address of a URL: smtp://user:password@host:587?from=name@host (STARTTLS),
// or smtps:// (TLS from the start). With ?insecure=1 a server without encryption is accepted, for tests and private
// networks. It does not connect yet. Error texts are for administrators and contain no password.
func Client(address string) (client *gomail.Client, from string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return nil, "", errForm
	}
	from = u.Query().Get("from")
	if from == "" {
		return nil, "", errors.New("the mail server's URL has no sender: add ?from=name@host")
	}
	if _, err := mail.ParseAddress(from); err != nil {
		return nil, "", fmt.Errorf("the mail server's URL has the sender %q, which is not an e-mail address", from)
	}
	// TLS is required unless the URL has insecure=1. Opportunistic TLS is not sufficient: an attacker on the path could
	// remove the server's offer (STARTTLS stripping) and read codes and the password.
	options := []gomail.Option{gomail.WithTimeout(timeout), gomail.WithTLSPolicy(gomail.TLSMandatory)}
	switch {
	case u.Scheme == "smtps":
		options = append(options, gomail.WithSSLPort(false))
	case u.Query().Get("insecure") == "1":
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	}
	if p := u.Port(); p != "" {
		port, err := strconv.Atoi(p)
		if err != nil || port < 1 || port > 65535 {
			return nil, "", fmt.Errorf("the mail server's port %q is invalid", p)
		}
		options = append(options, gomail.WithPort(port))
	}
	if password, ok := u.User.Password(); ok {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	}
	if client, err = gomail.NewClient(u.Hostname(), options...); err != nil {
		return nil, "", errors.New("the mail server's URL is not valid")
	}
	return client, from, nil
}
