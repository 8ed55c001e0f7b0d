package site

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"

	"clave/server/internal/admin/hostingapi"
	"clave/server/internal/app/config"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/transport/hosting"
	"clave/server/internal/transport/hosting/versions"
)

// Deployed is the site whose versions are deployed to a server.
type Deployed struct {
	// Versions are the versions; nil for a server that has none.
	Versions *versions.Site
	// ID is the id of the site, and absent the reason why the server can't have versions.
	ID, absent string
	// origin is that of the site.
	origin *url.URL
}

// OpenDeployed opens the versions in the data folder of a production server, or in its store if nodes share that, if
// versions can be deployed to it or have been. address is that of the public port.
func OpenDeployed(ctx context.Context, c *config.Config, address string, st store.Store, clock clock.Clock, log *slog.Logger) (Deployed, error) {
	d := Deployed{origin: originOf(c, address)}
	if !c.Production() {
		return d, nil
	}
	folder := filepath.Join(c.DataDir, "hosting")
	deployed := versions.Exists(folder)
	var shared *versions.Shared
	if c.Store != "" {
		ctx = context.WithoutCancel(ctx)
		shared = &versions.Shared{Store: st, Apply: func(b *store.Batch) error { return st.Apply(ctx, b) }}
		folder += "-copies"
		var err error
		if deployed, err = shared.Deployed(); err != nil {
			return d, err
		}
	}
	switch {
	case c.Memory:
		d.absent = "A server without a data folder does not have the Hosting API."
	case !c.Runs("hosting"):
		d.absent = "The flag --only of this server leaves out hosting, so it does not have the Hosting API."
	case c.AdminAPI != "" || deployed:
		d.ID = cmp.Or(c.HostingSite, c.Project)
		var err error
		d.Versions, err = versions.Open(versions.Options{
			Folder: folder, Shared: shared, ID: d.ID, Clock: clock, Log: log,
			Hosting: hosting.Options{Services: c.Services, TrustProxy: c.TrustProxy, Production: true, Log: log},
		})
		if err != nil && shared != nil {
			return d, fmt.Errorf("open the deployed site: %w", err)
		}
		if err != nil {
			return d, fault.Wrap(err, fault.FailedPrecondition, "cannot open the deployed site: %v. Without the folder %s the server starts without it.", err, folder)
		}
	}
	return d, nil
}

// originOf returns the origin of the site: the public URL, or that of the public port at this machine.
func originOf(c *config.Config, address string) *url.URL {
	u, err := url.Parse(c.PublicURL)
	if err != nil || u.Host == "" {
		u = &url.URL{Scheme: "http", Host: address}
		if c.TLSCert != "" || len(c.ACMEDomains) > 0 {
			u.Scheme = "https"
		}
	}
	if name := ForPages(u.Hostname()); name != u.Hostname() { // the host of a preview is below it
		u.Host = name
		if _, port, err := net.SplitHostPort(address); err == nil {
			u.Host = net.JoinHostPort(name, port)
		}
	}
	return u
}

// url returns the URL of the site, or of a preview by the label of its host.
func (d Deployed) url(label string) string {
	u := *d.origin
	if label != "" {
		u.Host = label + "." + u.Host
	}
	return u.String()
}

// API returns the Hosting API of the site.
func (d Deployed) API() *hostingapi.API {
	return hostingapi.New(hostingapi.Options{Site: d.Versions, ID: d.ID, Absent: d.absent, URL: d.url})
}

// Serves reports whether the deployed site is served in place of that of firebase.json.
func (d Deployed) Serves() bool { return d.Versions != nil && d.Versions.Released() }

// Replace lets a site that was opened before the versions, by a node that did not lead yet, be that of the versions. It
// does nothing for nil. The returned function ends that.
func (d Deployed) Replace(opened *Site) (end func() error) {
	if opened == nil {
		return func() error { return nil }
	}
	opened.Handler = d.Versions.Handler(opened.Handler)
	return d.Versions.Close
}

// Open returns the site of a server: the deployed one if it was released, and otherwise that of firebase.json, which
// the first release replaces.
func (d Deployed) Open(c *config.Config, notices io.Writer, log *slog.Logger) (Site, error) {
	if d.Versions == nil {
		return Open(c, notices, log)
	}
	var own Site
	if d.Serves() {
		if c.ServesSite() {
			fmt.Fprintf(notices, "Site: the version that was deployed last is served, not the folder that %s names\n", filepath.Base(c.HostingFile))
		}
	} else {
		var err error
		if own, err = Open(c, notices, log); err != nil {
			return Site{}, err
		}
	}
	handler, end := own.Handler, own.Close
	own.Handler = d.Versions.Handler(handler)
	own.Close = func() error {
		if end == nil {
			return d.Versions.Close()
		}
		return errors.Join(d.Versions.Close(), end())
	}
	return own, nil
}
