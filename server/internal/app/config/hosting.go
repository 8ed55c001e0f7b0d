package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/jsontree"
)

// site is one site of firebase.json's hosting section.
type site struct {
	Site   string `json:"site"`
	Target string `json:"target"`
	// text is the site's JSON, at is its offset in the file, and member is its name in it.
	text   json.RawMessage
	at     int
	member string
}

// name returns the name by which --only selects the site.
func (s *site) name() string {
	switch {
	case s.Target != "":
		return s.Target
	case s.Site != "":
		return s.Site
	}
	return s.member
}

// readHosting reads the hosting section: one site or a list of them. It sets the one that is served: that which --only
// names, or the first. targets are the sites of the targets in .firebaserc.
func (c *Config) readHosting(f *firebaseJSON, targets map[string][]string) error {
	section := f.sections["hosting"]
	sites := hostingSites(section)
	if !c.Runs("hosting") || len(sites) == 0 {
		return nil
	}
	served := 0
	if len(c.sites) > 0 {
		served = slices.IndexFunc(sites, func(s site) bool {
			name := c.sites[0]
			return s.Target == name || s.Site == name || s.Target != "" && slices.Contains(targets[s.Target], name)
		})
		if served < 0 {
			return fault.E(fault.InvalidArgument, "--only hosting:%s: firebase.json has no such site or target; it has: %s", c.sites[0], names(sites))
		}
	}
	s := &sites[served]
	// Everything before the site becomes blanks, so that places in it are those in the file.
	c.Hosting, c.HostingFile, c.HostingMember = append(jsontree.Blank(section.text[:s.at]), s.text...), section.path, s.member
	if c.HostingSite = s.Site; c.HostingSite == "" && len(targets[s.Target]) > 0 {
		c.HostingSite = targets[s.Target][0]
	}
	if others := slices.Delete(slices.Clone(sites), served, served+1); len(others) > 0 && (len(c.sites) != 1 || c.whole) {
		c.Notes = append(c.Notes, fmt.Sprintf("firebase.json has %d sites, of which Clave serves one: %s. --only hosting:NAME chooses another: %s", len(sites), s.name(), names(others)))
	}
	return nil
}

// names lists the names of sites.
func names(sites []site) string {
	var list []string
	for i := range sites {
		list = append(list, sites[i].name())
	}
	return strings.Join(list, ", ")
}

// hostingSites returns the sites of the hosting section, which may be nil. The names of a site are empty if they are
// not strings. Mistakes in it are reported when it is served.
func hostingSites(section *section) []site {
	if section == nil {
		return nil
	}
	values := []*jsontree.Value{section.value}
	if section.value.IsArray() {
		values = section.value.Items
	}
	var sites []site
	for _, v := range values {
		if v.IsNull() {
			continue
		}
		s := site{text: v.Raw, at: v.Offset, member: section.member(v)}
		_ = json.Unmarshal(v.Raw, &s)
		sites = append(sites, s)
	}
	return sites
}
