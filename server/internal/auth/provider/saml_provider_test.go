package provider_test

import (
	"bytes"
	"compress/flate"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"encoding/xml"
	"fmt"
	"io"
	"math/big"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"

	"clave/server/internal/auth/provider"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/idp"
)

// The ids of the SAML provider and of Clave as its client, and the provider's page.
const (
	samlIssuer   = "https://idp.example/metadata"
	samlAudience = "https://app.example"
	samlPage     = "https://idp.example/sso?app=7"
)

// signer is a key with its certificate.
type signer struct {
	tls.Certificate
	pem string
}

// newSigner creates a signer with a certificate of a period.
func newSigner(from, until time.Time) *signer {
	const bits = 2048
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "idp"}, NotBefore: from, NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	return &signer{tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))}
}

// The signers of all tests: that of the provider, another one, and one whose certificate has expired.
var (
	theSigner = sync.OnceValue(func() *signer { return newSigner(time.Now().Add(-time.Hour), time.Now().Add(240*time.Hour)) })
	another   = sync.OnceValue(func() *signer { return newSigner(time.Now().Add(-time.Hour), time.Now().Add(240*time.Hour)) })
	outdated  = sync.OnceValue(func() *signer { return newSigner(time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour)) })
)

// sign adds the signature of an element, after its issuer.
func (s *signer) sign(el *etree.Element, method string) *etree.Element {
	ctx := dsig.NewDefaultSigningContext(dsig.TLSCertKeyStore(s.Certificate))
	ctx.Canonicalizer = dsig.MakeC14N10ExclusiveCanonicalizerWithPrefixList("")
	if err := ctx.SetSignatureMethod(method); err != nil {
		panic(err)
	}
	signature, err := ctx.ConstructSignature(el, true)
	if err != nil {
		panic(err)
	}
	el.InsertChildAt(el.SelectElement("Issuer").Index()+1, signature)
	return el
}

// samlReply is a response of the SAML provider. Tests change its parts.
type samlReply struct {
	// Request is the id of the request that the response and the assertion answer.
	Request, AssertionRequest                string
	Issuer, Audience, Recipient, Destination string
	// NameID and Attributes are XML.
	NameID, Format, Attributes      string
	Status                          string
	Issued, Assertion, From, Until  time.Time
	ResponseID, AssertionID         string
	WithoutAuthn, WithoutAudience   bool
	responseSigner, assertionSigner *signer
	method                          string
	// change changes the signed response.
	change func(response *etree.Element)
}

// xmlTime returns the form of a time in XML.
func xmlTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// assertion returns the assertion without a signature.
func (r *samlReply) assertion() *etree.Element {
	audience := fmt.Sprintf(`<saml:AudienceRestriction><saml:Audience>%s</saml:Audience></saml:AudienceRestriction>`, r.Audience)
	if r.WithoutAudience {
		audience = ""
	}
	authn := fmt.Sprintf(`<saml:AuthnStatement AuthnInstant="%s"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`, xmlTime(r.Assertion))
	if r.WithoutAuthn {
		authn = ""
	}
	return element(fmt.Sprintf(`<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" Version="2.0" ID="%s" IssueInstant="%s">`+
		`<saml:Issuer>%s</saml:Issuer><saml:Subject><saml:NameID Format="%s">%s</saml:NameID>`+
		`<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData InResponseTo="%s" Recipient="%s" NotOnOrAfter="%s"/></saml:SubjectConfirmation></saml:Subject>`+
		`<saml:Conditions NotBefore="%s" NotOnOrAfter="%s">%s</saml:Conditions>%s<saml:AttributeStatement>%s</saml:AttributeStatement></saml:Assertion>`,
		r.AssertionID, xmlTime(r.Assertion), r.Issuer, r.Format, r.NameID, r.AssertionRequest, r.Recipient, xmlTime(r.Until), xmlTime(r.From), xmlTime(r.Until), audience, authn, r.Attributes))
}

// response returns the response as XML.
func (r *samlReply) response() string {
	assertion := r.assertion()
	if r.assertionSigner != nil {
		r.assertionSigner.sign(assertion, r.method)
	}
	response := element(fmt.Sprintf(`<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" Version="2.0" ID="%s" IssueInstant="%s" Destination="%s" InResponseTo="%s">`+
		`<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">%s</saml:Issuer><samlp:Status><samlp:StatusCode Value="%s"/></samlp:Status></samlp:Response>`,
		r.ResponseID, xmlTime(r.Issued), r.Destination, r.Request, r.Issuer, r.Status))
	response.AddChild(assertion)
	if r.responseSigner != nil {
		r.responseSigner.sign(response, r.method)
	}
	if r.change != nil {
		r.change(response)
	}
	return text(response)
}

// element parses XML.
func element(text string) *etree.Element {
	doc := etree.NewDocument()
	if err := doc.ReadFromString(text); err != nil {
		panic(err)
	}
	return doc.Root()
}

// text returns an element as XML.
func text(el *etree.Element) string {
	doc := etree.NewDocument()
	doc.SetRoot(el.Copy())
	s, err := doc.WriteToString()
	if err != nil {
		panic(err)
	}
	return s
}

// samlStart is a sign-in that began at a SAML provider.
type samlStart struct {
	request, state, session, acs string
}

// samlConfigOf returns a configuration with a certificate.
func samlConfigOf(certificate string) map[string]any {
	return map[string]any{
		"enabled":   true,
		"idpConfig": map[string]any{"idpEntityId": samlIssuer, "ssoUrl": samlPage, "idpCertificates": []any{map[string]any{"x509Certificate": certificate}}},
		"spConfig":  map[string]any{"spEntityId": samlAudience},
	}
}

// openSAML starts a server with the provider saml.corp.
func openSAML(t *testing.T) *fixture {
	t.Helper()
	return openSAMLWith(t, func(*service.Options) {})
}

// openSAMLWith starts a server with further options and the provider saml.corp.
func openSAMLWith(t *testing.T, more func(*service.Options)) *fixture {
	t.Helper()
	f := openService(t, func(*provider.Options) {}, more)
	f.configureSAML(admin, "saml.corp", samlConfigOf(theSigner().pem))
	return f
}

// configureSAML stores the configuration of a SAML provider.
func (f *fixture) configureSAML(c service.Call, id string, body map[string]any) {
	f.t.Helper()
	if _, err := f.CreateIdpConfig(f.t.Context(), c, &service.IdpConfigRequest{Kind: idp.SAML, ID: id, Body: body}); err != nil {
		f.t.Fatal(err)
	}
}

// beginSAML begins a sign-in at a SAML provider and reads the request.
func (f *fixture) beginSAML(c service.Call, id string) *samlStart {
	f.t.Helper()
	back := redirect
	begun, err := f.CreateAuthURI(f.t.Context(), c, &service.AuthURIRequest{ProviderID: &id, ContinueURI: &back})
	if err != nil {
		f.t.Fatal(err)
	}
	to, err := url.Parse(begun.AuthURI)
	if err != nil || to.Host != "idp.example" || to.Query().Get("app") != "7" {
		f.t.Fatalf("the provider's page is %s, %v", begun.AuthURI, err)
	}
	packed, err := base64.StdEncoding.DecodeString(to.Query().Get("SAMLRequest"))
	if err != nil {
		f.t.Fatal(err)
	}
	plain, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		f.t.Fatal(err)
	}
	var request struct {
		ID     string `xml:",attr"`
		ACS    string `xml:"AssertionConsumerServiceURL,attr"`
		Issuer string
	}
	if err := xml.Unmarshal(plain, &request); err != nil || request.ID == "" || request.Issuer != samlAudience {
		f.t.Fatalf("the request is %s, %v", plain, err)
	}
	return &samlStart{request.ID, to.Query().Get("RelayState"), begun.SessionID, request.ACS}
}

// reply returns the provider's valid response to a sign-in. Its assertion is signed.
func (f *fixture) reply(s *samlStart) *samlReply {
	now, acs := f.clock.Now(), strings.ReplaceAll(s.acs, "&", "&amp;")
	return &samlReply{
		Request: s.request, AssertionRequest: s.request, Issuer: samlIssuer, Audience: samlAudience, Recipient: acs, Destination: acs,
		NameID: "Ann@Corp.example", Format: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress", Status: "urn:oasis:names:tc:SAML:2.0:status:Success",
		Attributes: `<saml:Attribute Name="role"><saml:AttributeValue>editor</saml:AttributeValue></saml:Attribute>` +
			`<saml:Attribute Name="groups"><saml:AttributeValue>a</saml:AttributeValue><saml:AttributeValue>b</saml:AttributeValue></saml:Attribute>`,
		Issued: now, Assertion: now, From: now.Add(-time.Minute), Until: now.Add(5 * time.Minute), ResponseID: "_response", AssertionID: "_assertion",
		assertionSigner: theSigner(), method: dsig.RSASHA256SignatureMethod,
	}
}

// presentSAML presents a response, as the web SDK does.
func (f *fixture) presentSAML(c service.Call, s *samlStart, response string) (*service.IdpResponse, error) {
	body := url.Values{"SAMLResponse": {base64.StdEncoding.EncodeToString([]byte(response))}, "RelayState": {s.state}}.Encode()
	return f.presentForm(c, s, s.acs, body, nil)
}

// presentForm presents a form that a provider posted to an address, with the ID token of a user or without.
func (f *fixture) presentForm(c service.Call, s *samlStart, uri, body string, user *string) (*service.IdpResponse, error) {
	yes := true
	r := &service.IdpRequest{RequestURI: &uri, PostBody: &body, SessionID: &s.session, ReturnSecureToken: &yes, ReturnIdpCredential: &yes, IDToken: user}
	if c.Tenant != "" {
		r.TenantID = &c.Tenant
	}
	return f.SignInWithIdp(f.t.Context(), c, r)
}
