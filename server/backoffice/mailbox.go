package backoffice

import (
	"strings"
	"time"
)

// mailboxOf returns an address that stands for all addresses whose e-mails arrive in the same mailbox, as far as addresses show it: what
// follows a plus sign is a tag, and Gmail ignores dots. It serves to limit requests and is never written to.
func mailboxOf(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return address
	}
	name, domain := address[:at], address[at+1:]
	if before, _, tagged := strings.Cut(name, "+"); tagged && before != "" {
		name = before
	}
	if domain == "gmail.com" || domain == "googlemail.com" {
		name, domain = strings.ReplaceAll(name, ".", ""), "gmail.com"
	}
	return name + "@" + domain
}

// requestOf returns the field of an address's document by which the requests to a mailbox in a span of time are found: the mailbox and the
// time of the request. Its order is that of time, for one mailbox.
func requestOf(address string, at time.Time) string {
	return mailboxOf(address) + " " + at.UTC().Format("2006-01-02T15:04:05.000000Z")
}
