package idp

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/url"

	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/httpx/loopback"
)

// rules lists the required fields of each kind of configuration, and the API's errors for missing ones.
var rules = map[string][]struct {
	path []string
	code string
}{
	OIDC: {{[]string{"clientId"}, "MISSING_OAUTH_CLIENT_ID"}, {[]string{"issuer"}, "MISSING_ISSUER"}},
	SAML: {
		{[]string{"idpConfig", "idpEntityId"}, "MISSING_CONFIG : idpConfig.idpEntityId is required."},
		{[]string{"idpConfig", "ssoUrl"}, "MISSING_CONFIG : idpConfig.ssoUrl is required."},
		{[]string{"spConfig", "spEntityId"}, "MISSING_SAML_RELYING_PARTY_CONFIG"},
	},
}

// CheckConfig refuses configurations with which no user could sign in.
func CheckConfig(kind, id string, config map[string]any) error {
	if kind == Default && IsOAuth(id) {
		return checkOAuth(config)
	}
	for _, rule := range rules[kind] {
		if s, _ := at(config, rule.path...).(string); s == "" {
			return apierror.New("%s", rule.code)
		}
	}
	if code, _ := at(config, "responseType", "code").(bool); code {
		if secret := config["clientSecret"]; secret == nil || secret == "" {
			return apierror.New("MISSING_OAUTH_CLIENT_SECRET")
		}
	}
	if list, _ := at(config, "idpConfig", "idpCertificates").([]any); len(list) == 0 && kind == SAML {
		return apierror.New("MISSING_CONFIG : idpConfig.idpCertificates is required.")
	}
	return nil
}

// CheckCertificates refuses a change of a SAML provider's configuration with a certificate that cannot be read: nobody
// could sign in, and the reason would be in the log only.
func CheckCertificates(change map[string]any) error {
	list, _ := at(change, "idpConfig", "idpCertificates").([]any)
	if len(list) > maxCertificates {
		return apierror.New("INVALID_CONFIG : idpConfig.idpCertificates has more than %d certificates.", maxCertificates)
	}
	for _, one := range list {
		of, _ := one.(map[string]any)
		text, _ := of["x509Certificate"].(string)
		if _, err := Certificate(text); err != nil {
			return apierror.New("INVALID_CONFIG : idpConfig.idpCertificates has an x509Certificate that is not valid: it must be one certificate in PEM.")
		}
	}
	return nil
}

// maxCertificates is the maximum number of certificates of a SAML provider. Each is read for each response.
const maxCertificates = 10

// CleanConfig removes the response types that are false from a configuration, as production shows it.
func CleanConfig(config map[string]any) {
	types, _ := config["responseType"].(map[string]any)
	maps.DeleteFunc(types, func(_ string, v any) bool { return v == false })
}

// at returns the value at a path of objects, or nil.
func at(object map[string]any, path ...string) any {
	for _, name := range path[:len(path)-1] {
		object, _ = object[name].(map[string]any)
	}
	return object[path[len(path)-1]]
}

// Certificate returns the certificate of a SAML provider, which configurations have in PEM.
func Certificate(text string) (*x509.Certificate, error) {
	block, rest := pem.Decode([]byte(text))
	if block == nil || block.Type != "CERTIFICATE" || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("the certificate is not a single one in PEM (-----BEGIN CERTIFICATE-----)")
	}
	return x509.ParseCertificate(block.Bytes)
}

// CheckPage refuses an address of a provider's page to which no browser may be sent: it must use https, except on this
// machine.
func CheckPage(address string) error {
	page, err := url.Parse(address)
	if err != nil || page.Host == "" || page.Scheme != "https" && (page.Scheme != "http" || !loopback.Is(page.Hostname())) {
		return fmt.Errorf("%.200q is not an address of https", address)
	}
	return nil
}
