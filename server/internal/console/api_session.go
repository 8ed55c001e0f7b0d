package console

import (
	"net/http"
	"slices"

	"clave/server/internal/console/audit"
	"clave/server/internal/model/resource"
)

// The default and the maximum number of entries in a response with the audit log.
const (
	usualEntries = 200
	mostEntries  = 1000
)

// projectJSON is a project with its known databases.
type projectJSON struct {
	ID        string   `json:"id"`
	Databases []string `json:"databases"`
}

// sessionJSON is the answer of GET /api/session.
type sessionJSON struct {
	Mode         string        `json:"mode"`
	Write        bool          `json:"write"`
	Project      string        `json:"project"`
	Projects     []projectJSON `json:"projects"`
	Version      string        `json:"version"`
	Node         string        `json:"node,omitempty"`
	CSRF         string        `json:"csrf"`
	Expires      *string       `json:"expires"`
	Features     []string      `json:"features"`
	Addresses    Addresses     `json:"addresses"`
	PublicURL    string        `json:"publicUrl,omitempty"`
	TokensSigned bool          `json:"tokensSigned"`
}

// getSession returns the session and the features of the server.
func (c *Console) getSession(in *call) (any, error) {
	out := sessionJSON{
		Mode: c.o.Mode, Write: in.session.Write, Project: c.o.Project, Projects: c.projects(), Version: c.o.Version, Node: c.o.Node, CSRF: in.session.CSRF,
		Features: c.features(), Addresses: c.o.Addresses, PublicURL: c.o.PublicURL, TokensSigned: c.o.SignedTokens,
	}
	if end := c.o.Sessions.Expires(in.session); !end.IsZero() {
		text := timeText(end)
		out.Expires = &text
	}
	return out, nil
}

// deleteSession ends the session.
func (c *Console) deleteSession(in *call) (any, error) {
	c.o.Sessions.End(in.session)
	if c.o.Sessions.NeedsLink() {
		http.SetCookie(in.w, newCookie(in.Request, ""))
	}
	return struct{}{}, nil
}

// projects returns the projects with their databases, the default ones first.
func (c *Console) projects() []projectJSON {
	ids := []string{c.o.Project}
	if !c.o.Production {
		ids = append(ids, c.o.Authorizer.Projects()...)
	}
	var out []projectJSON
	for i, id := range ids {
		if i > 0 && id == c.o.Project {
			continue
		}
		p := projectJSON{ID: id, Databases: []string{resource.DefaultDatabase}}
		var known []string
		if i == 0 {
			known = append(known, c.o.Databases...)
		}
		for _, db := range c.o.Authorizer.Databases(id) {
			known = append(known, db.ID)
		}
		for _, db := range known {
			if !slices.Contains(p.Databases, db) {
				p.Databases = append(p.Databases, db)
			}
		}
		out = append(out, p)
	}
	return out
}

// features returns the features that are available in this mode. The page shows only these.
func (c *Console) features() []string {
	all := []string{"data", "history", "users", "auth", "rules", "indexes", "now", "logs", "audit"}
	if c.o.AppCheck != nil {
		all = append(all, "appCheck")
	}
	if c.o.Deliveries != nil {
		all = append(all, "events")
	}
	if c.o.Backups != nil {
		all = append(all, "backups")
	}
	if c.o.Production {
		return append(all, "denials", "safety")
	}
	return append(all, "rulesApply", "coverage", "requests", "codes", "signInAs", "lab", "indexFile")
}

// auditJSON is the answer of GET /api/audit.
type auditJSON struct {
	Entries []audit.Entry `json:"entries"`
	More    bool          `json:"more"`
}

// getAudit returns the latest changes.
func (c *Console) getAudit(in *call) (any, error) {
	limit, err := in.number("limit", usualEntries, mostEntries)
	if err != nil {
		return nil, err
	}
	const newest = 1 << 53
	before, err := in.number("before", newest, newest)
	if err != nil {
		return nil, err
	}
	entries, more, err := c.o.Audit.Read(limit, int64(before))
	if err != nil {
		return nil, err
	}
	if entries == nil {
		entries = []audit.Entry{}
	}
	return auditJSON{entries, more}, nil
}
