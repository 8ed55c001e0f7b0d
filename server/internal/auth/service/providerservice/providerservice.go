// Package providerservice serves the commands on identity providers: a server that runs makes their changes.
package providerservice

import (
	"context"
	"slices"
	"strings"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/auth/service/settings"
	"clave/server/internal/base/fault"
)

// Socket is the socket in the data folder of a server at which commands reach it, and ServiceName the name of the
// leader's service for them.
const (
	Socket      = "providers.sock"
	ServiceName = "providers"
)

// MaxRequest is the maximum size of a request, in bytes. It has room for a private key.
const MaxRequest = 1 << 16

// Request is a request about the providers of a project or tenant: to add or change one, to remove one, or without both
// to list them.
type Request struct {
	Project string `json:"project"`
	Tenant  string `json:"tenant,omitempty"`
	// Add has the fields of a configuration, in the API's form, that are added or changed for the provider ID, and
	// Remove is set to remove it.
	ID     string         `json:"id,omitempty"`
	Add    map[string]any `json:"add,omitempty"`
	Remove bool           `json:"remove,omitempty"`
}

// Response lists the providers of the project and its tenants. Changed is set if a configuration existed before it was
// added.
type Response struct {
	Changed bool `json:"changed,omitempty"`
	// Config is the configuration that was added or changed, without secrets.
	Config    map[string]any              `json:"config,omitempty"`
	Providers []service.ExportedIdpConfig `json:"providers,omitempty"`
}

// Service serves requests about providers.
type Service struct{ service *service.Service }

// New returns the service on accounts.
func New(s *service.Service) *Service { return &Service{s} }

// named are the providers that have a name of their own, by its short form.
var named = map[string]string{"google": "google.com", "apple": "apple.com", "microsoft": "microsoft.com", "github": "github.com", "facebook": "facebook.com"}

// ID returns the id of a provider that a command names: google is google.com, and oidc.NAME, oauth.NAME and
// saml.NAME stay.
func ID(name string) (string, error) {
	name = strings.ToLower(name)
	if id := named[name]; id != "" {
		return id, nil
	}
	for _, id := range named {
		if name == id {
			return id, nil
		}
	}
	if idp.ValidID(idp.OIDC, name) || idp.ValidID(idp.SAML, name) || idp.IsOAuth(name) && idp.ValidID(idp.Default, name) {
		return name, nil
	}
	return "", fault.E(fault.InvalidArgument, "%q is no provider that Clave signs in with: name google, apple, microsoft, github, facebook, or oidc.NAME, oauth.NAME or saml.NAME for another one of OpenID Connect, OAuth 2 or SAML", name)
}

// kindOf returns the kind of a provider's configuration.
func kindOf(id string) string {
	switch {
	case strings.HasPrefix(id, "oidc."):
		return idp.OIDC
	case strings.HasPrefix(id, "saml."):
		return idp.SAML
	}
	return idp.Default
}

// Serve serves a request.
func (s *Service) Serve(ctx context.Context, in Request) (*Response, error) {
	if own := s.service.Project(); in.Project != own {
		return nil, fault.E(fault.FailedPrecondition, "the server's project is %s, not %s", own, in.Project)
	}
	call := service.Call{Project: in.Project, Tenant: in.Tenant, Admin: true}
	request := &service.IdpConfigRequest{Kind: kindOf(in.ID), ID: in.ID, Body: in.Add}
	out := new(Response)
	var err error
	switch {
	case in.Remove:
		_, err = s.service.DeleteIdpConfig(ctx, call, request)
	case in.Add != nil:
		out.Config, out.Changed, err = s.add(ctx, call, request)
	default:
		out.Providers, err = s.service.ExportIdpConfigs(ctx, call)
		if in.Tenant != "" {
			out.Providers = slices.DeleteFunc(out.Providers, func(p service.ExportedIdpConfig) bool { return p.Tenant != in.Tenant })
		}
	}
	switch {
	case fault.Is(err, fault.NotFound):
		err = fault.E(fault.NotFound, "%s has no provider %s", in.Project, in.ID)
	case err != nil && apierror.Text(err) == "MISSING_OAUTH_CLIENT_SECRET":
		err = fault.Wrap(err, fault.InvalidArgument, "give the client's secret, which the provider shows, with --client-secret-file")
	case err != nil && strings.HasPrefix(apierror.Text(err), "OPERATION_NOT_ALLOWED : "):
		_, text, _ := strings.Cut(apierror.Text(err), " : ")
		err = fault.Wrap(err, fault.FailedPrecondition, "%s", text)
	}
	return out, err
}

// add adds a provider, or changes the given fields of one. It returns the configuration, and reports whether there was
// one.
func (s *Service) add(ctx context.Context, call service.Call, request *service.IdpConfigRequest) (config map[string]any, changed bool, err error) {
	whole, err := s.service.GetIdpConfig(ctx, call, request)
	changed = err == nil
	switch {
	case changed:
		settings.Merge(whole, request.Body)
	case fault.Is(err, fault.NotFound):
		whole = request.Body
	default:
		return nil, false, err
	}
	if err := check(request.Kind, request.ID, whole); err != nil {
		return nil, false, err
	}
	if changed {
		config, err = s.service.UpdateIdpConfig(ctx, call, request)
	} else {
		config, err = s.service.CreateIdpConfig(ctx, call, request)
	}
	return config, changed, err
}

// check refuses a configuration that could not be used, and says which flag is missing.
func check(kind, id string, whole map[string]any) error {
	if kind == idp.SAML {
		return checkSAML(whole)
	}
	if id, _ := whole["clientId"].(string); id == "" {
		return fault.E(fault.InvalidArgument, "give the client's id, which the provider shows, with --client-id")
	}
	if issuer, _ := whole["issuer"].(string); issuer == "" && kind == idp.OIDC {
		return fault.E(fault.InvalidArgument, "give the address of %s with --issuer, such as https://login.example.org", id)
	}
	if idp.IsOAuth(id) {
		return checkOAuth(whole)
	}
	return nil
}

// checkOAuth refuses the configuration of a generic provider of OAuth 2 that lacks an address, and says which flag is
// missing. The secret is stored already, or checked when it is stored.
func checkOAuth(body map[string]any) error {
	of, _ := body["oauthConfig"].(map[string]any)
	return require([]required{{of, "authorizationUrl", "--authorization-url"}, {of, "tokenUrl", "--token-url"}, {of, "userInfoUrl", "--user-info-url"}})
}

// required is a field of a configuration that must not be empty, with the flag that sets it.
type required struct {
	in         map[string]any
	name, flag string
}

// require returns an error for the first field that is empty.
func require(fields []required) error {
	for _, field := range fields {
		if text, _ := field.in[field.name].(string); text == "" {
			return fault.E(fault.InvalidArgument, "give the %s with %s", field.name, field.flag)
		}
	}
	return nil
}

// checkSAML refuses the configuration of a SAML provider that could not be used, and says which flag is missing.
func checkSAML(body map[string]any) error {
	provider, _ := body["idpConfig"].(map[string]any)
	own, _ := body["spConfig"].(map[string]any)
	if err := require([]required{{provider, "idpEntityId", "--idp-entity-id"}, {provider, "ssoUrl", "--sso-url"}, {own, "spEntityId", "--sp-entity-id"}}); err != nil {
		return err
	}
	page, _ := provider["ssoUrl"].(string)
	if err := idp.CheckPage(page); err != nil {
		return fault.Wrap(err, fault.InvalidArgument, "--sso-url: %v", err)
	}
	certificates, _ := provider["idpCertificates"].([]any)
	if len(certificates) == 0 {
		return fault.E(fault.InvalidArgument, "give the certificate of the provider's key with --certificate-file")
	}
	for _, one := range certificates {
		of, _ := one.(map[string]any)
		text, _ := of["x509Certificate"].(string)
		if _, err := idp.Certificate(text); err != nil {
			return fault.Wrap(err, fault.InvalidArgument, "--certificate-file: %v", err)
		}
	}
	return nil
}
