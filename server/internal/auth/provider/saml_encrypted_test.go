package provider_test

import (
	"strings"
	"testing"

	"github.com/beevik/etree"
	"github.com/crewjam/saml/xmlenc"

	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
)

// The algorithms with which the tests encrypt.
const (
	byGCM = "http://www.w3.org/2009/xmlenc11#aes128-gcm"
	byCBC = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
)

// encrypted returns an element that has what is encrypted: the text of an element, for the key of a certificate.
func encrypted(name, plain, algorithm string) *etree.Element {
	method := xmlenc.OAEP()
	if method.BlockCipher = xmlenc.AES128CBC; algorithm == byGCM {
		method.BlockCipher = xmlenc.AES128GCM
	}
	recipient, err := idp.Certificate(another().pem)
	if err != nil {
		panic(err)
	}
	data, err := method.Encrypt(recipient, []byte(plain), nil)
	if err != nil {
		panic(err)
	}
	data.CreateAttr("Type", "http://www.w3.org/2001/04/xmlenc#Element")
	out := etree.NewElement("saml:" + name)
	out.CreateAttr("xmlns:saml", "urn:oasis:names:tc:SAML:2.0:assertion")
	out.AddChild(data)
	return out
}

// TestEncryptedSAML presents genuine responses with encrypted parts. They are refused with a reason, also where another
// part says the same in plain text.
func TestEncryptedSAML(t *testing.T) {
	const unsupported = "INVALID_IDP_RESPONSE : The SAMLResponse has encrypted parts, which are not supported."
	f := openSAML(t)
	assertion := func(algorithm string, change func(response, hidden *etree.Element)) func(*samlReply) string {
		return func(r *samlReply) string {
			r.change = func(response *etree.Element) {
				plain := response.SelectElement("Assertion")
				hidden := encrypted("EncryptedAssertion", text(plain), algorithm)
				response.RemoveChild(plain)
				response.AddChild(hidden)
				change(response, hidden)
			}
			return r.response()
		}
	}
	// The assertion, whose part is encrypted, is signed as it is sent.
	part := func(change func(assertion *etree.Element)) func(*samlReply) string {
		return func(r *samlReply) string {
			r.assertionSigner = nil
			response := element(r.response())
			change(response.SelectElement("Assertion"))
			theSigner().sign(response.SelectElement("Assertion"), r.method)
			return text(response)
		}
	}
	hide := func(path, name string, keep bool) func(*samlReply) string {
		return part(func(assertion *etree.Element) {
			plain := assertion.FindElement(path)
			parent, at := plain.Parent(), plain.Index()
			hidden := encrypted(name, text(plain), byGCM)
			if !keep {
				parent.RemoveChild(plain)
			}
			parent.InsertChildAt(at, hidden)
		})
	}
	keys := func(_, hidden *etree.Element) { // beside the data, as some providers send it
		key := hidden.FindElement(".//EncryptedKey")
		key.Parent().RemoveChild(key)
		hidden.AddChild(key)
	}
	without := func(path string) func(_, hidden *etree.Element) {
		return func(_, hidden *etree.Element) {
			gone := hidden.FindElement(path)
			gone.Parent().RemoveChild(gone)
		}
	}
	none := func(_, _ *etree.Element) {}
	for _, c := range []struct {
		name, want string
		response   func(*samlReply) string
	}{
		{"an assertion", unsupported, assertion(byGCM, none)},
		{"an assertion in CBC mode", unsupported, assertion(byCBC, none)},
		{"an assertion with its key beside it", unsupported, assertion(byGCM, keys)},
		{"an assertion without a key", unsupported, assertion(byCBC, without(".//EncryptedKey"))},
		{"an assertion without data", unsupported, assertion(byGCM, without("./EncryptedData"))},
		{"an assertion by an unknown method", unsupported, assertion(byGCM, func(_, hidden *etree.Element) {
			hidden.FindElement("./EncryptedData/EncryptionMethod").CreateAttr("Algorithm", "urn:none")
		})},
		{"an assertion in a signed response", unsupported, func(r *samlReply) string {
			response := element(assertion(byGCM, none)(r))
			theSigner().sign(response, r.method)
			return text(response)
		}},
		{"an assertion beside a signed one", "INVALID_IDP_RESPONSE", assertion(byGCM, func(response, _ *etree.Element) {
			response.AddChild(theSigner().sign(element(text(f.reply(&samlStart{acs: redirect}).assertion())), f.reply(&samlStart{}).method))
		})},
		{"the id", unsupported, hide(".//NameID", "EncryptedID", false)},
		{"the id, and a plain one", "INVALID_IDP_RESPONSE", hide(".//NameID", "EncryptedID", true)},
		{"an attribute", unsupported, hide(".//Attribute", "EncryptedAttribute", false)},
		{"an attribute, and a plain one", unsupported, hide(".//Attribute", "EncryptedAttribute", true)},
	} {
		s := f.beginSAML(client, "saml.corp")
		got, err := f.presentSAML(client, s, c.response(f.reply(s)))
		if err == nil || !apierror.Is(err) || !strings.HasPrefix(apierror.Text(err), c.want) {
			t.Errorf("%s: %+v, %v; want %s", c.name, got, err, c.want)
		}
	}
	s := f.beginSAML(client, "saml.corp")
	if got, err := f.presentSAML(client, s, part(func(*etree.Element) {})(f.reply(s))); err != nil || got.Email != "Ann@Corp.example" {
		t.Errorf("the same without encryption: %+v, %v", got, err)
	}
}
