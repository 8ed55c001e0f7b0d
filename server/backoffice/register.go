package backoffice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"cloud.google.com/go/firestore"
	"firebase.google.com/go/v4/auth"
	"firebase.google.com/go/v4/errorutils"

	"clave/server/internal/base/randid"
)

// Registration is a request to become an administrator.
type Registration struct {
	Ticket    string
	FirstName string
	LastName  string
	Email     string
	Password  string
}

// Administrator is a user who was registered.
type Administrator struct {
	UID         string
	Email       string
	DisplayName string
}

// The maximum numbers of characters of a name, an address and a password, and the minimum of a password.
const (
	maxName     = 120
	maxEmail    = 254
	minPassword = 6
	maxPassword = 4096
)

// cleanupTime is the time limit of the removal of an incomplete administrator. It applies even if the caller has
// disconnected.
const cleanupTime = 10 * time.Second

// uidLength is the number of characters of an account's id, as in Firebase's.
const uidLength = 28

// address matches the e-mail addresses that the forms of the site accept.
var address = regexp.MustCompile(`^[^\s@]+@[^\s@]+\.[^\s@]+$`)

// Register creates an administrator: the account with its name, then the record adminusers/{uid}. It creates both or
// neither. Success uses the ticket up; a refused registration may be corrected and sent again with the same ticket.
func (s *Service) Register(ctx context.Context, r Registration) (*Administrator, error) {
	giveBack, ok := s.tickets.take(r.Ticket)
	if !ok {
		return nil, refuse(BadTicket, nil)
	}
	made, err := s.register(ctx, r.trimmed())
	if err != nil {
		giveBack()
		return nil, err
	}
	return made, nil
}

// register creates the administrator without checking a ticket.
func (s *Service) register(ctx context.Context, r Registration) (*Administrator, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	c, err := s.connect()
	if err != nil {
		return nil, refuse(Internal, err)
	}
	// The id is chosen here, so that the account can be removed even if the response to its creation is lost.
	a := &Administrator{UID: randid.New(uidLength), Email: r.Email, DisplayName: r.FirstName + " " + r.LastName}
	account := (&auth.UserToCreate{}).UID(a.UID).Email(r.Email).Password(r.Password).DisplayName(a.DisplayName)
	if _, err := c.accounts.CreateUser(ctx, account); err != nil {
		refusal := accountRefusal(err)
		if refusal.Name == Internal || refusal.Name == Unavailable {
			// The account may exist although its response was lost.
			s.remove(ctx, c, a.UID)
		}
		return nil, refusal
	}
	if _, err := c.documents.Collection("adminusers").Doc(a.UID).Create(ctx, administratorRecord(a, r)); err != nil {
		s.remove(ctx, c, a.UID)
		return nil, refuse(Internal, fmt.Errorf("create adminusers/%s: %w", a.UID, err))
	}
	s.options.Log.InfoContext(ctx, "an administrator was registered", "uid", a.UID)
	return a, nil
}

// administratorRecord returns the document that gives an account the rights of an administrator (F-406).
func administratorRecord(a *Administrator, r Registration) map[string]any {
	return map[string]any{
		"uid":          a.UID,
		"firstName":    r.FirstName,
		"lastName":     r.LastName,
		"displayName":  a.DisplayName,
		"email":        a.Email,
		"role":         "admin",
		"active":       true,
		"createdAt":    firestore.ServerTimestamp,
		"signupMethod": "codigo-secreto",
	}
}

// remove deletes an incomplete administrator, the record first: an account alone has no rights (F-803).
func (s *Service) remove(ctx context.Context, c *clients, uid string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	_, recordErr := c.documents.Collection("adminusers").Doc(uid).Delete(ctx)
	accountErr := c.accounts.DeleteUser(ctx, uid)
	if auth.IsUserNotFound(accountErr) {
		accountErr = nil
	}
	if err := errors.Join(recordErr, accountErr); err != nil {
		s.options.Log.ErrorContext(ctx, "an incomplete administrator could not be removed", "uid", uid, "error", err)
	}
}

// trimmed returns the registration without spaces around its texts and with its address in lower case. The password is
// unchanged.
func (r Registration) trimmed() Registration {
	r.FirstName, r.LastName = strings.TrimSpace(r.FirstName), strings.TrimSpace(r.LastName)
	r.Email = strings.ToLower(strings.TrimSpace(r.Email))
	return r
}

// validate returns a refusal if a value is invalid by the contract or too long.
func (r Registration) validate() error {
	switch {
	case r.FirstName == "" || r.LastName == "" || r.Email == "" || r.Password == "":
		return refuse(InvalidArgument, nil)
	case utf8.RuneCountInString(r.FirstName) > maxName || utf8.RuneCountInString(r.LastName) > maxName:
		return refuse(InvalidArgument, errors.New("a name is too long"))
	case utf8.RuneCountInString(r.Email) > maxEmail || !address.MatchString(r.Email):
		return refuse(InvalidEmail, nil)
	case utf8.RuneCountInString(r.Password) < minPassword:
		return refuse(WeakPassword, nil)
	case len(r.Password) > maxPassword:
		return refuse(InvalidArgument, errors.New("the password is too long"))
	}
	return nil
}

// serverNames maps the error codes of Identity Toolkit for which the Admin SDK has no predicate.
var serverNames = map[string]Name{
	"INVALID_EMAIL":         InvalidEmail,
	"WEAK_PASSWORD":         WeakPassword,
	"OPERATION_NOT_ALLOWED": NotAllowed,
}

// accountRefusal returns the refusal of an error of creating an account.
func accountRefusal(err error) *Refusal {
	switch {
	case auth.IsEmailAlreadyExists(err):
		return refuse(EmailInUse, err)
	case auth.IsConfigurationNotFound(err):
		return refuse(NotAllowed, err)
	case errorutils.IsResourceExhausted(err):
		return refuse(TooManyRequests, err)
	case errorutils.IsUnavailable(err), errorutils.IsDeadlineExceeded(err):
		return refuse(Unavailable, err)
	}
	if name, ok := serverNames[serverCode(err)]; ok {
		return refuse(name, err)
	}
	return refuse(Internal, err)
}

// serverCode returns the error code in the response that caused an error of the Admin SDK, such as WEAK_PASSWORD. The
// message of the response is the code, or the code, a colon and an explanation. It returns "" if no response caused the
// error.
func serverCode(err error) string {
	response := errorutils.HTTPResponse(err)
	if response == nil {
		return ""
	}
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.NewDecoder(response.Body).Decode(&body) != nil {
		return ""
	}
	code, _, _ := strings.Cut(body.Error.Message, ":")
	return strings.TrimSpace(code)
}
