package service

import (
	"cmp"
	"context"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/actionlink"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/limits"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
)

// OobRequest requests a one-time code.
type OobRequest struct {
	RequestType        onetime.Kind `json:"requestType"`
	Email              *string      `json:"email"`
	NewEmail           *string      `json:"newEmail"`
	IDToken            *string      `json:"idToken"`
	ContinueURL        *string      `json:"continueUrl"`
	ReturnOobLink      *bool        `json:"returnOobLink"`
	CanHandleCodeInApp *bool        `json:"canHandleCodeInApp"`
	LinkDomain         *string      `json:"linkDomain"`
	IOSBundleID        *string      `json:"iOSBundleId"`
	AndroidPackageName *string      `json:"androidPackageName"`
	ClientType         *string      `json:"clientType"`
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
	if r.RequestType == "" || r.RequestType == onetime.Unspecified {
		return nil, apierror.New("MISSING_REQ_TYPE")
	}
	if optional.Bool(r.ReturnOobLink, false) && !c.Admin {
		return nil, apierror.New("INSUFFICIENT_PERMISSION")
	}
	// This check comes first, because the result of later ones may reveal whether an address has an account.
	if err := s.limits.Take(c.client(), limits.Code); err != nil {
		return nil, err
	}
	// A user proves by an ID token which account a code for changing or verifying an address is for.
	var idToken *string
	if r.RequestType == onetime.VerifyEmail || r.RequestType == onetime.ChangeEmail {
		idToken = r.IDToken
	}
	cs, err := s.userSettings(ctx, c, idToken)
	if err != nil {
		return nil, err
	}
	if err := s.checkLink(cs, r); err != nil {
		return nil, err
	}
	made, err := s.oobFor(cs, r, idToken)
	if err != nil {
		return nil, err
	}
	if err := s.limits.TakeRecipient(cs.client(), made.Recipient()); err != nil {
		return nil, err
	}
	res := &OobResponse{Kind: kindOob, Email: made.Email}
	if made.UID == "" && made.Type != onetime.EmailSignIn || made.Taken {
		return res, nil // The response is the same with and without an account.
	}
	if s.postpone(cs, r, made) {
		return res, nil
	}
	code, link, err := s.makeCode(ctx, cs.Call, r, made)
	if err != nil {
		return nil, err
	}
	if optional.Bool(r.ReturnOobLink, false) {
		res.OobCode, res.OobLink = code, link
		return res, nil
	}
	return res, s.mail(ctx, cs.Call, made, link)
}

// checkLink checks the link that a request describes.
func (s *Service) checkLink(c *callSettings, r *OobRequest) error {
	return cmp.Or(
		s.links.Check(c.project.AuthorizedDomains, r.RequestType, optional.String(r.LinkDomain), optional.String(r.ContinueURL)),
		s.links.CheckLength(linkOf(c.Call, r, r.RequestType)),
	)
}

// linkOf returns the link of a request, without its code.
func linkOf(c Call, r *OobRequest, kind onetime.Kind) actionlink.Link {
	return actionlink.Link{Kind: kind, Origin: c.Origin, Key: c.Key, Locale: c.Locale, ContinueURL: optional.String(r.ContinueURL), Tenant: c.Tenant}
}

// MayContinue reports whether a link may continue to a URL, for a page that follows links.
func (s *Service) MayContinue(c Call, address string) bool {
	cfg, err := s.config(c)
	return err == nil && s.links.MayContinue(cfg.AuthorizedDomains, address)
}

// oobFor finds the account that a code belongs to: that of an ID token, if it is not nil. A code without UID belongs to
// none.
func (s *Service) oobFor(c *callSettings, r *OobRequest, idToken *string) (onetime.Code, error) {
	made := onetime.Code{Type: r.RequestType, Made: s.now(c.Project)}
	if made.Type == onetime.ChangeEmail && optional.String(r.NewEmail) == "" {
		return onetime.Code{}, apierror.New("MISSING_NEW_EMAIL")
	}
	if idToken != nil {
		u, id, err := s.userOf(&c.Call, *idToken)
		if err != nil {
			return onetime.Code{}, err
		}
		if made.Type == onetime.ChangeEmail {
			if err := s.signedInRecently(u, id); err != nil {
				return onetime.Code{}, err
			}
		}
		if u.Email == "" && made.Type == onetime.VerifyEmail {
			return onetime.Code{}, apierror.New("MISSING_EMAIL")
		}
		made.UID, made.Email = u.UID, u.Email
		if made.Type == onetime.ChangeEmail {
			made.Epoch = &u.Epoch
		}
		return made, s.newAddress(c, r, &made)
	}
	if onetime.Modes[made.Type] == "" || made.Type == onetime.RecoverEmail {
		return onetime.Code{}, fault.E(fault.Unimplemented, "%s is not implemented.", made.Type)
	}
	// Without a token only administrators may name an account by its address. Resets and sign-in links are exempt: their
	// codes are sent to the address itself, so that others who request one receive nothing.
	switch {
	case made.Type == onetime.VerifyEmail && !c.Admin:
		return onetime.Code{}, apierror.New("INVALID_ID_TOKEN")
	case made.Type == onetime.ChangeEmail && !c.Admin:
		return onetime.Code{}, apierror.New("MISSING_ID_TOKEN")
	}
	if optional.String(r.Email) == "" {
		return onetime.Code{}, apierror.New("MISSING_EMAIL")
	}
	var ok bool
	if made.Email, ok = field.Email(*r.Email); !ok {
		return onetime.Code{}, apierror.New("INVALID_EMAIL")
	}
	if made.Type == onetime.EmailSignIn {
		// In production an administrator receives the link even if it cannot be used. The emulator refuses.
		off := c.tenant != nil && !c.tenant.EnableEmailLinkSignin || c.project.SignIn.Email != nil && optional.Bool(c.project.SignIn.Email.PasswordRequired, false)
		if off && (s.o.Emulator || !optional.Bool(r.ReturnOobLink, false)) {
			return onetime.Code{}, apierror.New("OPERATION_NOT_ALLOWED")
		}
		return made, nil
	}
	// With protection from e-mail enumeration a reset for an unknown address succeeds too. Its code has no UID and is not
	// sent.
	u, err := s.accounts.ByEmail(c.scope(), made.Email)
	switch {
	case err != nil:
		return onetime.Code{}, err
	case u != nil:
		made.UID = u.UID
	case made.Type != onetime.PasswordReset:
		return onetime.Code{}, apierror.New("USER_NOT_FOUND")
	case !c.privacy():
		return onetime.Code{}, apierror.New("EMAIL_NOT_FOUND")
	}
	return made, s.newAddress(c, r, &made)
}

// newAddress checks the address to change to. With protection from e-mail enumeration the result does not reveal
// whether the address belongs to an account: no code is made for one that does, for administrators neither. The
// official emulator reveals it.
func (s *Service) newAddress(c *callSettings, r *OobRequest, made *onetime.Code) error {
	if made.Type != onetime.ChangeEmail {
		return nil
	}
	if optional.String(r.NewEmail) == "" {
		return apierror.New("MISSING_NEW_EMAIL")
	}
	var ok bool
	if made.NewEmail, ok = field.Email(*r.NewEmail); !ok {
		return apierror.New("INVALID_NEW_EMAIL")
	}
	other, err := s.accounts.ByEmail(c.scope(), made.NewEmail)
	if err != nil || other == nil {
		return err
	}
	if !s.o.AsEmulator && c.privacy() {
		made.Taken = true
		return nil
	}
	return apierror.New("EMAIL_EXISTS")
}

// newCode returns a new code and its link. Under `clave start` it also sets them in made, for the control route.
func (s *Service) newCode(c Call, r *OobRequest, made *onetime.Code) (code, link string) {
	const size = 40 // 54 characters, as the emulator's
	code = randid.Secret(size)
	l := linkOf(c, r, made.Type)
	l.Code = code
	link = s.links.URL(l)
	if s.o.Emulator {
		made.Code, made.Link = code, link
	}
	return code, link
}

// makeCode creates and stores a code. For some kinds a new code invalidates the previous one.
func (s *Service) makeCode(ctx context.Context, c Call, r *OobRequest, made onetime.Code) (code, link string, err error) {
	code, link = s.newCode(c, r, &made)
	if made.UID == "" {
		return code, link, s.accounts.Change(ctx, c.scope(), nil, func(ch *account.Change) error { return ch.Save(onetime.Item, randid.Digest(code), made) })
	}
	return code, link, s.change(ctx, c, made.UID, func(ch *account.Change, u *account.User) error {
		if made.Type == onetime.PasswordReset || made.Type == onetime.ChangeEmail {
			onetime.Drop(ch, u, made.Type)
			onetime.SetNewest(u, made.Type, randid.Digest(code))
		}
		return ch.Save(onetime.Item, randid.Digest(code), made)
	})
}
