package console

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/console/session"
	"clave/server/internal/httpx/clientaddr"
	"clave/server/internal/model/wire"
)

// The errors of requests that are refused before they are handled.
var (
	errNoSession   = fault.E(fault.Unauthenticated, "There is no session, or it has ended. Open one with the link that clave console prints.")
	errUsedLink    = fault.E(fault.Unauthenticated, "This link is unknown, was used already or is too old. clave console prints a new one.")
	errOtherOrigin = fault.E(fault.PermissionDenied, "Pages of other origins may not call the console.")
	errMethod      = fault.E(fault.Unimplemented, "The path does not support this method.")
)

// errOtherName returns the error for a request whose Host header does not name the console.
func errOtherName(host string) error {
	return fault.E(fault.PermissionDenied, "The console is not served under the name %q.", host)
}

// isPage reports whether a request is for a page or one of its files: a GET or HEAD of a path without another handler.
func isPage(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	for _, prefix := range []string{apiPrefix, restPrefix, webChannelPrefix, identityPrefix} {
		if strings.HasPrefix(r.URL.Path, prefix) {
			return false
		}
	}
	return true
}

// sameOrigin reports whether a request comes from the console's own pages, or from no page. A link on any page may lead
// to a page of the console, because other origins cannot read it.
func sameOrigin(r *http.Request, page bool) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != ownOrigin(r) {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin":
		return true
	case "none": // an address that was typed
		return r.Method == http.MethodGet || r.Method == http.MethodHead
	default:
		return page && r.Header.Get("Sec-Fetch-Mode") == "navigate"
	}
}

// ownOrigin returns the console's origin, with the host name of the request.
func ownOrigin(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// linkParam is the query parameter of a link.
const linkParam = "link"

// openByLink opens the session of a link and responds with its cookie. A prefetch by the browser does not use up the
// link.
func (c *Console) openByLink(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet || strings.Contains(r.Header.Get("Sec-Purpose"), "prefetch") {
		refuse(w, true, errNoSession)
		return
	}
	_, cookie, ok := c.o.Sessions.Open(r.URL.Query().Get(linkParam), clientaddr.Address(r, 0).String())
	if !ok {
		refuse(w, true, errUsedLink)
		return
	}
	http.SetCookie(w, newCookie(r, cookie))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// cookieName returns the name of the session's cookie. It contains the port, because all ports of a host share cookies.
func cookieName(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host)
	if r.TLS != nil {
		return "__Host-clave-console-" + port
	}
	return "clave-console-" + port
}

// newCookie returns the session's cookie, or, for an empty value, the cookie that removes it.
func newCookie(r *http.Request, value string) *http.Cookie {
	cookie := &http.Cookie{Name: cookieName(r), Value: value, Path: "/", HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode}
	if value == "" {
		cookie.MaxAge = -1
	}
	return cookie
}

// sessionCookie returns the value of a request's session cookie, or an empty string.
func sessionCookie(r *http.Request) string {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// passivePaths are the paths that pages request without an action of the user.
var passivePaths = []string{apiPrefix + "session", apiPrefix + "now", apiPrefix + "logs", apiPrefix + "requests", apiPrefix + "codes", apiPrefix + "export", apiPrefix + "denials", apiPrefix + "events", apiPrefix + "appcheck"}

// isActive reports whether a request shows that the session's user is active. Pages repeat requests to passive paths on
// their own.
func isActive(r *http.Request) bool {
	if r.Method != http.MethodGet {
		return true
	}
	return !strings.HasPrefix(r.URL.Path, webChannelPrefix) && !slices.Contains(passivePaths, r.URL.Path)
}

// untilEnded returns a request that ends with the session.
func untilEnded(r *http.Request, of *session.Session) (*http.Request, func()) {
	ctx, cancel := context.WithCancel(r.Context())
	over := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-of.Ended():
			cancel()
		case <-over:
		}
	}()
	return r.WithContext(ctx), func() {
		close(over)
		<-done
		cancel()
	}
}

// refuse responds with an error: as a page to a request for a page, and otherwise as JSON.
func refuse(w http.ResponseWriter, page bool, err error) {
	if !page {
		w.Header().Set("Cache-Control", "no-store")
		writeError(w, err)
		return
	}
	writePlainPage(w, wire.HTTP(wire.Code(err)), fault.FromError(err).Message)
}
