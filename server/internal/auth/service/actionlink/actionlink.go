// Package actionlink makes the links that carry one-time codes, and decides where they may lead.
//
// A link leads to the server's own page. The page may continue to a URL of the request, if its host is one of the
// project's authorized domains: a link in an e-mail of the project must not lead to another site.
package actionlink

import (
	"cmp"
	"net/url"
	"strings"

	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/onetime"
)

// Policy decides for one server.
type Policy struct {
	// PublicURL is the prefix of links; empty means the request's own origin.
	PublicURL string
	// Origin is the origin of links without a public URL, whatever host a request names; empty means the request's own.
	Origin string
	// Emulator is set under `clave start`. Links then lead to the emulator's page whatever the request, as in the official
	// emulator, and any host except subdomains of localhost is authorized if a project lists no domains.
	Emulator bool
}

// Check checks the requested domain of the link and the URL to continue to, which may be empty if the kind of code does
// not require it. domains are the project's authorized domains.
func (p Policy) Check(domains []string, kind onetime.Kind, linkDomain, continueURL string) error {
	if linkDomain != "" && !p.Emulator && !p.isOwn(linkDomain) {
		return apierror.New("INVALID_HOSTING_LINK_DOMAIN : The domain %s does not serve this project's links.", linkDomain)
	}
	if continueURL == "" {
		if kind == onetime.EmailSignIn && !p.Emulator {
			return apierror.New("MISSING_CONTINUE_URI")
		}
		return nil
	}
	u, err := url.Parse(continueURL)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return apierror.New("INVALID_CONTINUE_URI : ((expected an absolute URI with valid scheme and host))")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return apierror.New("INVALID_CONTINUE_URI : ((expected a URI with scheme http or https))")
	}
	if !p.authorized(domains, u.Hostname()) {
		return apierror.New("UNAUTHORIZED_DOMAIN : Domain not whitelisted by project")
	}
	return nil
}

// maxLink is the maximum length of a link in bytes. Mail programs and servers do not accept much longer ones.
const maxLink = 8 << 10

// CheckLength returns an error if a link would be too long for an e-mail.
func (p Policy) CheckLength(l Link) error {
	if len(p.URL(l)) > maxLink {
		return apierror.New("INVALID_CONTINUE_URI : ((the link would be longer than %d bytes))", maxLink)
	}
	return nil
}

// MayContinue reports whether a page that follows links may continue to a URL.
func (p Policy) MayContinue(domains []string, address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return false
	}
	return p.authorized(domains, u.Hostname())
}

// authorized reports whether links may lead to a host.
func (p Policy) authorized(domains []string, host string) bool {
	host = strings.ToLower(host)
	if host == "localhost" || host == "127.0.0.1" || host == "::1" {
		return p.Emulator || len(domains) == 0 || contains(domains, host)
	}
	if len(domains) > 0 {
		return contains(domains, host)
	}
	if p.Emulator {
		return !strings.HasSuffix(host, ".localhost") && host != "www.localhost"
	}
	return p.isOwn(host)
}

// Domains returns the domains that a project lists or, if it lists none, those to which links may lead then.
func (p Policy) Domains(listed []string) []string {
	if len(listed) > 0 {
		return listed
	}
	domains := []string{"localhost", "127.0.0.1"}
	if own, err := url.Parse(p.PublicURL); err == nil && own.Hostname() != "" && !contains(domains, own.Hostname()) {
		domains = append(domains, own.Hostname())
	}
	return domains
}

// isOwn reports whether a host is that of the public URL.
func (p Policy) isOwn(host string) bool {
	own, err := url.Parse(p.PublicURL)
	return err == nil && strings.EqualFold(own.Hostname(), host)
}

// contains reports whether a host or a domain above it is listed.
func contains(domains []string, host string) bool {
	for _, d := range domains {
		d = strings.ToLower(d)
		if host == d || strings.HasSuffix(host, "."+d) {
			return true
		}
	}
	return false
}

// Link describes a link. Only Kind and Code are required.
type Link struct {
	// Kind and Code are the code that the link carries.
	Kind onetime.Kind
	Code string
	// Origin is the origin of the request, for servers without a public URL.
	Origin string
	// Key is the API key, Locale the reader's language, ContinueURL the URL to continue to, and Tenant the tenant of the
	// account.
	Key, Locale, ContinueURL, Tenant string
}

// Base returns the origin to which links lead that are requested at an origin.
func (p Policy) Base(origin string) string { return cmp.Or(p.PublicURL, p.Origin, origin) }

// URL returns a link.
func (p Policy) URL(l Link) string {
	base := p.Base(l.Origin)
	path := "/__/auth/action"
	if p.Emulator {
		path = "/emulator/action"
	}
	q := url.Values{"mode": {onetime.Modes[l.Kind]}, "lang": {"en"}, "oobCode": {l.Code}, "apiKey": {"fake-api-key"}}
	for name, value := range map[string]string{"apiKey": l.Key, "lang": l.Locale, "continueUrl": l.ContinueURL, "tenantId": l.Tenant} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return base + path + "?" + q.Encode()
}
