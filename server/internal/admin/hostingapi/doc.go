// Package hostingapi has the methods of the Firebase Hosting API on the versions, releases and channels of the one site
// that the server has.
package hostingapi

import (
	"context"
	"strings"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/transport/hosting/versions"
)

// Options configure an API.
type Options struct {
	// Site is the site, and ID its id. A server that can't have deployed versions has none, and Absent says why.
	Site   *versions.Site
	ID     string
	Absent string
	// URL returns the URL of the site, or of a preview by the label of its host.
	URL func(label string) string
}

// API has the methods. It is safe for concurrent use.
type API struct{ o Options }

// New returns the API.
func New(o Options) *API { return &API{o} }

// The permissions of the methods that read, and of those that write, by their names at Google.
const (
	reads  = "firebasehosting.sites.get"
	writes = "firebasehosting.sites.update"
)

// maxUpload is the maximum number of bytes of an upload: gzip enlarges what it can't pack by less than a hundredth.
const maxUpload = 260 << 20

// Routes returns the routes.
func (a *API) Routes() []route.Route {
	const sites, site = "/v1beta1/projects/{project}/sites", "/v1beta1/projects/{project}/sites/{site}"
	const version, channel = site + "/versions/{version}", site + "/channels/{channel}"
	all := []route.Route{
		{Name: "hosting.ListSites", Permission: reads, Method: "GET", Pattern: sites, Do: a.listSites},
		{Name: "hosting.GetSite", Permission: reads, Method: "GET", Pattern: site, Do: a.getSite},
		{Name: "hosting.CreateSite", Permission: writes, Method: "POST", Pattern: sites, Do: a.oneSite},
		{Name: "hosting.UpdateSite", Permission: writes, Method: "PATCH", Pattern: site, Do: a.oneSite},
		{Name: "hosting.DeleteSite", Permission: writes, Method: "DELETE", Pattern: site, Do: a.oneSite},
		{Name: "hosting.ListDomains", Permission: reads, Method: "GET", Pattern: site + "/domains", Do: a.listDomains},
		{Name: "hosting.CreateVersion", Permission: writes, Method: "POST", Pattern: site + "/versions", Do: a.createVersion},
		{Name: "hosting.CloneVersion", Permission: writes, Method: "POST", Pattern: site + "/versions:clone", Do: a.cloneVersion},
		{Name: "hosting.GetOperation", Permission: reads, Method: "GET", Pattern: "/v1beta1/projects/{project}/operations/{operation}", Do: a.getOperation},
		{Name: "hosting.ListVersions", Permission: reads, Method: "GET", Pattern: site + "/versions", Do: a.listVersions},
		{Name: "hosting.GetVersion", Permission: reads, Method: "GET", Pattern: version, Do: a.getVersion},
		{Name: "hosting.UpdateVersion", Permission: writes, Method: "PATCH", Pattern: version, Do: a.updateVersion},
		{Name: "hosting.DeleteVersion", Permission: writes, Method: "DELETE", Pattern: version, Do: a.deleteVersion},
		{Name: "hosting.PopulateVersionFiles", Permission: writes, Method: "POST", Pattern: version + ":populateFiles", Do: a.populate},
		{Name: "hosting.ListVersionFiles", Permission: reads, Method: "GET", Pattern: version + "/files", Do: a.listFiles},
		{Name: "hosting.UploadFile", Permission: writes, Method: "POST", Pattern: "/upload" + version + "/files/{hash}", Do: a.upload, Stream: maxUpload},
		{Name: "hosting.ListChannels", Permission: reads, Method: "GET", Pattern: site + "/channels", Do: a.listChannels},
		{Name: "hosting.CreateChannel", Permission: writes, Method: "POST", Pattern: site + "/channels", Do: a.createChannel},
		{Name: "hosting.GetChannel", Permission: reads, Method: "GET", Pattern: channel, Do: a.getChannel},
		{Name: "hosting.UpdateChannel", Permission: writes, Method: "PATCH", Pattern: channel, Do: a.updateChannel},
		{Name: "hosting.DeleteChannel", Permission: writes, Method: "DELETE", Pattern: channel, Do: a.deleteChannel},
		{Name: "hosting.ListReleases", Permission: reads, Method: "GET", Pattern: site + "/releases", Do: a.listReleases},
		{Name: "hosting.CreateRelease", Permission: writes, Method: "POST", Pattern: site + "/releases", Do: a.createRelease},
		{Name: "hosting.GetRelease", Permission: reads, Method: "GET", Pattern: site + "/releases/{release}", Do: a.getRelease},
		{Name: "hosting.ListReleases", Permission: reads, Method: "GET", Pattern: channel + "/releases", Do: a.listReleases},
		{Name: "hosting.CreateRelease", Permission: writes, Method: "POST", Pattern: channel + "/releases", Do: a.createRelease},
		{Name: "hosting.GetRelease", Permission: reads, Method: "GET", Pattern: channel + "/releases/{release}", Do: a.getRelease},
	}
	for i := range all {
		all[i].Do = a.ofSite(all[i].Do)
	}
	return all
}

// ofSite returns a method for requests about the site. It refuses those about other sites as not implemented, and not
// as not found, so that the Firebase CLI shows the reason: of a site that is not found it prints a text of its own.
func (a *API) ofSite(do func(context.Context, *route.Call) (any, error)) func(context.Context, *route.Call) (any, error) {
	return func(ctx context.Context, c *route.Call) (any, error) {
		if a.o.Site == nil {
			return nil, fault.E(fault.Unimplemented, "%s", a.o.Absent)
		}
		if id, named := c.Vars["site"]; named && id != a.o.ID {
			return nil, fault.E(fault.Unimplemented, "The site %.100q is not on this server, which has one site, %s. Another site needs a server of its own. Deploy to %s by --only hosting:TARGET.", id, a.o.ID, a.o.ID)
		}
		return do(ctx, c)
	}
}

// name returns the name of the site, or of what it has at a path.
func (a *API) name(c *route.Call, path ...string) string {
	return strings.Join(append([]string{"projects/" + c.Project + "/sites/" + a.o.ID}, path...), "/")
}

// site is a site of the API.
type site struct {
	Name       string `json:"name"`
	DefaultURL string `json:"defaultUrl"`
	Type       string `json:"type"`
}

// shown returns the site as the API shows it.
func (a *API) shown(c *route.Call) *site { return &site{a.name(c), a.o.URL(""), "DEFAULT_SITE"} }

// listSites returns the site.
func (a *API) listSites(_ context.Context, c *route.Call) (any, error) {
	return struct {
		Sites []*site `json:"sites"`
	}{[]*site{a.shown(c)}}, nil
}

// getSite returns the site.
func (a *API) getSite(_ context.Context, c *route.Call) (any, error) { return a.shown(c), nil }

// oneSite refuses to create, change and delete sites.
func (a *API) oneSite(context.Context, *route.Call) (any, error) {
	return nil, fault.E(fault.Unimplemented, "This server has one site, %s, which can't be changed or deleted. Another site needs a server of its own.", a.o.ID)
}

// listDomains returns the custom domains, of which the server has none: it serves the site at every host.
func (a *API) listDomains(context.Context, *route.Call) (any, error) { return nil, nil }
