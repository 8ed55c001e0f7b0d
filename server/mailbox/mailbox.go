package backoffice

import (
	"strings"
	"time"
)

// mailboxOf returns the same address for all addresses of a mailbox, as far as their form shows it: the text after a plus sign is a tag,
// and Gmail ignores dots. The result is used to limit requests; no e-mail is sent to it.
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
// time of the request. For one mailbox, the values sort by time.
func requestOf(address string, at time.Time) string {
	return mailboxOf(address) + " " + at.UTC().Format("2006-01-02T15:04:05.000000Z")
}
