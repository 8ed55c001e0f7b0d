package console

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/base/fault"
)

// account returns the call to the account service for a request.
func (in *call) account(project, tenant string) service.Call {
	if project == "" {
		project = in.console.o.Project
	}
	return service.Call{Project: project, Tenant: tenant, Admin: true, Address: in.caller("").Address.String(), Origin: "http://" + in.console.o.Addresses.Auth}
}

// The default and the maximum number of accounts in a page of a search.
const (
	usualUsers = 100
	mostUsers  = 1000
)

// getUsers searches the accounts whose identifiers contain a text. It returns a page that begins after an account id.
func (c *Console) getUsers(in *call) (any, error) {
	most, err := in.number("limit", usualUsers, mostUsers)
	if err != nil {
		return nil, err
	}
	text := strings.TrimSpace(in.query("q"))
	if text == "" {
		return nil, fault.E(fault.InvalidArgument, "q, the text to search for, is missing.")
	}
	return c.o.Accounts.Search(in.Context(), in.account(in.query("project"), in.query("tenant")), text, in.query("after"), most)
}

// getCodes returns the sent codes that are still valid, newest first.
func (c *Console) getCodes(in *call) (any, error) {
	about := in.account(in.query("project"), in.query("tenant"))
	oob, err := c.o.Accounts.SentCodes(in.Context(), about)
	if err != nil {
		return nil, err
	}
	sms, err := c.o.Accounts.SentSMSCodes(in.Context(), about)
	if err != nil {
		return nil, err
	}
	slices.Reverse(oob)
	slices.Reverse(sms)
	mails := make([]mailJSON, len(oob))
	for i, code := range oob {
		if mails[i], err = c.mailOf(code, in.query("locale")); err != nil {
			return nil, err
		}
	}
	return map[string]any{"oob": mails, "sms": sms}, nil
}

// mailJSON is a code with the e-mail that carries it.
type mailJSON struct {
	service.SentCode
	To      string `json:"to"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

// mailOf returns a code with its e-mail in the language of a locale. Codes of some kinds have no e-mail.
func (c *Console) mailOf(code service.SentCode, locale string) (mailJSON, error) {
	out := mailJSON{SentCode: code, To: code.Email}
	if code.RequestType == onetime.ChangeEmail && code.NewEmail != "" {
		out.To = code.NewEmail
	}
	if c.o.Compose == nil {
		return out, nil
	}
	var err error
	out.Subject, out.Text, err = c.o.Compose(service.Email{To: out.To, Kind: code.RequestType, Link: code.OobLink, NewEmail: code.NewEmail, Locale: locale})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return out, err
}
