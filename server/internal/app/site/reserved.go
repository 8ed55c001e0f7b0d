package site

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"clave/server/internal/app/config"
	"clave/server/internal/console"
	"clave/server/internal/suite/hub"
	"clave/server/internal/transport/hosting"
)

// webKey is the API key in the configuration of web apps. Any text is valid, since a key only names the project.
const webKey = "fake-api-key"

// Reserved returns the handler of the site's reserved paths. auth and firestore are the addresses of these parts; empty
// for parts that don't run. In production it serves the configuration of this server, and otherwise that of the
// official emulator. signIn serves the console's page that signs browsers in, if it is not nil.
func Reserved(c *config.Config, auth, firestore string, signIn http.Handler) http.Handler {
	project := c.Project
	if c.Production() {
		host := ""
		if u, err := url.Parse(c.PublicURL); err == nil {
			host = u.Host
		}
		return &hosting.Reserved{App: hosting.AppConfig{ProjectID: project, APIKey: webKey, AuthDomain: host}, Origin: c.PublicURL}
	}
	r := &hosting.Reserved{
		App: hosting.AppConfig{
			ProjectID: project, DatabaseURL: "https://" + project + ".firebaseio.com", StorageBucket: project + ".appspot.com",
			APIKey: webKey, AuthDomain: project + ".firebaseapp.com",
		},
		Emulators: make(map[string]hosting.Emulator),
	}
	for name, address := range map[string]string{"auth": auth, "firestore": firestore} {
		if e := hub.At(name, address); e != nil {
			host := ForPages(e.Host)
			r.Emulators[name] = hosting.Emulator{Host: host, Port: e.Port, HostAndPort: net.JoinHostPort(host, strconv.Itoa(e.Port))}
		}
	}
	if signIn == nil {
		return r
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.HasPrefix(req.URL.Path, console.SignInPath) {
			signIn.ServeHTTP(w, req)
			return
		}
		r.ServeHTTP(w, req)
	})
}

// ForPages returns the host name by which pages should reach a host of this machine: localhost instead of its
// addresses. Browsers open at most six connections to a name, and WebChannel's host prefixes, which avoid that limit,
// work only below localhost.
func ForPages(host string) string {
	if ip, err := netip.ParseAddr(host); err == nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		return "localhost"
	}
	return host
}
