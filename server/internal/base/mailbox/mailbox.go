// Package mailbox finds the mailbox of an e-mail address.
package mailbox

import "strings"

// Of returns the same address for all addresses of a mailbox, as far as their form shows it: the case of letters does
// not count, the text after a plus sign is a tag, and Gmail ignores dots. The result is used to limit e-mails; none is
// sent to it. Other text is returned in lower case.
func Of(address string) string {
	address = strings.ToLower(address)
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
