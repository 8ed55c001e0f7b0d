package identity

import (
	"context"
	"net/url"
	"strings"
	"time"

	"clave/server/account"
	"clave/server/fault"
	"clave/server/identity/contact"
	"clave/server/identity/limits"
	"clave/server/randid"
)

// RequestType is the purpose of a one-time code.
type RequestType string

// The kinds of codes.
const (
	PasswordReset  RequestType = "PASSWORD_RESET"
	EmailSignIn    RequestType = "EMAIL_SIGNIN"
	VerifyEmail    RequestType = "VERIFY_EMAIL"
	ChangeEmail    RequestType = "VERIFY_AND_CHANGE_EMAIL"
	RecoverEmail   RequestType = "RECOVER_EMAIL"
	RevertFactor   RequestType = "REVERT_SECOND_FACTOR_ADDITION"
	unspecifiedOob RequestType = "OOB_REQ_TYPE_UNSPECIFIED"
)

// Values lists the API's names by their numbers.
func (RequestType) Values() []string {
	return []string{
		string(unspecifiedOob), string(PasswordReset), "OLD_EMAIL_AGREE", "NEW_EMAIL_ACCEPT", string(VerifyEmail), string(RecoverEmail), string(EmailSignIn),
		string(ChangeEmail), string(RevertFactor),
	}
}

// modes maps kinds of codes to the values of mode in links.
var modes = map[RequestType]string{
	PasswordReset: "resetPassword", EmailSignIn: "signIn", VerifyEmail: "verifyEmail", ChangeEmail: "verifyAndChangeEmail", RecoverEmail: "recoverEmail",
}

// codeLives maps kinds of codes to their lifetimes.
var codeLives = map[RequestType]time.Duration{
	PasswordReset: time.Hour, EmailSignIn: 6 * time.Hour, VerifyEmail: 72 * time.Hour, ChangeEmail: 72 * time.Hour, RecoverEmail: 30 * 24 * time.Hour,
}

// codeItem is the kind of item that stores codes, by their hashes.
const codeItem = "oob"

// oob is a one-time code that was sent.
type oob struct {
	Type     RequestType `json:"type"`
	UID      string      `json:"uid,omitempty"`
	Email    string      `json:"email"`
	NewEmail string      `json:"newEmail,omitempty"`
	Made     time.Time   `json:"made"`
	// Unverified is set in a RecoverEmail code when ownership of the address had not been proved.
	Unverified bool `json:"unverified,omitempty"`
	// Before holds, in a RecoverEmail code, the credentials of the account before the change.
	Before *means `json:"before,omitempty"`
	// Previous is set in a RecoverEmail code: the hash of the code of the change of address before, or empty.
	Previous string `json:"previous,omitempty"`
	// Epoch is set in a ChangeEmail code that a user requested: the code is valid only in this epoch of the account, so it
	// ends with the sessions. Nil means any epoch.
	Epoch *int64 `json:"epoch,omitempty"`
	// taken is set if NewEmail belongs to another account. Nothing is sent then, and the client receives the usual
	// response.
	taken bool
	// Code and Link are stored only for the emulator's control route.
	Code string `json:"code,omitempty"`
	Link string `json:"link,omitempty"`
}

// OobRequest requests a one-time code.
type OobRequest struct {
	RequestType        RequestType `json:"requestType"`
	Email              *string     `json:"email"`
	NewEmail           *string     `json:"newEmail"`
	IDToken            *string     `json:"idToken"`
	ContinueURL        *string     `json:"continueUrl"`
	ReturnOobLink      *bool       `json:"returnOobLink"`
	CanHandleCodeInApp *bool       `json:"canHandleCodeInApp"`
	LinkDomain         *string     `json:"linkDomain"`
	IOSBundleID        *string     `json:"iOSBundleId"`
	AndroidPackageName *string     `json:"androidPackageName"`
	ClientType         *string     `json:"clientType"`
}

// OobResponse is the response to an OobRequest. Only administrators receive the code itself.
type OobResponse struct {
	Kind    string `json:"kind"`
	Email   string `json:"email"`
	OobCode string `json:"oobCode,omitempty"`
	OobLink string `json:"oobLink,omitempty"`
}

// kindOob is the kind of an OobResponse.
const kindOob = "identitytoolkit#GetOobConfirmationCodeResponse"

// SendOobCode creates a one-time code and sends it by e-mail, or returns its link to an administrator.
func (s *Service) SendOobCode(ctx context.Context, c Call, r *OobRequest) (*OobResponse, error) {
	if err := s.checkTenant(c); err != nil {
		return nil, err
	}
	if r.RequestType == "" || r.RequestType == unspecifiedOob {
		return nil, apiError("MISSING_REQ_TYPE")
	}
	if boolOr(r.ReturnOobLink, false) && !c.Admin {
		return nil, apiError("INSUFFICIENT_PERMISSION")
	}
	// This check comes first, because the result of later ones may reveal whether an address has an account.
	if err := s.limits.Take(c.client(), limits.Code); err != nil {
		return nil, err
	}
	cfg, tenant, err := s.settings(ctx, &c)
	if err != nil {
		return nil, err
	}
	if err := s.checkContinue(cfg, r); err != nil {
		return nil, err
	}
	made, err := s.oobFor(&c, cfg, tenant, r)
	if err != nil {
		return nil, err
	}
	if err := s.limits.TakeRecipient(c.client(), made.recipient()); err != nil {
		return nil, err
	}
	res := &OobResponse{Kind: kindOob, Email: made.Email}
	if made.UID == "" && made.Type != EmailSignIn || made.taken {
		return res, nil // The response is the same with and without an account.
	}
	if s.postpone(c, cfg, r, made) {
		return res, nil
	}
	code, link, err := s.makeCode(ctx, c, r, made)
	if err != nil {
		return nil, err
	}
	if boolOr(r.ReturnOobLink, false) {
		res.OobCode, res.OobLink = code, link
		return res, nil
	}
	return res, s.mail(ctx, c, made, link)
}

// recipient returns the address to which a code is sent.
func (made *oob) recipient() string {
	if made.Type == ChangeEmail {
		return made.NewEmail
	}
	return made.Email
}

// checkContinue checks the URL to continue to and the requested domain of the link. Links lead only to our own domain.
// Under `clave start` they lead to the emulator's page whatever the request, as in the official emulator.
func (s *Service) checkContinue(cfg *Config, r *OobRequest) error {
	if domain := stringOf(r.LinkDomain); domain != "" && !s.o.Emulator && !s.isOwn(domain) {
		return apiError("INVALID_HOSTING_LINK_DOMAIN : The domain %s does not serve this project's links.", domain)
	}
	if stringOf(r.ContinueURL) == "" {
		if r.RequestType == EmailSignIn && !s.o.Emulator {
			return apiError("MISSING_CONTINUE_URI")
		}
		return nil
	}
	u, err := url.Parse(*r.ContinueURL)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return apiError("INVALID_CONTINUE_URI : ((expected an absolute URI with valid scheme and host))")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return apiError("INVALID_CONTINUE_URI : ((expected a URI with scheme http or https))")
	}
	if !s.authorized(cfg, u.Hostname()) {
		return apiError("UNAUTHORIZED_DOMAIN : Domain not whitelisted by project")
	}
	return nil
}

// authorized reports whether links may lead to a host. Under `clave start` any host except subdomains of localhost is
// allowed if the project lists no domains.
func (s *Service) authorized(cfg *Config, host string) bool {
	host = strings.ToLower(host)
	if host == "localhost" || host == "127.0.0.1" || host == "::1" {
		return s.o.Emulator || len(cfg.AuthorizedDomains) == 0 || contains(cfg.AuthorizedDomains, host)
	}
	if len(cfg.AuthorizedDomains) > 0 {
		return contains(cfg.AuthorizedDomains, host)
	}
	if s.o.Emulator {
		return !strings.HasSuffix(host, ".localhost") && host != "www.localhost"
	}
	return s.isOwn(host)
}

// isOwn reports whether a host is that of the public URL.
func (s *Service) isOwn(host string) bool {
	own, err := url.Parse(s.o.PublicURL)
	return err == nil && strings.EqualFold(own.Hostname(), host)
}

// MayContinue reports whether a link may continue to a URL, for a page that follows links.
func (s *Service) MayContinue(c Call, address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return false
	}
	cfg, err := s.config(c)
	return err == nil && s.authorized(cfg, u.Hostname())
}

// contains reports whether a host or a domain above it is listed.
func contains(domains []string, host string) bool {
	for _, d := range domains {
		d = strings.ToLower(d)
		if host == d || strings.HasSuffix(host, "."+d) {
			return true
		}
	}
	return false
}

// oobFor finds the account that a code belongs to. A code without UID belongs to none.
func (s *Service) oobFor(c *Call, cfg *Config, tenant *Tenant, r *OobRequest) (oob, error) {
	made := oob{Type: r.RequestType, Made: s.now()}
	if made.Type == ChangeEmail && stringOf(r.NewEmail) == "" {
		return oob{}, apiError("MISSING_NEW_EMAIL")
	}
	// A user proves by an ID token which account a code for changing or verifying an address is for.
	if (made.Type == VerifyEmail || made.Type == ChangeEmail) && r.IDToken != nil {
		u, id, err := s.userOf(c, *r.IDToken)
		if err != nil {
			return oob{}, err
		}
		if made.Type == ChangeEmail {
			if err := s.signedInRecently(u, id); err != nil {
				return oob{}, err
			}
		}
		if u.Email == "" && made.Type == VerifyEmail {
			return oob{}, apiError("MISSING_EMAIL")
		}
		made.UID, made.Email = u.UID, u.Email
		if made.Type == ChangeEmail {
			made.Epoch = &u.Epoch
		}
		return made, s.newAddress(*c, cfg, r, &made)
	}
	if modes[made.Type] == "" || made.Type == RecoverEmail {
		return oob{}, fault.E(fault.Unimplemented, "%s is not implemented.", made.Type)
	}
	// Without a token only administrators may name an account by its address. Resets and sign-in links are exempt: their
	// codes are sent to the address itself, so that others who request one receive nothing.
	switch {
	case made.Type == VerifyEmail && !c.Admin:
		return oob{}, apiError("INVALID_ID_TOKEN")
	case made.Type == ChangeEmail && !c.Admin:
		return oob{}, apiError("MISSING_ID_TOKEN")
	}
	if stringOf(r.Email) == "" {
		return oob{}, apiError("MISSING_EMAIL")
	}
	var ok bool
	if made.Email, ok = contact.Email(*r.Email); !ok {
		return oob{}, apiError("INVALID_EMAIL")
	}
	if made.Type == EmailSignIn {
		if tenant != nil && !tenant.EnableEmailLinkSignin || cfg.SignIn.Email != nil && boolOr(cfg.SignIn.Email.PasswordRequired, false) {
			return oob{}, apiError("OPERATION_NOT_ALLOWED")
		}
		return made, nil
	}
	// With protection from e-mail enumeration a reset for an unknown address succeeds too. Its code has no UID and is not sent.
	u, err := s.accounts.ByEmail(c.scope(), made.Email)
	switch {
	case err != nil:
		return oob{}, err
	case u != nil:
		made.UID = u.UID
	case made.Type != PasswordReset:
		return oob{}, apiError("USER_NOT_FOUND")
	case !s.privacy(cfg):
		return oob{}, apiError("EMAIL_NOT_FOUND")
	}
	return made, s.newAddress(*c, cfg, r, &made)
}

// newAddress checks the address to change to. With protection from e-mail enumeration the result does not reveal
// whether the address belongs to another account.
func (s *Service) newAddress(c Call, cfg *Config, r *OobRequest, made *oob) error {
	if made.Type != ChangeEmail {
		return nil
	}
	if stringOf(r.NewEmail) == "" {
		return apiError("MISSING_NEW_EMAIL")
	}
	var ok bool
	if made.NewEmail, ok = contact.Email(*r.NewEmail); !ok {
		return apiError("INVALID_NEW_EMAIL")
	}
	other, err := s.accounts.ByEmail(c.scope(), made.NewEmail)
	if err != nil || other == nil {
		return err
	}
	if !c.Admin && !s.o.Emulator && s.privacy(cfg) {
		made.taken = true
		return nil
	}
	return apiError("EMAIL_EXISTS")
}

// newCode returns a new code and its link. Under `clave start` it also sets them in made, for the control route.
func (s *Service) newCode(c Call, r *OobRequest, made *oob) (code, link string) {
	const size = 40 // 54 characters, as the emulator's
	code = randid.Secret(size)
	link = s.link(c, r, made.Type, code)
	if s.o.Emulator {
		made.Code, made.Link = code, link
	}
	return code, link
}

// makeCode creates and stores a code. For some kinds a new code invalidates the previous one.
func (s *Service) makeCode(ctx context.Context, c Call, r *OobRequest, made oob) (code, link string, err error) {
	code, link = s.newCode(c, r, &made)
	if made.UID == "" {
		return code, link, s.accounts.Change(ctx, c.scope(), nil, func(ch *account.Change) error { return ch.Save(codeItem, digest(code), made) })
	}
	return code, link, s.change(ctx, c, made.UID, func(ch *account.Change, u *account.User) error {
		if made.Type == PasswordReset || made.Type == ChangeEmail {
			dropCode(ch, u, made.Type)
			setNewest(u, made.Type, digest(code))
		}
		return ch.Save(codeItem, digest(code), made)
	})
}

// setNewest records the hash of the newest code of a kind that was sent to a user. An empty hash means that there is none.
func setNewest(u *account.User, kind RequestType, hash string) {
	switch {
	case hash == "":
		delete(u.Codes, string(kind))
	case u.Codes == nil:
		u.Codes = map[string]account.Code{string(kind): {Hash: hash}}
	default:
		u.Codes[string(kind)] = account.Code{Hash: hash}
	}
}

// dropCode removes the latest code of a kind that was sent to a user.
func dropCode(ch *account.Change, u *account.User, kind RequestType) {
	if old, ok := u.Codes[string(kind)]; ok {
		ch.Remove(codeItem, old.Hash)
		setNewest(u, kind, "")
	}
}

// link returns the link that carries a code.
func (s *Service) link(c Call, r *OobRequest, kind RequestType, code string) string {
	base := s.o.PublicURL
	if base == "" {
		base = c.Origin
	}
	path := "/__/auth/action"
	if s.o.Emulator {
		path = "/emulator/action"
	}
	q := url.Values{"mode": {modes[kind]}, "lang": {"en"}, "oobCode": {code}, "apiKey": {"fake-api-key"}}
	if c.Key != "" {
		q.Set("apiKey", c.Key)
	}
	if c.Locale != "" {
		q.Set("lang", c.Locale)
	}
	if u := stringOf(r.ContinueURL); u != "" {
		q.Set("continueUrl", u)
	}
	if c.Tenant != "" {
		q.Set("tenantId", c.Tenant)
	}
	return base + path + "?" + q.Encode()
}
