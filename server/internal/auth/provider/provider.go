package provider

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/secret"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/randid"
)

// timeLimit is the time within which a provider must have answered everything that one sign-in needs.
const timeLimit = 10 * time.Second

// Options configure Providers.
type Options struct {
	// Accounts holds the configurations of providers and the open sign-ins.
	Accounts *account.Store
	// Secrets opens the secrets of configurations; nil opens none that are sealed.
	Secrets *secret.Keys
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Issuers replaces the issuers of google.com, apple.com and microsoft.com, and the sites of github.com and
	// facebook.com.
	Issuers map[string]string
	// TimeLimit limits the time of a provider's answers; zero means ten seconds.
	TimeLimit time.Duration
	// Log logs why a provider could not be used; nil logs nothing.
	Log *slog.Logger
}

// Providers are the identity providers of all projects. They implement service.IdentityProviders and are safe for
// concurrent use.
type Providers struct {
	o      Options
	client *http.Client
	// finding holds the discoveries in progress, by issuer.
	finding singleflight.Group
	found   struct {
		sync.Mutex
		issuers map[string]*issuer
	}
}

// New returns Providers.
func New(o Options) *Providers {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	o.TimeLimit = cmp.Or(o.TimeLimit, timeLimit)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	p := &Providers{o: o, client: newClient(o.TimeLimit)}
	p.found.issuers = make(map[string]*issuer)
	return p
}

// Close closes the connections to providers.
func (p *Providers) Close() error {
	p.client.CloseIdleConnections()
	return nil
}

// invalid returns the error for a response or a credential that does not prove who the user is.
func invalid(reason string) error { return apierror.New("INVALID_IDP_RESPONSE : %s", reason) }

// unreachable logs why a provider could not be used, and returns the error for the client.
func (p *Providers) unreachable(cfg *config, err error) error {
	p.o.Log.Warn("an identity provider could not be used", "provider", cfg.id, "error", err)
	return invalid("Error connecting to the given credential's issuer.")
}

// Begin implements service.IdentityProviders: it stores an open sign-in and returns the address of the provider's
// page.
func (p *Providers) Begin(ctx context.Context, scope account.Scope, start idp.Start) (*idp.Started, error) {
	ctx, cancel := context.WithTimeout(ctx, p.o.TimeLimit)
	defer cancel()
	if isSAML(start.ProviderID) {
		return p.beginSAML(ctx, scope, &start)
	}
	cfg, err := p.config(scope, start.ProviderID)
	if err != nil {
		return nil, err
	}
	at, err := p.discover(ctx, cfg)
	if err != nil {
		return nil, p.unreachable(cfg, err)
	}
	state, session, open := p.newOpen(cfg.id, scope, &start)
	open.Nonce = randid.Secret(secretSize)
	// Parameters of the page may select an account or a language, but not what the sign-in depends on.
	var parameters []oauth2.AuthCodeOption
	set := func(name, value string) { parameters = append(parameters, oauth2.SetAuthURLParam(name, value)) }
	for name, value := range start.Parameters {
		if !reserved[name] {
			set(name, value)
		}
	}
	if cfg.plain == nil {
		set("nonce", hashed(open.Nonce))
	}
	if cfg.byCode() {
		open.Verifier = oauth2.GenerateVerifier()
		parameters = append(parameters, oauth2.S256ChallengeOption(open.Verifier))
	} else {
		set("response_type", "id_token")
	}
	if cfg.id == apple {
		set("response_mode", "form_post") // Apple requires it for the user's name and address.
	}
	client := cfg.client(at, start.ContinueURI, scopesOf(cfg, start.Scopes))
	if err := p.save(ctx, scope, state, open); err != nil {
		return nil, err
	}
	return &idp.Started{AuthURI: client.AuthCodeURL(state, parameters...), SessionID: session}, nil
}

// reserved has the parameters of a provider's page that no client may set.
var reserved = map[string]bool{
	"client_id": true, "redirect_uri": true, "response_type": true, "response_mode": true, "scope": true, "state": true, "nonce": true,
	"code_challenge": true, "code_challenge_method": true, "client_secret": true, "request": true, "request_uri": true,
}

// scopesOf returns the scopes of a sign-in: those that identify the user, and the further ones that the client wants.
func scopesOf(cfg *config, wanted []string) []string {
	scopes := []string{"openid", "email", "profile"}
	switch {
	case cfg.plain != nil:
		scopes = slices.Clone(cfg.plain.scopes)
	case cfg.id == apple:
		scopes = []string{"openid", "email", "name"}
	}
	for _, s := range wanted {
		if !strings.Contains(" "+strings.Join(scopes, " ")+" ", " "+s+" ") {
			scopes = append(scopes, s)
		}
	}
	return scopes
}

// Verify implements service.IdentityProviders. A credential with a state is a provider's response to an open sign-in;
// any other one is a token that an app got from the provider itself.
func (p *Providers) Verify(ctx context.Context, scope account.Scope, c idp.Credential) (*idp.Assertion, error) {
	ctx, cancel := context.WithTimeout(ctx, p.o.TimeLimit)
	defer cancel()
	given, err := url.ParseQuery(c.PostBody)
	if err != nil {
		return nil, apierror.New("INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid postBody.")
	}
	// A credential in the request has precedence. SDKs send one or the other.
	if c.PendingToken != "" && !slices.ContainsFunc(credentialFields, given.Has) {
		return p.kept(ctx, scope, c.PendingToken, given)
	}
	uri, err := url.Parse(c.RequestURI)
	if err != nil || uri.Scheme == "" {
		return nil, apierror.New("INVALID_REQUEST_URI")
	}
	if given.Has("SAMLResponse") {
		return p.samlResponse(ctx, scope, &answer{uri: uri, fields: given, provider: given.Get("providerId"), session: c.SessionID})
	}
	if response := responseOf(uri, given); response != nil {
		return p.respond(ctx, scope, &answer{uri: uri, fields: response, provider: given.Get("providerId"), session: c.SessionID})
	}
	return p.native(ctx, scope, given)
}

// credentialFields are the fields of forms that are a credential or a provider's response.
var credentialFields = []string{"id_token", "access_token", "code", "state", "SAMLResponse"}

// responseOf returns the fields of a provider's response, or nil if there is none. A provider answers in one place: a
// form, the query or the fragment of the address. Fields are never merged from several.
func responseOf(uri *url.URL, form url.Values) url.Values {
	fragment, err := url.ParseQuery(uri.Fragment)
	if err != nil {
		fragment = nil
	}
	for _, fields := range []url.Values{form, uri.Query(), fragment} {
		if fields.Get("state") != "" {
			return fields
		}
	}
	return nil
}

// answer is a provider's response to an open sign-in, as the client presents it.
type answer struct {
	uri               *url.URL
	fields            url.Values
	provider, session string
}

// withoutFields returns the address to which a provider sent its response, without the fields of the response.
func withoutFields(uri *url.URL) string {
	bare := *uri
	bare.RawQuery, bare.Fragment, bare.RawFragment, bare.ForceQuery = "", "", "", false
	return bare.String()
}

// respond verifies a provider's response to an open sign-in. The sign-in ends, whatever the response is.
func (p *Providers) respond(ctx context.Context, scope account.Scope, a *answer) (*idp.Assertion, error) {
	open, err := p.take(ctx, scope, a.fields.Get("state"), a.session)
	if err != nil {
		return nil, err
	}
	switch {
	case open.Request != "" || a.provider != "" && a.provider != open.Provider:
		return nil, invalid("The response is not for the provider of the request.")
	case withoutFields(a.uri) != open.Redirect:
		return nil, invalid("The response was not sent to the address of the sign-in.")
	}
	cfg, err := p.config(scope, open.Provider)
	if err != nil {
		return nil, err
	}
	if a.fields.Get("error") != "" {
		return nil, invalid("The provider refused the sign-in.")
	}
	at, err := p.discover(ctx, cfg)
	if err != nil {
		return nil, p.unreachable(cfg, err)
	}
	// RFC 9207: the issuer of the response shows that another provider has not sent it.
	if iss := a.fields.Get("iss"); iss != "" && cfg.id != microsoft && cfg.plain == nil && iss != at.name {
		return nil, invalid("The response is of another issuer.")
	}
	if cfg.plain != nil {
		return p.plainResponse(ctx, cfg, at, open, a.fields.Get("code"))
	}
	return p.identify(ctx, cfg, at, open, a.fields)
}

// longestToken is the maximum length of an access token that an app presents and of a refresh token that a provider
// gives, in bytes.
const longestToken = 8 << 10

// accessToken returns whose access token an app presents, if the provider says to which app it issued the token.
// Otherwise another app could sign its users in here.
func (p *Providers) accessToken(ctx context.Context, cfg *config, access string) (*idp.Assertion, error) {
	unusual := func(c rune) bool { return c <= ' ' || c >= 0x7f }
	if len(access) > longestToken || strings.ContainsFunc(access, unusual) {
		return nil, notIssued()
	}
	switch {
	case cfg.plain != nil:
		return cfg.plain.presented(p, ctx, cfg, access)
	case cfg.id == google:
		return p.googleToken(ctx, cfg, access)
	default:
		return nil, invalid("An access_token without id_token does not show for which app it was issued.")
	}
}

// native verifies an ID token that an app got from the provider itself.
func (p *Providers) native(ctx context.Context, scope account.Scope, given url.Values) (*idp.Assertion, error) {
	id := given.Get("providerId")
	if id == "" {
		return nil, apierror.New("INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential: the provider's id is missing.")
	}
	cfg, err := p.config(scope, id)
	if err != nil {
		return nil, err
	}
	raw := given.Get("id_token")
	if raw == "" || cfg.plain != nil {
		if access := given.Get("access_token"); access != "" {
			return p.accessToken(ctx, cfg, access)
		}
		return nil, apierror.New("INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential: providerId=%s", id)
	}
	at, err := p.discover(ctx, cfg)
	if err != nil {
		return nil, p.unreachable(cfg, err)
	}
	t, err := p.verify(ctx, cfg, at, raw, cfg.clients())
	if err != nil {
		return nil, err
	}
	nonce := given.Get("nonce")
	switch {
	case t.Nonce != "" && nonce == "":
		return nil, apierror.New("MISSING_OR_INVALID_NONCE : Nonce is missing in the request.")
	case nonce != "" && !sameText(t.Nonce, hashed(nonce)):
		return nil, apierror.New("MISSING_OR_INVALID_NONCE : The SHA-256 hash of the nonce is not that of the id_token.")
	}
	access := given.Get("access_token")
	if access != "" && (t.AccessTokenHash == "" || t.VerifyAccessToken(access) != nil) {
		access = "" // Only the ID token is proven. The client has the other one anyway.
	}
	a, err := assertion(cfg, t.claims)
	if err != nil {
		return nil, err
	}
	a.IDToken, a.AccessToken, a.Nonce = raw, access, nonce
	return a, nil
}
