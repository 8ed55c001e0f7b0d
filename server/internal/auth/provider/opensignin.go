package provider

import (
	"cmp"
	"context"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/base/randid"
)

// openTime is the time within which a user must have signed in at the provider.
const openTime = 10 * time.Minute

// openSignIn is a sign-in that has begun at a provider. It is stored by the digest of its state, in the scope of its
// project without tenant.
type openSignIn struct {
	Provider string `json:"provider"`
	Tenant   string `json:"tenant,omitempty"`
	// Session is the digest of the session id that only the client which began the sign-in has.
	Session string `json:"session"`
	// Redirect is the address to which the provider redirects.
	Redirect string `json:"redirect"`
	// Nonce is the one whose hash the ID token must have, and Verifier that of the code (PKCE), empty without a code.
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier,omitempty"`
	// Request is the id of the request that a SAML provider's response must answer; empty for other providers.
	Request string    `json:"request,omitempty"`
	Made    time.Time `json:"made"`
}

// secretSize is the number of characters of states, nonces and session ids.
const secretSize = 32

// newOpen returns an open sign-in at a provider with its state and session id.
func (p *Providers) newOpen(provider string, scope account.Scope, start *idp.Start) (state, session string, open *openSignIn) {
	session = cmp.Or(start.SessionID, randid.Secret(secretSize))
	open = &openSignIn{Provider: provider, Tenant: scope.Tenant, Session: randid.Digest(session), Redirect: start.ContinueURI, Made: p.o.Clock.Now()}
	return randid.Secret(secretSize), session, open
}

// save stores an open sign-in.
func (p *Providers) save(ctx context.Context, scope account.Scope, state string, open *openSignIn) error {
	return p.o.Accounts.Change(ctx, account.Scope{Project: scope.Project}, nil, func(ch *account.Change) error {
		return ch.Save(idp.OpenItem, randid.Digest(state), open)
	})
}

// take removes the open sign-in of a state and returns it. A request with another session id, from another browser,
// leaves the sign-in as it is.
func (p *Providers) take(ctx context.Context, scope account.Scope, state, session string) (*openSignIn, error) {
	id, open := randid.Digest(state), &openSignIn{}
	return open, p.o.Accounts.Change(ctx, account.Scope{Project: scope.Project}, []string{"\x00" + idp.OpenItem + id}, func(ch *account.Change) error {
		found, err := ch.Load(idp.OpenItem, id, open)
		switch {
		case err != nil || !found:
			return cmp.Or(err, invalid("The state of the response is unknown, was used already or has expired."))
		case session == "" || !sameText(randid.Digest(session), open.Session) || open.Tenant != scope.Tenant:
			return invalid("The response belongs to the sign-in of another session.")
		case p.o.Clock.Now().Sub(open.Made) > openTime:
			return invalid("The state of the response is unknown, was used already or has expired.")
		}
		ch.Remove(idp.OpenItem, id)
		return nil
	})
}
