package app

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"path/filepath"

	"clave/server/fault"
	"clave/server/front"
	"clave/server/front/hosting"
	rpcidentity "clave/server/rpc/identity"
)

// openDoors puts each door behind its port.
func (a *App) openDoors(p ports, calls *calls, guest http.Handler) error {
	site, err := a.site()
	if err != nil {
		return err
	}
	encryption, err := a.tls()
	if err != nil {
		return err
	}
	a.addresses.Scheme = "http"
	if encryption != nil {
		a.addresses.Scheme = "https"
	}
	// The firestore and hosting ports each need a gRPC server of their own, since a server serves one listener's life.
	open := func(name string, ln net.Listener, doors front.Doors) {
		if ln != nil {
			port := front.New(front.Options{
				Name: name, Listener: ln, TLS: encryption, Doors: doors, Budget: a.budget, PrivateNetwork: !a.config.Production(), Verbose: a.config.Verbose, Log: a.o.Log,
			})
			a.add(name, port)
		}
	}
	firestore, err := calls.firestoreDoors()
	if err != nil {
		return err
	}
	open("firestore", p.firestore, firestore)
	open("auth", p.auth, front.Doors{Identity: calls.identity, Control: calls.accounts, Site: calls.accounts, Health: calls.health})
	whole, err := calls.firestoreDoors()
	if err != nil {
		return err
	}
	whole.Control = nil // a page's origin is no place for the emulator's controls
	whole.Identity, whole.Backoffice, whole.Site, whole.IdentityHost = calls.identity, guest, site, rpcidentity.IsHost
	whole.Reserved = a.reserved()
	open("hosting", p.hosting, whole)
	open("hub", p.hub, front.Doors{Hub: a.makeHub(calls.transfer), Health: calls.health})
	if p.plain != nil {
		port := front.New(front.Options{Name: "http", Listener: p.plain, Doors: front.Doors{Site: front.ToHTTPS(a.config.Ports.Hosting), Health: calls.health}, Budget: a.budget, Log: a.o.Log})
		a.add("http", port)
	}
	if p.websocket != nil {
		port := front.New(front.Options{Name: "requests", Listener: p.websocket, Doors: front.Doors{Site: calls.monitor, Health: calls.health}, Budget: a.budget, Log: a.o.Log})
		a.add("requests", port)
	}
	return nil
}

// site returns the static site, or nil when firebase.json has none. Production refuses a site that can't be served; in
// start mode its pages say why instead, since most who run tests want none.
func (a *App) site() (http.Handler, error) {
	if len(a.config.Hosting) == 0 || !a.config.Runs("hosting") {
		return nil, nil
	}
	section, err := hosting.Parse(a.config.Hosting)
	if err != nil {
		reason := "firebase.json: " + fault.Of(err).Message
		if a.config.Production() {
			return nil, fault.E(fault.InvalidArgument, "%s", reason)
		}
		fmt.Fprintf(a.o.Notices, "No site: %s\n", reason)
		a.addresses.Hosting = ""
		return hosting.Unavailable(reason), nil
	}
	folder := section.Public
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(a.config.Root, folder)
	}
	if err := hosting.CheckFolder(folder); err != nil {
		if a.config.Production() {
			return nil, fault.Because(err, fault.FailedPrecondition, "%s. Build it, or leave hosting out with --only.", fault.Of(err).Message)
		}
		fmt.Fprintf(a.o.Notices, "%s; until it is, its pages answer 503\n", fault.Of(err).Message)
	}
	return hosting.Folder(section, folder), nil
}

// tls returns the certificates of a port that ends TLS itself, or nil.
func (a *App) tls() (*tls.Config, error) {
	c := a.config
	if c.TLSCert == "" && len(c.ACMEDomains) == 0 {
		return nil, nil
	}
	settings, err := front.TLS(front.CertificateOptions{
		CertFile: c.TLSCert, KeyFile: c.TLSKey, Domains: c.ACMEDomains, Directory: c.ACMEDirectory, Email: c.ACMEEmail,
		Cache: filepath.Join(c.DataDir, "certificates"), Clock: a.o.Clock, Log: a.o.Log,
	})
	if err != nil {
		return nil, fault.Because(err, fault.FailedPrecondition, "cannot use the certificate: %v. Correct --tls-cert and --tls-key.", err)
	}
	return settings, nil
}

// serverTLS returns the settings of a port that shows a certificate.
func serverTLS(pair tls.Certificate) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
}
