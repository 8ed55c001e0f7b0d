package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/crewjam/saml"
	dsig "github.com/russellhaering/goxmldsig"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/base/randid"
)

// The maximum size of a SAML response in base64, in bytes, and the maximum number of its tags: what the verification of
// a signature costs grows with them.
const (
	longestSAMLResponse = 256 << 10
	maxSAMLTags         = 5000
)

// samlConfig is the part of a SAML provider's stored configuration that has an effect, in the API's form.
type samlConfig struct {
	id      string
	at      idp.Place
	Enabled bool `json:"enabled"`
	IDP     struct {
		EntityID     string `json:"idpEntityId"`
		SSOURL       string `json:"ssoUrl"`
		SignRequest  bool   `json:"signRequest"`
		Certificates []struct {
			PEM string `json:"x509Certificate"`
		} `json:"idpCertificates"`
	} `json:"idpConfig"`
	SP struct {
		EntityID    string `json:"spEntityId"`
		CallbackURI string `json:"callbackUri"`
		// Key is that of signed requests, and Certificates has its certificate.
		Key          idp.Secret `json:"privateKey"`
		Certificates []struct {
			PEM string `json:"x509Certificate"`
		} `json:"spCertificates"`
	} `json:"spConfig"`
	// EmailDomains are the domains whose addresses the provider proves; empty for all, as in Firebase. The field is not in
	// Firebase's API.
	EmailDomains []string `json:"emailDomains"`
}

// isSAML reports whether an id is that of a SAML provider.
func isSAML(id string) bool { return strings.HasPrefix(id, "saml.") }

// samlConfig returns the configuration of a SAML provider that is enabled for a project or tenant.
func (p *Providers) samlConfig(scope account.Scope, id string) (*samlConfig, error) {
	cfg := &samlConfig{}
	found, err := p.o.Accounts.Load(scope, idp.SAML, id, cfg)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, apierror.New("OPERATION_NOT_ALLOWED : The identity provider configuration is not found.")
	case !cfg.Enabled:
		return nil, apierror.New("OPERATION_NOT_ALLOWED : The identity provider configuration is disabled.")
	}
	cfg.id, cfg.at = id, idp.Place{Scope: scope, Kind: idp.SAML, ID: id}
	return cfg, nil
}

// serviceProvider returns the side of a SAML sign-in that is ours. acs is the address that receives the response.
func (p *Providers) serviceProvider(cfg *samlConfig, acs string) (*saml.ServiceProvider, error) {
	certificates := make([]saml.X509Certificate, 0, len(cfg.IDP.Certificates))
	for _, one := range cfg.IDP.Certificates {
		parsed, err := idp.Certificate(one.PEM)
		if err != nil {
			return nil, err
		}
		certificates = append(certificates, saml.X509Certificate{Data: base64.StdEncoding.EncodeToString(parsed.Raw)})
	}
	at, err := url.Parse(acs)
	switch {
	case err != nil:
		return nil, err
	case len(certificates) == 0 || cfg.IDP.EntityID == "" || cfg.SP.EntityID == "":
		return nil, errors.New("the configuration lacks idpEntityId, idpCertificates or spEntityId")
	}
	signing := saml.KeyDescriptor{Use: "signing", KeyInfo: saml.KeyInfo{X509Data: saml.X509Data{X509Certificates: certificates}}}
	role := saml.RoleDescriptor{KeyDescriptors: []saml.KeyDescriptor{signing}}
	return &saml.ServiceProvider{
		EntityID: cfg.SP.EntityID, AcsURL: *at, AuthnNameIDFormat: saml.UnspecifiedNameIDFormat,
		IDPMetadata:          &saml.EntityDescriptor{EntityID: cfg.IDP.EntityID, IDPSSODescriptors: []saml.IDPSSODescriptor{{SSODescriptor: saml.SSODescriptor{RoleDescriptor: role}}}},
		RejectSHA1Signatures: true, RejectUnknownConditions: true, Clock: dsig.NewFakeClockAt(p.o.Clock.Now()),
	}, nil
}

// sign lets a service provider sign its requests, if the configuration says so. Otherwise they are not signed:
// everything that they ask for is in the provider's own configuration of this server.
func (p *Providers) sign(cfg *samlConfig, sp *saml.ServiceProvider) error {
	if !cfg.IDP.SignRequest {
		return nil
	}
	text, err := cfg.SP.Key.Open(p.o.Secrets, cfg.at, idp.SigningKey...)
	switch {
	case err != nil:
		return err
	case text == "" || len(cfg.SP.Certificates) == 0:
		return errors.New("the configuration has signRequest and no key; store it again")
	}
	key, err := idp.ParseSigningKey(text)
	if err != nil {
		return err
	}
	certificate, err := idp.Certificate(cfg.SP.Certificates[0].PEM)
	if err != nil {
		return err
	}
	sp.Key, sp.Certificate, sp.SignatureMethod = key, certificate, dsig.RSASHA256SignatureMethod
	return nil
}

// beginSAML begins a sign-in at a SAML provider. Its request is in the address of the provider's page.
func (p *Providers) beginSAML(ctx context.Context, scope account.Scope, start *idp.Start) (*idp.Started, error) {
	cfg, err := p.samlConfig(scope, start.ProviderID)
	if err != nil {
		return nil, err
	}
	acs := start.ContinueURI
	if callback := cfg.SP.CallbackURI; callback != "" {
		if !sameOrigin(callback, acs) {
			return nil, apierror.New("INVALID_CONTINUE_URI : The callbackUri of the SAML provider is not at the host of the continueUri.")
		}
		acs = callback
	}
	sp, err := p.serviceProvider(cfg, acs)
	if err == nil {
		err = cmp.Or(idp.CheckPage(cfg.IDP.SSOURL), p.sign(cfg, sp))
	}
	if err != nil {
		return nil, p.unusableSAML(cfg, err)
	}
	request, err := sp.MakeAuthenticationRequest(cfg.IDP.SSOURL, saml.HTTPRedirectBinding, saml.HTTPPostBinding)
	if err != nil {
		return nil, err
	}
	state, session, open := p.newOpen(cfg.id, scope, start)
	open.Redirect, open.Request = acs, request.ID
	to, err := request.Redirect(state, sp)
	if err != nil {
		return nil, err
	}
	return &idp.Started{AuthURI: to.String(), SessionID: session}, p.save(ctx, scope, state, open)
}

// unusableSAML logs why the configuration of a SAML provider cannot be used, and returns the error for the client.
func (p *Providers) unusableSAML(cfg *samlConfig, err error) error {
	p.o.Log.Error("an identity provider cannot be used", "provider", cfg.id, "error", err)
	return apierror.New("OPERATION_NOT_ALLOWED : The configuration of the SAML provider is not valid. An administrator must correct it.")
}

// sameOrigin reports whether two addresses have the same scheme and host.
func sameOrigin(a, b string) bool {
	first, err := url.Parse(a)
	second, problem := url.Parse(b)
	return err == nil && problem == nil && first.Scheme == second.Scheme && strings.EqualFold(first.Host, second.Host)
}

// sentTo reports whether a form was posted to an address. The query is a part of both, because the provider's fields
// are in the form; browsers do not send the fragment.
func sentTo(at *url.URL, address string) bool {
	want, err := url.Parse(address)
	if err != nil {
		return false
	}
	bare := *at
	for _, u := range []*url.URL{&bare, want} {
		u.Fragment, u.RawFragment, u.ForceQuery = "", "", false
	}
	return bare.String() == want.String()
}

// samlResponse verifies a SAML provider's response to an open sign-in. The sign-in ends, whatever the response is.
func (p *Providers) samlResponse(ctx context.Context, scope account.Scope, a *answer) (*idp.Assertion, error) {
	state, response := a.fields["RelayState"], a.fields["SAMLResponse"]
	switch {
	case len(response) != 1 || len(response[0]) > longestSAMLResponse:
		return nil, invalid(fmt.Sprintf("The SAMLResponse is longer than %d bytes or is not the only one.", longestSAMLResponse))
	case len(state) != 1 || state[0] == "":
		return nil, invalid("The SAMLResponse has no RelayState: sign-ins that begin at the provider are not supported.")
	}
	open, err := p.take(ctx, scope, state[0], a.session)
	if err != nil {
		return nil, err
	}
	switch {
	case open.Request == "" || a.provider != "" && a.provider != open.Provider:
		return nil, invalid("The response is not for the provider of the request.")
	case !sentTo(a.uri, open.Redirect):
		return nil, invalid("The response was not sent to the address of the sign-in.")
	}
	cfg, err := p.samlConfig(scope, open.Provider)
	if err != nil {
		return nil, err
	}
	sp, err := p.serviceProvider(cfg, open.Redirect)
	if err != nil {
		return nil, p.unusableSAML(cfg, err)
	}
	text, err := base64.StdEncoding.DecodeString(response[0])
	// Comments, CDATA and document types, which all begin with these characters, are not needed in responses, and are
	// what attacks on parsers of XML use.
	if err != nil || bytes.Contains(text, []byte("<!")) || bytes.Count(text, []byte("<")) > maxSAMLTags {
		return nil, invalid("The SAMLResponse is not valid XML without comments, CDATA and document type, or has too many elements.")
	}
	asserted, err := sp.ParseXMLResponse(text, []string{open.Request}, sp.AcsURL)
	if err != nil {
		reason := refusedSAML(err)
		p.o.Log.Info("a response of a SAML provider was refused", "provider", cfg.id, "reason", reason)
		return nil, invalid(reason)
	}
	return samlAssertion(cfg, asserted)
}

// samlRefusals has what clients learn about refused responses. The library's own texts may contain parts of a response.
var samlRefusals = []struct {
	err    error
	reason string
}{
	{saml.ErrUntrustedCertificate, "The SAMLResponse is signed with a certificate that is not one of the provider."},
	{saml.ErrCertificateNotValidNow, "The SAMLResponse is signed with a certificate that is not valid now."},
	{saml.ErrInvalidSignature, "The signature of the SAMLResponse is not valid."},
	{saml.ErrExpired, "The SAMLResponse has expired."},
	{saml.ErrNotYetValid, "The SAMLResponse is not valid yet."},
	{saml.ErrIssuerMismatch, "The SAMLResponse is of another issuer."},
	{saml.ErrDestinationMismatch, "The SAMLResponse is for another recipient."},
	{saml.ErrAudienceMismatch, "The SAMLResponse is for another audience."},
	{saml.ErrRequestIDMismatch, "The SAMLResponse answers another request."},
	{saml.ErrDecryptionFailed, "The SAMLResponse has encrypted parts, which are not supported."},
	{saml.ErrMissingElement, "The SAMLResponse lacks a part."},
}

// refusedSAML returns why a response was refused.
func refusedSAML(err error) string {
	var refused *saml.InvalidResponseError
	if errors.As(err, &refused) {
		err = refused.PrivateErr
	}
	var status saml.ErrBadStatus
	if errors.As(err, &status) {
		return "The provider refused the sign-in."
	}
	for _, known := range samlRefusals {
		if errors.Is(err, known.err) {
			return known.reason
		}
	}
	return "The SAMLResponse is not a signed one of the provider."
}

// samlAssertion returns what a verified assertion of a SAML provider asserts. As in Firebase, the user's id is the
// NameID, which is also the address if it has the form of one, and the attributes become claims of ID tokens.
func samlAssertion(cfg *samlConfig, asserted *saml.Assertion) (*idp.Assertion, error) {
	const longest = 512
	name := asserted.Subject.NameID
	if name == nil || name.Format == string(saml.TransientNameIDFormat) {
		return nil, invalid("The SAMLResponse has no lasting NameID, the id of the user.")
	}
	subject := strings.TrimSpace(name.Value)
	if subject == "" || len(subject) > longest || !field.ValidProvider(cfg.id, subject) {
		return nil, invalid("The SAMLResponse has no valid NameID, the id of the user.")
	}
	attributes := samlAttributes(asserted)
	if tooLarge(attributes) {
		return nil, invalid(fmt.Sprintf("The attributes of the SAMLResponse are longer than %d bytes.", longestClaims))
	}
	a := &idp.Assertion{Source: cfg.source(), Claims: attributes, Attributes: attributes, Provider: account.Provider{ProviderID: cfg.id, RawID: subject}}
	if email, ok := field.Email(subject); ok {
		a.Provider.Email, a.Address = email, subject
		a.Verified = cfg.proves(email)
	}
	return a, nil
}

// source is the provider's part of idp.Assertion.Source.
func (c *samlConfig) source() string { return randid.Digest(c.IDP.EntityID + "\x00" + c.SP.EntityID) }

// proves reports whether the provider proves that an address is the user's.
func (c *samlConfig) proves(email string) bool {
	_, domain, _ := strings.Cut(email, "@")
	is := func(one string) bool { return strings.EqualFold(one, domain) }
	return len(c.EmailDomains) == 0 || slices.ContainsFunc(c.EmailDomains, is)
}

// samlAttributes returns the attributes of an assertion: a text for one value, a list for several.
func samlAttributes(asserted *saml.Assertion) map[string]any {
	out := make(map[string]any)
	for _, statement := range asserted.AttributeStatements {
		for _, attribute := range statement.Attributes {
			for _, value := range attribute.Values {
				text := strings.TrimSpace(value.Value)
				switch old := out[attribute.Name].(type) {
				case nil:
					out[attribute.Name] = text
				case []any:
					out[attribute.Name] = append(old, text)
				default:
					out[attribute.Name] = []any{old, text}
				}
			}
		}
	}
	return out
}
