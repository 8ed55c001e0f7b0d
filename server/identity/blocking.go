package identity

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"clave/server/account"
	"clave/server/fault"
	"clave/server/identity/apierror"
	"clave/server/identity/session"
	"clave/server/identity/userinfo"
	"clave/server/identity/webhook"
	"clave/server/randid"
)

// Caller calls blocking functions.
type Caller interface {
	// Post sends a JSON body to a URL and returns the status and body of the response.
	Post(ctx context.Context, url string, body []byte) (status int, answer []byte, err error)
}

// blockingTimeout is the time limit of a blocking function.
const blockingTimeout = 60 * time.Second

// blockedUpdate holds the changes that a blocking function requests.
type blockedUpdate struct {
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

// checkBlocking refuses unknown triggers and functions that can't be called.
func (cfg *Config) checkBlocking() error {
	for _, event := range slices.Sorted(maps.Keys(cfg.BlockingFunctions.Triggers)) {
		switch event {
		case "beforeCreate", "beforeSignIn":
		case "beforeSendEmail", "beforeSendSms":
			return fault.E(fault.Unimplemented, "The trigger %s is not implemented.", event)
		default:
			return apierror.New("INVALID_BLOCKING_FUNCTION : ((Event type is invalid.))")
		}
		u, err := url.Parse(cfg.BlockingFunctions.Triggers[event].FunctionURI)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return apierror.New("INVALID_BLOCKING_FUNCTION : ((Expected an absolute URI with valid scheme and host.))")
		}
	}
	return nil
}

// beforeCreate calls the function that may refuse or change a new account. A new account that the function disables is
// not created.
func (s *Service) beforeCreate(ctx context.Context, c Call, cfg *Config, u *account.User, ses *session.Session, idp map[string]any) error {
	update, err := s.block(ctx, c, cfg, "beforeCreate", u, ses, idp)
	if err != nil {
		return err
	}
	if err := update.apply(u); err != nil {
		return err
	}
	if u.Disabled {
		return apierror.New("USER_DISABLED")
	}
	return nil
}

// beforeSignIn calls the function that may refuse a sign-in or add claims to it. The caller applies its changes of the
// account.
func (s *Service) beforeSignIn(ctx context.Context, c Call, cfg *Config, u *account.User, ses *session.Session, idp map[string]any) (*blockedUpdate, error) {
	return s.block(ctx, c, cfg, "beforeSignIn", u, ses, idp)
}

// block calls a blocking function, if the project has it.
func (s *Service) block(ctx context.Context, c Call, cfg *Config, event string, u *account.User, ses *session.Session, idp map[string]any) (*blockedUpdate, error) {
	update := &blockedUpdate{}
	uri := cfg.BlockingFunctions.Triggers[event].FunctionURI
	if uri == "" || s.o.Blocking == nil {
		return update, nil
	}
	jwt, err := s.blockingToken(c, event, uri, u, ses, idp)
	if err != nil {
		return nil, err
	}
	body, err := webhook.EventBody(jwt)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, blockingTimeout)
	defer cancel()
	// The function may exist to refuse users. If it fails, is late or returns an invalid response, the operation is
	// refused: a failure must not bypass the function.
	status, answer, err := s.o.Blocking.Post(ctx, uri, body)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "BLOCKING_FUNCTION_ERROR_RESPONSE : ((Deadline exceeded making request to %s.))", uri)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "BLOCKING_FUNCTION_ERROR_RESPONSE : ((Failed to make request to %s.))", uri)
	}
	const lowest, highest = 200, 299
	if status < lowest || status > highest {
		return nil, apierror.New("BLOCKING_FUNCTION_ERROR_RESPONSE : ((HTTP request to %s returned HTTP error %d: %s))", uri, status, answer)
	}
	if len(answer) == 0 {
		return update, nil
	}
	if err := json.Unmarshal(answer, update); err != nil {
		return nil, apierror.New("BLOCKING_FUNCTION_ERROR_RESPONSE : ((Response body is not valid JSON.))")
	}
	if update.UserRecord != nil && update.UserRecord.UpdateMask == "" {
		return nil, apierror.New("BLOCKING_FUNCTION_ERROR_RESPONSE : ((Response UserRecord is missing updateMask.))")
	}
	return update, update.claims(event, ses)
}

// claims adds the session claims to the session and checks both kinds of claims.
func (b *blockedUpdate) claims(event string, ses *session.Session) error {
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
			if event != "beforeSignIn" {
				continue
			}
			if err := session.CheckReserved(b.UserRecord.SessionClaims); err != nil {
				return err
			}
			if ses.Claims == nil {
				ses.Claims = make(map[string]any)
			}
			for k, v := range b.UserRecord.SessionClaims {
				ses.Claims[k] = v
			}
		}
	}
	return nil
}

// apply applies the function's changes to the account.
func (b *blockedUpdate) apply(u *account.User) error {
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
			text, err := json.Marshal(r.CustomClaims)
			if err != nil {
				return err
			}
			claims := string(text)
			if err := session.CheckAttributes(claims); err != nil {
				return err
			}
			u.Attributes = &claims
		}
	}
	return nil
}

// blockingToken returns the JWT that is sent to a blocking function.
func (s *Service) blockingToken(c Call, event, uri string, u *account.User, ses *session.Session, idp map[string]any) (string, error) {
	now := s.now()
	record := map[string]any{
		"uid": u.UID, "email": u.Email, "email_verified": u.EmailVerified, "display_name": u.Name(), "photo_url": u.Photo(),
		"disabled": u.Disabled, "phone_number": u.Phone, "custom_claims": session.Attributes(u), "tenant_id": c.Tenant,
		"provider_data": blockedProviders(u),
	}
	metadata := map[string]any{"creation_time": u.Created}
	if u.LastLogin != 0 {
		metadata["last_sign_in_time"] = u.LastLogin
	}
	record["metadata"] = metadata
	if factors := blockedFactors(u); len(factors) > 0 {
		record["multi_factor"] = map[string]any{"enrolled_factors": factors}
	}
	// Empty strings are omitted; false is not.
	for k, v := range record {
		if v == "" {
			delete(record, k)
		}
	}
	claims := map[string]any{
		"event_id": randid.Secret(12), "event_type": event, "user_agent": c.UserAgent, "ip_address": c.Address, "locale": c.Locale, "sign_in_method": ses.SignInMethod(),
		"user_record": record, "aud": uri, "auth_time": now.Unix(),
	}
	if c.Tenant != "" {
		claims["tenant_id"] = c.Tenant
	}
	if ses.FactorKind != "" {
		claims["sign_in_second_factor"] = ses.FactorKind
	}
	for k, v := range idp {
		claims[k] = v
	}
	return s.tokens.MintEvent(c.Project, u.UID, claims)
}

// blockedProviders lists a user's providers as blocking functions see them.
func blockedProviders(u *account.User) []map[string]any {
	var list []map[string]any
	for _, p := range userinfo.Providers(u) {
		list = append(list, map[string]any{"provider_id": p.ProviderID, "uid": p.RawID, "email": p.Email, "display_name": stringOf(p.DisplayName), "photo_url": stringOf(p.PhotoURL)})
	}
	return list
}

// blockedFactors lists a user's second factors as blocking functions see them.
func blockedFactors(u *account.User) []map[string]any {
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
