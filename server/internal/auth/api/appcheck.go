package api

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"reflect"
	"slices"
	"strings"

	"clave/server/internal/auth/appcheck"
	"clave/server/internal/auth/appcheck/debugtoken"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
)

// The hosts of the App Check API. Web SDKs call the second one.
const (
	checkHost        = "firebaseappcheck.googleapis.com"
	checkHostContent = "content-" + checkHost
)

// AppCheck is what the methods of App Check need.
type AppCheck struct {
	// Service issues tokens, and Checker decides about calls of Authentication.
	Service *appcheck.Service
	Checker *appcheck.Checker
	// Settings has the modes of the products, and DebugTokens the debug tokens of apps.
	Settings    *appcheck.Settings
	DebugTokens *debugtoken.Registry
	// Keys returns the published keys; nil without keys of another service.
	Keys func() []token.JWK
}

// attested are the methods by which apps prove themselves to Google only.
var attested = []string{
	"exchangeRecaptchaV3Token", "exchangeRecaptchaEnterpriseToken", "exchangeSafetyNetToken", "exchangePlayIntegrityToken", "exchangeDeviceCheckToken",
	"exchangeAppAttestAttestation", "exchangeAppAttestAssertion", "generateAppAttestChallenge", "generatePlayIntegrityChallenge",
}

// appCheckRoutes lists the methods of App Check.
func (h *Handler) appCheckRoutes(t map[string]route) {
	for _, version := range []string{"/v1/", "/v1beta/"} {
		app := "POST " + checkHost + version + "projects/*/apps/*:"
		t[app+"exchangeDebugToken"] = checkRoute(h.exchangeDebug)
		t[app+"exchangeCustomToken"] = checkRoute(h.exchangeCustom)
		t["POST "+checkHost+version+"projects/*:verifyAppCheckToken"] = checkRoute(h.consume).forAdmin()
		h.checkSettingsRoutes(t, version)
		for _, name := range attested {
			t[app+name] = route{ofApp: true, run: func(context.Context, *request) (any, error) {
				return nil, fault.E(fault.Unimplemented, "%s is not implemented: only Google can verify what it attests. Use a custom provider, or let this server accept Google's tokens with --app-check-keys.", name)
			}}
		}
	}
}

// checkRoute returns the route of a method of App Check, which clients call with an API key.
func checkRoute[Q, A any](call func(context.Context, *request, *Q) (*A, error)) route {
	return route{ofApp: true, in: reflect.TypeFor[Q](), out: reflect.TypeFor[A](), run: func(ctx context.Context, r *request) (any, error) {
		var q Q
		if err := assign(reflect.ValueOf(&q).Elem(), r.body, ""); err != nil {
			return nil, err
		}
		return answered(call(ctx, r, &q))
	}}
}

// debugExchange is the request of exchangeDebugToken.
type debugExchange struct {
	DebugToken string `json:"debugToken"`
	LimitedUse bool   `json:"limitedUse"`
}

// customExchange is the request of exchangeCustomToken.
type customExchange struct {
	CustomToken string `json:"customToken"`
	LimitedUse  bool   `json:"limitedUse"`
	JTI         string `json:"jti"`
}

// checkToken is an App Check token in a response.
type checkToken struct {
	Token string `json:"token"`
	TTL   string `json:"ttl"`
}

// consumption is the request of verifyAppCheckToken.
type consumption struct {
	AppCheckToken string `json:"appCheckToken"`
}

// consumed is the response of verifyAppCheckToken.
type consumed struct {
	AlreadyConsumed bool `json:"alreadyConsumed,omitempty"`
}

// service returns the service of App Check, or an error if the server has none.
func (a AppCheck) service() (*appcheck.Service, error) {
	if a.Service == nil {
		return nil, fault.E(fault.FailedPrecondition, "App Check is not set up on this server. Start it with --app-check.")
	}
	return a.Service, nil
}

// issuing returns the service of App Check for an exchange, unless the client's network has exchanged too much.
func (h *Handler) issuing(r *request) (*appcheck.Service, error) {
	s, err := h.o.AppCheck.service()
	if err != nil || r.call.Admin {
		return s, err
	}
	address, _ := netip.ParseAddr(r.call.Address) // an invalid one shares the allowance of all such
	return s, s.Allow(address)
}

// exchangeDebug exchanges a debug token.
func (h *Handler) exchangeDebug(_ context.Context, r *request, q *debugExchange) (*checkToken, error) {
	s, err := h.issuing(r)
	if err != nil {
		return nil, err
	}
	return shownToken(s.ExchangeDebug(r.call.Project, r.args["app"], q.DebugToken, appcheck.Use{Limited: q.LimitedUse}))
}

// exchangeCustom exchanges a custom token.
func (h *Handler) exchangeCustom(ctx context.Context, r *request, q *customExchange) (*checkToken, error) {
	s, err := h.issuing(r)
	if err != nil {
		return nil, err
	}
	return shownToken(s.ExchangeCustom(ctx, r.call.Project, r.args["app"], q.CustomToken, appcheck.Use{Limited: q.LimitedUse, ID: q.JTI}))
}

// shownToken returns the response with an issued token.
func shownToken(issued *appcheck.Issued, err error) (*checkToken, error) {
	if err != nil {
		return nil, err
	}
	return &checkToken{issued.Token, fmt.Sprintf("%ds", int(issued.Life.Seconds()))}, nil
}

// consume marks a token as used.
func (h *Handler) consume(ctx context.Context, r *request, q *consumption) (*consumed, error) {
	s, err := h.o.AppCheck.service()
	if err != nil {
		return nil, err
	}
	already, err := s.Consume(ctx, r.call.Project, q.AppCheckToken)
	return &consumed{already}, err
}

// checkKeys returns the public keys of App Check tokens, or nil if there are none.
func (h *Handler) checkKeys(keys *token.Keys) any {
	set := keys.AppCheckKeySet()
	if h.o.AppCheck.Keys != nil {
		set = slices.Concat(set, h.o.AppCheck.Keys())
	}
	if len(set) == 0 {
		return nil
	}
	return map[string]any{"keys": set}
}

// checkApp decides by App Check about a call of a client. Calls that read public settings need no token: the pages of
// sign-ins make them before an app exists. Secure Token is another API, which App Check does not protect.
func (h *Handler) checkApp(req *request, host string) error {
	r := req.http
	if req.call.Admin || r.Method == http.MethodGet || host != strings.TrimSuffix(toolkit, "/") && host != "www.googleapis.com" {
		return nil
	}
	return h.o.AppCheck.Checker.Check(appcheck.Auth, req.call.Project, r.Header.Get(appcheck.Header))
}
