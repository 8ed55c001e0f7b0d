package port

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"clave/server/internal/base/clock"
)

// CertificateOptions are the source of a port's certificates: from two files, or from an ACME authority.
type CertificateOptions struct {
	// CertFile and KeyFile are PEM files. After they are replaced, for example at a renewal, new connections use the new
	// ones.
	CertFile, KeyFile string
	// Domains are the only names for which ACME certificates are obtained. The port must be reachable as port 443 of each
	// of them, because the authority connects to it (TLS-ALPN-01).
	Domains []string
	// Directory is the URL of the authority's directory; empty means Let's Encrypt.
	Directory string
	// Email is the contact address for the authority; empty means none.
	Email string
	// Cache is the folder of the obtained certificates.
	Cache string
	// HTTP sends requests to the authority; nil means the default client.
	HTTP *http.Client
	// Clock times the checks of the files; nil means the machine's clock.
	Clock clock.Clock
	// Log receives errors of the files; nil logs nothing.
	Log *slog.Logger
}

// TLS returns the settings of a port that terminates TLS itself. Domains have precedence over files.
func TLS(o CertificateOptions) (*tls.Config, error) {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	settings := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	if len(o.Domains) > 0 {
		if o.Cache == "" {
			return nil, errors.New("certificates of an authority need a folder, because authorities limit how many they issue")
		}
		manager := &autocert.Manager{
			Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(o.Cache), HostPolicy: autocert.HostWhitelist(o.Domains...), Email: o.Email,
			Client: &acme.Client{DirectoryURL: o.Directory, HTTPClient: o.HTTP, UserAgent: "clave"},
		}
		settings.GetCertificate = func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			pair, err := manager.GetCertificate(hello)
			if err != nil && slices.Contains(o.Domains, strings.ToLower(hello.ServerName)) {
				// Clients receive a failed handshake, and the operator only this log line. Names that are not the server's are not
				// logged.
				o.Log.Warn("no certificate from the authority: it must reach this name at port 443", "domain", hello.ServerName, "error", err)
			}
			return pair, err
		}
		settings.NextProtos = append(settings.NextProtos, acme.ALPNProto)
		return settings, nil
	}
	f := &certificateFiles{o: o}
	if err := f.load(); err != nil {
		return nil, err
	}
	settings.GetCertificate = f.get
	return settings, nil
}

// certificateInterval is the interval at which certificate files are checked for changes.
const certificateInterval = 10 * time.Second

// certificateFiles is a certificate in two files.
type certificateFiles struct {
	o  CertificateOptions
	mu struct {
		sync.Mutex
		pair *tls.Certificate
		// looked is the time of the last check of the files, and state their state when pair was read.
		looked time.Time
		state  string
	}
}

// get returns the certificate for a connection.
func (f *certificateFiles) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.o.Clock.Now(); now.Sub(f.mu.looked) >= certificateInterval {
		f.mu.looked = now
		if f.stateLocked() != f.mu.state {
			if err := f.loadLocked(); err != nil {
				// While only one of the files has been replaced, they don't match. The old pair stays in use.
				f.o.Log.Error("new certificate files can't be used", "error", err)
			}
		}
	}
	return f.mu.pair, nil
}

// load reads the files.
func (f *certificateFiles) load() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.looked = f.o.Clock.Now()
	return f.loadLocked()
}

// loadLocked reads the files, and keeps the old pair if they can't be used; mu is held.
func (f *certificateFiles) loadLocked() error {
	state := f.stateLocked() // taken before the files are read, so that a change meanwhile is detected later
	pair, err := tls.LoadX509KeyPair(f.o.CertFile, f.o.KeyFile)
	if err != nil {
		return fmt.Errorf("%s and %s: %w", f.o.CertFile, f.o.KeyFile, err)
	}
	f.mu.pair, f.mu.state = &pair, state
	return nil
}

// stateLocked identifies the content of the files, by size and time; mu is held.
func (f *certificateFiles) stateLocked() string {
	state := ""
	for _, name := range []string{f.o.CertFile, f.o.KeyFile} {
		if info, err := os.Stat(name); err == nil {
			state += fmt.Sprint(info.Size(), info.ModTime().UnixNano(), " ")
		}
	}
	return state
}

// ToHTTPS returns a handler that sends browsers to the same address under https, at a port of its own unless that is
// 443. Only pages are redirected: a program that posts without TLS has exposed its secrets already and must fail.
func ToHTTPS(port int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "Use https.", http.StatusForbidden)
			return
		}
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if port != 443 {
			host = net.JoinHostPort(host, strconv.Itoa(port))
		}
		w.Header().Set("Connection", "close")
		http.Redirect(w, r, "https://"+host+r.URL.RequestURI(), http.StatusMovedPermanently)
	})
}
