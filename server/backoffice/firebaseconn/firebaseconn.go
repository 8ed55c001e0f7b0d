// Package firebaseconn connects a service on firebase.google.com/go/v4 to Clave with signed tokens, without changes to
// the SDK.
//
// The SDK's addresses are constants, and it fetches the public keys with a client of its own, which it clones from
// http.DefaultTransport when App.Auth is called. So Route makes the default transport connect to Clave whenever it
// would connect to one of the three hosts of Firebase Authentication; other connections are not changed. The SDK still
// verifies every signature, issuer and audience by itself.
//
// FIREBASE_AUTH_EMULATOR_HOST is not an alternative: with it the SDK accepts unsigned tokens, so that anyone with a
// user's id can act as that user. Route returns an error if it is set.
//
// The package imports no package of Clave: it is for services that depend on Firebase only.
package firebaseconn

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
)

// hosts are the hosts that the SDK calls for Authentication; the last is that of the token_uri of Google's own
// credentials.
var hosts = map[string]bool{
	"identitytoolkit.googleapis.com": true, "securetoken.googleapis.com": true, "www.googleapis.com": true,
	"iamcredentials.googleapis.com": true, "oauth2.googleapis.com": true,
}

// emulatorVariable is the environment variable that makes the SDK accept unsigned tokens.
const emulatorVariable = "FIREBASE_AUTH_EMULATOR_HOST"

// Options configure Route.
type Options struct {
	// URL is Clave's origin, such as https://data.example.org.
	URL string
	// RootCAs verify Clave's certificate; nil means those of the machine.
	RootCAs *x509.CertPool
	// Insecure allows an http URL on another machine, for private networks. Without it only https, and http to this
	// machine itself, are allowed.
	Insecure bool
	// Transport is the transport to change; nil means http.DefaultTransport, which the SDK clones.
	Transport *http.Transport
}

// Route redirects connections to Firebase Authentication's hosts to Clave. Call it before firebase.App.Auth. The
// returned function restores the transport.
func Route(o Options) (restore func(), err error) {
	if os.Getenv(emulatorVariable) != "" {
		return nil, fmt.Errorf("%s is set: with it the SDK accepts unsigned tokens. Unset it", emulatorVariable)
	}
	d, err := newDialer(o)
	if err != nil {
		return nil, err
	}
	t := o.Transport
	if t == nil {
		var ok bool
		if t, ok = http.DefaultTransport.(*http.Transport); !ok {
			return nil, errors.New("http.DefaultTransport is not an *http.Transport, and the SDK would not use it")
		}
	}
	oldTLS, oldPlain := t.DialTLSContext, t.DialContext
	d.next, d.plain = oldTLS, oldPlain
	t.DialTLSContext = d.dial
	t.CloseIdleConnections()
	var once sync.Once
	return func() {
		once.Do(func() {
			t.DialTLSContext = oldTLS
			t.CloseIdleConnections()
		})
	}, nil
}

// dialer connects to Clave in place of Firebase's hosts.
type dialer struct {
	address string
	name    string
	secure  bool
	roots   *x509.CertPool
	net     net.Dialer
	next    func(ctx context.Context, network, addr string) (net.Conn, error)
	plain   func(ctx context.Context, network, addr string) (net.Conn, error)
}

// newDialer checks the options.
func newDialer(o Options) (*dialer, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not an http or https origin", o.URL)
	}
	if u.Scheme == "http" && !o.Insecure && !loopback(u.Hostname()) {
		return nil, fmt.Errorf("%s is not encrypted: anyone on the network path could act as any user; use https", o.URL)
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return &dialer{address: net.JoinHostPort(u.Hostname(), port), name: u.Hostname(), secure: u.Scheme == "https", roots: o.RootCAs}, nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// dial opens a connection that the transport uses as a TLS connection.
func (d *dialer) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	switch {
	case hosts[host] && d.secure:
		return d.tls(ctx, network, d.address, d.name, d.roots)
	case hosts[host]:
		return d.net.DialContext(ctx, network, d.address)
	case d.next != nil:
		return d.next(ctx, network, addr)
	}
	return d.tls(ctx, network, addr, host, nil)
}

// tls opens a TLS connection.
func (d *dialer) tls(ctx context.Context, network, addr, name string, roots *x509.CertPool) (net.Conn, error) {
	plain := d.plain
	if plain == nil {
		plain = d.net.DialContext
	}
	raw, err := plain(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	conn := tls.Client(raw, &tls.Config{ServerName: name, RootCAs: roots, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12})
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	return conn, nil
}
