package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/base/fault"
)

// maxListed is the maximum number of accounts and of requests that one call returns.
const maxListed = 200

// addLists adds the tools that list what a server knows.
func (t *tools) addLists() {
	add(t.server, reading("list_indexes", "List indexes", "Returns composite indexes with their state and uses, and the indexes that queries lacked."), t.listIndexes)
	add(t.server, reading("list_users", "List users", "Returns accounts, all or those that contain a text, without passwords and their hashes."+warning), t.listUsers)
	add(t.server, reading("list_requests", "List requests", "Returns the latest requests that rules decided, newest first; in production the latest denials, without data."+warning), t.listRequests)
	if t.client.Production() {
		return
	}
	add(t.server, reading("usage", "Usage", "Returns what production would bill for the requests of a project: reads, writes and deletes by call, collection pattern, caller and query."+warning), t.usage)
	add(t.server, reading("clock", "Clock", "Returns the time of a project's clock, which tests may set."), t.clock)
}

// listIndexes lists indexes.
func (t *tools) listIndexes(ctx context.Context, in Place) (any, error) {
	db, err := t.client.database(in)
	if err != nil {
		return nil, err
	}
	var found map[string]json.RawMessage
	if err := t.client.call(ctx, http.MethodGet, "/api/indexes"+query(db, nil), nil, &found); err != nil {
		return nil, err
	}
	out := make(map[string]any, len(found))
	for name, text := range found {
		var items []json.RawMessage
		if json.Unmarshal(text, &items) != nil {
			out[name] = text
			continue
		}
		if len(items) > maxListed {
			out[name+"Omitted"], items = len(items)-maxListed, items[:maxListed]
		}
		if out[name], err = list(items, func(json.RawMessage) string { return name }); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// usersIn selects accounts.
type usersIn struct {
	Place
	Tenant string `json:"tenant,omitempty" jsonschema:"tenant id; default: the project's own accounts"`
	Text   string `json:"text,omitempty" jsonschema:"part of an id, e-mail address, phone number or name; default: all"`
	Limit  int    `json:"limit,omitempty" jsonschema:"1 to 200; default 20"`
}

// user is an account in an answer. It has no member for secrets.
type user struct {
	ID            string          `json:"uid"`
	Email         string          `json:"email,omitempty"`
	EmailVerified *bool           `json:"emailVerified,omitempty"`
	DisplayName   *string         `json:"displayName,omitempty"`
	Phone         string          `json:"phoneNumber,omitempty"`
	Disabled      *bool           `json:"disabled,omitempty"`
	Claims        json.RawMessage `json:"claims,omitempty"`
	Providers     []string        `json:"providers,omitempty"`
	Factors       int             `json:"secondFactors,omitempty"`
	HasPassword   bool            `json:"hasPassword"`
	CreatedAt     string          `json:"createdAt,omitempty"`
	LastLoginAt   string          `json:"lastLoginAt,omitempty"`
}

// showUser returns an account for an answer.
func showUser(i *userinfo.Info) user {
	u := user{
		ID: i.LocalID, Email: i.Email, EmailVerified: i.EmailVerified, DisplayName: i.DisplayName, Phone: i.PhoneNumber, Disabled: i.Disabled,
		Factors: len(i.MFAInfo), HasPassword: i.PasswordHash != "", CreatedAt: i.CreatedAt, LastLoginAt: i.LastLoginAt,
	}
	if i.CustomAttributes != nil && json.Valid([]byte(*i.CustomAttributes)) {
		u.Claims = json.RawMessage(*i.CustomAttributes)
	}
	for _, p := range i.ProviderUserInfo {
		u.Providers = append(u.Providers, p.ProviderID)
	}
	return u
}

// limitOf returns a limit, which is 20 by default.
func limitOf(limit int) (string, error) {
	if limit == 0 {
		limit = usualLimit
	}
	if limit < 1 || limit > maxListed {
		return "", fault.E(fault.InvalidArgument, "limit must be 1 to %d", maxListed)
	}
	return strconv.Itoa(limit), nil
}

// listUsers lists accounts.
func (t *tools) listUsers(ctx context.Context, in usersIn) (any, error) {
	db, err := t.client.database(in.Place)
	if err != nil {
		return nil, err
	}
	limit, err := limitOf(in.Limit)
	if err != nil {
		return nil, err
	}
	var found struct {
		Users []userinfo.Info `json:"users"`
		Next  string          `json:"next"`
		Token string          `json:"nextPageToken"`
	}
	if in.Text != "" {
		err = t.client.call(ctx, http.MethodGet, "/api/users"+query(db, map[string]string{"q": in.Text, "tenant": in.Tenant, "limit": limit}), nil, &found)
	} else {
		path := "/identitytoolkit.googleapis.com/v1/projects/" + url.PathEscape(db.Project)
		if in.Tenant != "" {
			path += "/tenants/" + url.PathEscape(in.Tenant)
		}
		err = t.client.call(ctx, http.MethodGet, path+"/accounts:batchGet?maxResults="+limit, nil, &found)
	}
	if err != nil {
		return nil, err
	}
	users := make([]user, len(found.Users))
	for i := range found.Users {
		users[i] = showUser(&found.Users[i])
	}
	p, err := list(users, func(u user) string { return u.ID })
	if err != nil {
		return nil, err
	}
	p.More = found.Next != "" || found.Token != "" && strconv.Itoa(len(users)) == limit
	return p, nil
}

// requestsIn selects requests.
type requestsIn struct {
	Place
	Outcome string `json:"outcome,omitempty" jsonschema:"allow, deny, error or admin; default: all"`
	Path    string `json:"path,omitempty" jsonschema:"part of the path"`
	User    string `json:"user,omitempty" jsonschema:"id of the user, or anonymous"`
	Limit   int    `json:"limit,omitempty" jsonschema:"1 to 200; default 20"`
}

// listRequests lists requests.
func (t *tools) listRequests(ctx context.Context, in requestsIn) (any, error) {
	db, err := t.client.database(in.Place)
	if err != nil {
		return nil, err
	}
	limit, err := limitOf(in.Limit)
	if err != nil {
		return nil, err
	}
	var found struct {
		Requests []json.RawMessage `json:"requests"`
		Denials  []json.RawMessage `json:"denials"`
		More     bool              `json:"more"`
	}
	path := "/api/requests" + query(db, map[string]string{"outcome": in.Outcome, "path": in.Path, "user": in.User, "limit": limit})
	if t.client.Production() {
		path = "/api/denials" + query(db, nil)
	}
	if err := t.client.call(ctx, http.MethodGet, path, nil, &found); err != nil {
		return nil, err
	}
	p, err := list(append(found.Requests, found.Denials...), func(json.RawMessage) string { return "request" })
	if err != nil {
		return nil, err
	}
	p.More = found.More
	return p, nil
}

// usage returns the usage of a project.
func (t *tools) usage(ctx context.Context, in Place) (any, error) {
	db, err := t.client.database(in)
	if err != nil {
		return nil, err
	}
	var found struct {
		Since string            `json:"since"`
		Total json.RawMessage   `json:"total"`
		Rows  []json.RawMessage `json:"rows"`
	}
	if err := t.client.control(ctx, http.MethodGet, "projects/"+url.PathEscape(db.Project)+":usage", nil, &found); err != nil {
		return nil, err
	}
	rows, err := list(found.Rows, func(json.RawMessage) string { return "row" })
	return map[string]any{"since": found.Since, "total": found.Total, "rows": rows}, err
}

// clock returns the clock of a project.
func (t *tools) clock(ctx context.Context, in Place) (any, error) {
	db, err := t.client.database(in)
	if err != nil {
		return nil, err
	}
	var found json.RawMessage
	err = t.client.control(ctx, http.MethodGet, "projects/"+url.PathEscape(db.Project)+":clock", nil, &found)
	return found, err
}
