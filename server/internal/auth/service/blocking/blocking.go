// Package blocking calls the blocking functions of projects: functions of the operator that may refuse or change a new
// account (beforeCreate), and refuse a sign-in or add claims to it (beforeSignIn).
//
// An event is sent as a signed token. Anything that prevents a valid response, such as a time limit, an error status or
// text that is not JSON, refuses the operation, because the function may exist to refuse users.
package blocking

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/auth/service/session"
	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/auth/service/webhook"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
)

// Caller calls blocking functions.
type Caller interface {
	// Post sends a JSON body to a URL and returns the status and body of the response.
	Post(ctx context.Context, url string, body []byte) (status int, answer []byte, err error)
}

// timeout is the time limit of a blocking function.
const timeout = 60 * time.Second

// The names of the events.
const (
	BeforeCreate = "beforeCreate"
	BeforeSignIn = "beforeSignIn"
)

// Settings are a project's blocking functions.
type Settings struct {
	// Triggers holds the function of each event.
	Triggers map[string]struct {
		FunctionURI string `json:"functionUri"`
	} `json:"triggers"`
	// ForwardInboundCredentials says which tokens of identity providers functions receive.
	ForwardInboundCredentials struct {
		IDToken      bool `json:"idToken"`
		AccessToken  bool `json:"accessToken"`
		RefreshToken bool `json:"refreshToken"`
	} `json:"forwardInboundCredentials"`
}

// forwarded returns the tokens of an event's identity provider that its function may receive.
func (s *Settings) forwarded(e *Event) map[string]any {
	out := make(map[string]any)
	if s.ForwardInboundCredentials.IDToken && e.IDToken != "" {
		out["oauth_id_token"] = e.IDToken
	}
	if s.ForwardInboundCredentials.AccessToken && e.AccessToken != "" {
		out["oauth_access_token"] = e.AccessToken
		if e.ExpiresIn > 0 {
			out["oauth_expires_in"] = e.ExpiresIn
		}
	}
	if s.ForwardInboundCredentials.RefreshToken && e.RefreshToken != "" {
		out["oauth_refresh_token"] = e.RefreshToken
	}
	return out
}

// Functions calls blocking functions. It is safe for concurrent use.
type Functions struct {
	// Caller sends the events; nil calls no function.
	Caller Caller
	// Tokens signs the events.
	Tokens *token.Verifier
	// Clock is the source of time.
	Clock clock.Clock
	// Emulator sends clients the official emulator's errors, which show the address of the function and its whole
	// response. Otherwise clients receive production's errors.
	Emulator bool
	// Log has the cause of each failure with the address of the function, which production does not send to clients.
	Log *slog.Logger
}

// Event is what a function decides about.
type Event struct {
	// Name is BeforeCreate or BeforeSignIn.
	Name string
	// Project and Tenant are the scope of the account.
	Project, Tenant string
	// User is the account, as it would be stored.
	User *account.User
	// Session is the session that begins.
	Session *session.Session
	// Credential describes the credential of an identity provider; nil for other sign-ins.
	Credential map[string]any
	// IDToken, AccessToken and RefreshToken are those of the identity provider; empty for other sign-ins.
	IDToken, AccessToken, RefreshToken string
	// ExpiresIn is the time for which the access token is valid, in seconds; 0 means unknown.
	ExpiresIn int
	// Address, UserAgent and Locale describe the client.
	Address, UserAgent, Locale string
}

// Update holds the changes that a blocking function requests. The zero value changes nothing.
type Update struct {
	UserRecord *struct {
		UpdateMask    string         `json:"updateMask"`
		DisplayName   *string        `json:"displayName"`
		PhotoURL      *string        `json:"photoUrl"`
		Disabled      bool           `json:"disabled"`
		EmailVerified bool           `json:"emailVerified"`
		CustomClaims  map[string]any `json:"customClaims"`
		SessionClaims map[string]any `json:"sessionClaims"`
	} `json:"userRecord"`
}

// Check refuses unknown triggers and functions that can't be called.
func (s *Settings) Check() error {
	for _, event := range slices.Sorted(maps.Keys(s.Triggers)) {
		switch event {
		case BeforeCreate, BeforeSignIn:
		case "beforeSendEmail", "beforeSendSms":
			return fault.E(fault.Unimplemented, "The trigger %s is not implemented.", event)
		default:
			return apierror.New("INVALID_BLOCKING_FUNCTION : ((Event type is invalid.))")
		}
		u, err := url.Parse(s.Triggers[event].FunctionURI)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return apierror.New("INVALID_BLOCKING_FUNCTION : ((Expected an absolute URI with valid scheme and host.))")
		}
	}
	return nil
}

// Call calls the function of an event, if the settings have one, and returns the changes that it requests. It adds the
// claims that a BeforeSignIn function requests to the event's session.
func (f *Functions) Call(ctx context.Context, settings *Settings, e Event) (*Update, error) {
	update := &Update{}
	uri := settings.Triggers[e.Name].FunctionURI
	if uri == "" || f.Caller == nil {
		return update, nil
	}
	jwt, err := f.token(uri, e, settings.forwarded(&e))
	if err != nil {
		return nil, err
	}
	body, err := webhook.EventBody(jwt)
	if err != nil {
		return nil, err
	}
	answer, failed := f.post(ctx, uri, body)
	if failed == nil && len(answer) > 0 {
		failed = parse(answer, update)
	}
	if failed != nil {
		return nil, f.refuse(ctx, e, uri, failed)
	}
	return update, update.claims(e)
}

// post sends an event to the function at a URI and returns the body of its response.
func (f *Functions) post(ctx context.Context, uri string, body []byte) (answer []byte, failed *failure) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	status, answer, err := f.Caller.Post(ctx, uri, body)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, tooLate(uri, err)
	case err != nil:
		return nil, notReached(uri, err)
	case status < http.StatusOK || status >= http.StatusMultipleChoices:
		return nil, refusedBy(uri, status, answer)
	}
	return answer, nil
}

// parse reads the response of a function that allows the operation.
func parse(answer []byte, update *Update) *failure {
	if err := json.Unmarshal(answer, update); err != nil {
		return invalid("Response body is not valid JSON.", err)
	}
	if update.UserRecord != nil && update.UserRecord.UpdateMask == "" {
		return invalid("Response UserRecord is missing updateMask.", nil)
	}
	return nil
}

// claims adds the session claims to the event's session and checks both kinds of claims.
func (b *Update) claims(e Event) error {
	if b.UserRecord == nil {
		return nil
	}
	for _, name := range strings.Split(b.UserRecord.UpdateMask, ",") {
		switch name {
		case "customClaims":
			if err := session.CheckReserved(b.UserRecord.CustomClaims); err != nil {
				return err
			}
		case "sessionClaims":
			if e.Name != BeforeSignIn {
				continue
			}
			if err := session.CheckReserved(b.UserRecord.SessionClaims); err != nil {
				return err
			}
			if e.Session.Claims == nil {
				e.Session.Claims = make(map[string]any)
			}
			maps.Copy(e.Session.Claims, b.UserRecord.SessionClaims)
		}
	}
	return nil
}

// Apply applies the function's changes to the account. A nil Update changes nothing.
func (b *Update) Apply(u *account.User) error {
	if b == nil || b.UserRecord == nil {
		return nil
	}
	r := b.UserRecord
	for _, name := range strings.Split(r.UpdateMask, ",") {
		switch name {
		case "displayName":
			u.DisplayName = r.DisplayName
		case "photoUrl":
			u.PhotoURL = r.PhotoURL
		case "disabled":
			u.Disabled = r.Disabled
		case "emailVerified":
			u.EmailVerified = r.EmailVerified
		case "customClaims":
			encoded, err := json.Marshal(r.CustomClaims)
			if err != nil {
				return err
			}
			claims := string(encoded)
			if err := session.CheckAttributes(claims); err != nil {
				return err
			}
			u.Attributes = &claims
		}
	}
	return nil
}

// token returns the JWT that is sent to the function at a URI, with the tokens that it receives.
func (f *Functions) token(uri string, e Event, forwarded map[string]any) (string, error) {
	u := e.User
	record := map[string]any{
		"uid": u.UID, "email": u.Email, "email_verified": u.EmailVerified, "display_name": u.Name(), "photo_url": u.Photo(),
		"disabled": u.Disabled, "phone_number": u.Phone, "custom_claims": customClaims(u), "tenant_id": e.Tenant,
		"provider_data": providers(u),
	}
	metadata := map[string]any{"creation_time": u.Created}
	if u.LastLogin != 0 {
		metadata["last_sign_in_time"] = u.LastLogin
	}
	record["metadata"] = metadata
	if factors := factors(u); len(factors) > 0 {
		record["multi_factor"] = map[string]any{"enrolled_factors": factors}
	}
	omitEmpty(record)
	claims := map[string]any{
		"event_id": randid.Secret(12), "event_type": e.Name, "user_agent": e.UserAgent, "ip_address": e.Address, "locale": e.Locale,
		"sign_in_method": e.Session.SignInMethod(), "user_record": record, "aud": uri, "auth_time": clock.NowOf(f.Clock, e.Project).Unix(),
	}
	if e.Tenant != "" {
		claims["tenant_id"] = e.Tenant
	}
	if e.Session.FactorKind != "" {
		claims["sign_in_second_factor"] = e.Session.FactorKind
	}
	if len(e.Session.ProviderClaims) > 0 && !f.Emulator {
		claims["sign_in_attributes"] = e.Session.ProviderClaims // Functions have them as context.credential.claims.
	}
	maps.Copy(claims, e.Credential)
	maps.Copy(claims, forwarded)
	return f.Tokens.MintEvent(e.Project, u.UID, claims)
}

// omitEmpty removes empty strings; false stays.
func omitEmpty(record map[string]any) {
	maps.DeleteFunc(record, func(_ string, v any) bool { return v == "" })
}

// customClaims returns a user's custom claims. Functions receive an empty object, not null, if there are none.
func customClaims(u *account.User) map[string]any {
	claims := session.Attributes(u)
	if claims == nil {
		claims = make(map[string]any)
	}
	return claims
}

// providers lists a user's providers as blocking functions see them.
func providers(u *account.User) []map[string]any {
	list := make([]map[string]any, 0, 1)
	for _, p := range userinfo.Providers(u) {
		one := map[string]any{
			"provider_id": p.ProviderID, "uid": p.RawID, "email": p.Email, "phone_number": p.PhoneNumber,
			"display_name": optional.String(p.DisplayName), "photo_url": optional.String(p.PhotoURL),
		}
		omitEmpty(one)
		list = append(list, one)
	}
	return list
}

// factors lists a user's second factors as blocking functions see them.
func factors(u *account.User) []map[string]any {
	var list []map[string]any
	for _, f := range u.Factors {
		factor := map[string]any{"uid": f.ID, "factor_id": "totp", "enrollment_time": f.Enrolled}
		if f.Phone != "" {
			factor["factor_id"], factor["phone_number"] = "phone", f.Phone
		}
		if f.DisplayName != "" {
			factor["display_name"] = f.DisplayName
		}
		list = append(list, factor)
	}
	return list
}
