package providerservice

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"encoding/xml"
	"slices"
	"strings"

	"github.com/crewjam/saml"

	"clave/server/internal/base/fault"
)

// MaxMetadata is the maximum size of the metadata of a SAML provider, in bytes. That of a federation is larger, and
// describes many providers.
const MaxMetadata = 1 << 18

// Metadata is what the metadata of a SAML provider say that its configuration needs.
type Metadata struct {
	EntityID, SSOURL string
	// Certificates are those of its keys for signatures, in PEM.
	Certificates []string
	// SignRequests is set if the provider accepts only signed requests (WantAuthnRequestsSigned).
	SignRequests bool
}

// ReadMetadata reads the metadata of a SAML provider, which its administrator has got from it. They are not verified.
func ReadMetadata(text []byte) (*Metadata, error) {
	var of saml.EntityDescriptor
	if err := xml.Unmarshal(text, &of); err != nil {
		return nil, fault.Wrap(err, fault.InvalidArgument, "not the metadata of one SAML provider (EntityDescriptor): %v", err)
	}
	if len(of.IDPSSODescriptors) == 0 {
		return nil, fault.E(fault.InvalidArgument, "the metadata describe no identity provider (IDPSSODescriptor)")
	}
	role := of.IDPSSODescriptors[0]
	i := slices.IndexFunc(role.SingleSignOnServices, func(e saml.Endpoint) bool { return e.Binding == saml.HTTPRedirectBinding })
	if of.EntityID == "" || i < 0 {
		return nil, fault.E(fault.InvalidArgument, "the metadata have no entityID or no SingleSignOnService with the binding HTTP-Redirect")
	}
	out := &Metadata{
		EntityID: of.EntityID, SSOURL: role.SingleSignOnServices[i].Location,
		SignRequests: role.WantAuthnRequestsSigned != nil && *role.WantAuthnRequestsSigned,
	}
	for _, key := range role.KeyDescriptors {
		if key.Use != "" && key.Use != "signing" {
			continue
		}
		for _, one := range key.KeyInfo.X509Data.X509Certificates {
			der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(one.Data), ""))
			if err == nil {
				_, err = x509.ParseCertificate(der)
			}
			if err != nil {
				return nil, fault.Wrap(err, fault.InvalidArgument, "the metadata have an X509Certificate that is not valid: %v", err)
			}
			if made := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})); !slices.Contains(out.Certificates, made) {
				out.Certificates = append(out.Certificates, made)
			}
		}
	}
	if len(out.Certificates) == 0 {
		return nil, fault.E(fault.InvalidArgument, "the metadata have no X509Certificate of a key for signatures")
	}
	return out, nil
}
