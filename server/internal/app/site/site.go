// Package site opens the static site of a server, and its reserved paths.
package site

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
	"clave/server/internal/transport/hosting"
)

// Site is a static site.
type Site struct {
	// Handler serves the site; nil if firebase.json has none.
	Handler http.Handler
	// Unavailable is set if the pages only show why there is no site.
	Unavailable bool
	// Close ends the site; nil if there is nothing to end.
	Close func() error
}

// Open opens the site of a configuration. Production refuses a site that can't be served, except a missing folder if
// the site may be deployed. In start mode its pages show the reason instead, because most test runs don't use the site.
func Open(c *config.Config, notices io.Writer, log *slog.Logger) (Site, error) {
	if !c.ServesSite() {
		return Site{}, nil
	}
	section, err := hosting.Parse(c.Hosting)
	if err != nil {
		reason := filepath.Base(c.HostingFile) + ": " + fault.FromError(err).Message
		if c.Production() {
			return Site{}, fault.E(fault.InvalidArgument, "%s", reason)
		}
		fmt.Fprintf(notices, "No site: %s\n", reason)
		return Site{Handler: hosting.Unavailable(reason), Unavailable: true}, nil
	}
	for _, w := range section.Warnings {
		fmt.Fprintf(notices, "%s:%d:%d: %s.%s: %s\n", c.HostingFile, w.Line, w.Column, c.HostingMember, w.Member, w.Text)
	}
	if err := checkServices(c, section.Services(), notices); err != nil {
		return Site{}, err
	}
	site, err := open(c, section, notices, log)
	if err != nil {
		return Site{}, err
	}
	return Site{Handler: site, Close: site.Close}, nil
}

// open returns the site that a hosting section describes. Without a folder it has redirects and services only.
func open(c *config.Config, section *hosting.Config, notices io.Writer, log *slog.Logger) (*hosting.Site, error) {
	o := hosting.Options{Services: c.Services, TrustProxy: c.TrustProxy, Production: c.Production(), Log: log}
	if section.Public == "" {
		return hosting.New(section, nil, o), nil
	}
	folder := section.Public
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(c.Root, folder)
	}
	if err := hosting.CheckFolder(folder); err != nil {
		if c.Production() && !c.Deployable() {
			return nil, fault.Wrap(err, fault.FailedPrecondition, "%s. Build it, or omit hosting with --only.", fault.FromError(err).Message)
		}
		fmt.Fprintf(notices, "%s; until it is, its pages answer 503\n", fault.FromError(err).Message)
	}
	return hosting.Folder(section, folder, o), nil
}

// checkServices compares the services that firebase.json names with those of --service. A service without an address
// causes only a notice: its paths return 501.
func checkServices(c *config.Config, named []string, notices io.Writer) error {
	for id := range c.Services {
		if !slices.Contains(named, id) {
			return fault.E(fault.InvalidArgument, "--service %s: firebase.json rewrites no path to a service of this name; it has: %s", id, cmp.Or(strings.Join(named, ", "), "none"))
		}
	}
	for _, id := range named {
		if c.Services[id] == nil {
			fmt.Fprintf(notices, "Service %s has no address: its paths answer 501 (--service %s=URL)\n", id, id)
		}
	}
	return nil
}
