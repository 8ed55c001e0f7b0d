package seed

import (
	"bytes"
	"encoding/json"
	"strconv"

	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/base/pattern"
)

// Tenant is a tenant of a seed.
type Tenant struct {
	// ID is the tenant's id, and DisplayName its name; empty leaves the name as it is.
	ID, DisplayName string
	// Place is the file and the line of the tenant.
	Place string
}

// User is an account of a seed.
type User struct {
	// Tenant is the id of the account's tenant; empty for the project's own accounts.
	Tenant string
	// ID is the account's id.
	ID string
	// Place is the file and the line of the account.
	Place string
	// Email, DisplayName, PhotoURL and Phone are empty if the account has none.
	Email, DisplayName, PhotoURL, Phone string
	// Password is empty if the account has none, or if it is to stay as it is.
	Password string
	// EmailVerified and Disabled are false by default.
	EmailVerified, Disabled bool
	// Claims is the JSON of the claims, {} without any.
	Claims string
	// Providers are the users of identity providers that are linked with the account.
	Providers []userinfo.Provider
}

// userID matches the ids of accounts, and tenantID those of tenants.
var (
	userID   = pattern.New(`^[^\x00-\x1f/]{1,128}$`)
	tenantID = pattern.New(`^[A-Za-z0-9-]{1,64}$`)
)

// maxClaims is the maximum size of the claims of an account, in bytes.
const maxClaims = 1000

// tenants reads the tenants with their accounts.
func (l *loader) tenants(n *node, at place) {
	for _, m := range l.object(n, at) {
		inner := at.at(m.name)
		if !tenantID.MatchString(m.name) {
			l.add(inner, m.line, "the id of a tenant has letters, digits and hyphens")
			continue
		}
		t := Tenant{ID: m.name, Place: placeOf(at.file, m.line)}
		for _, one := range l.object(m.value, inner, "displayName", memberUsers) {
			switch one.name {
			case "displayName":
				t.DisplayName = l.text(one.value, inner.at(one.name))
			case memberUsers:
				l.accounts(one.value, inner.at(one.name), t.ID)
			}
		}
		l.seed.Tenants = append(l.seed.Tenants, t)
	}
}

// accounts reads the accounts of the project or of a tenant: an object by their ids.
func (l *loader) accounts(n *node, at place, tenant string) {
	for _, m := range l.object(n, at) {
		inner := at.at(m.name)
		if !userID.MatchString(m.name) {
			l.add(inner, m.line, "the id of an account has 1 to 128 characters")
			continue
		}
		key, here := tenant+"\x00"+m.name, placeOf(at.file, m.line)
		if before, ok := l.users[key]; ok {
			l.add(inner, m.line, "the account is described in %s too", before)
			continue
		}
		l.users[key] = here
		l.seed.Users = append(l.seed.Users, l.user(m.value, inner, &User{Tenant: tenant, ID: m.name, Place: here, Claims: "{}"}))
	}
}

// user reads the members of an account.
func (l *loader) user(n *node, at place, u *User) *User { // long: one case a member
	members := l.object(n, at, "email", "emailVerified", "password", "displayName", "photoUrl", "phoneNumber", "disabled", "claims", "providers")
	for _, m := range members {
		inner := at.at(m.name)
		switch m.name {
		case "email":
			u.Email = l.text(m.value, inner)
		case "emailVerified":
			u.EmailVerified = l.flag(m.value, inner)
		case "password":
			if u.Password = l.text(m.value, inner); len(u.Password) < 6 && m.value.kind == isText {
				l.add(inner, m.line, "a password has at least 6 characters")
			}
		case "displayName":
			u.DisplayName = l.text(m.value, inner)
		case "photoUrl":
			u.PhotoURL = l.text(m.value, inner)
		case "phoneNumber":
			u.Phone = l.text(m.value, inner)
		case "disabled":
			u.Disabled = l.flag(m.value, inner)
		case "claims":
			u.Claims = l.claims(m.value, inner)
		case "providers":
			u.Providers = l.providers(m.value, inner)
		}
	}
	if u.Password != "" && u.Email == "" {
		l.add(at, n.line, "an account with a password needs an email")
	}
	return u
}

// text reads a text.
func (l *loader) text(n *node, at place) string {
	if n.kind != isText {
		l.add(at, n.line, "expected a text, not %s", n.kind)
		return ""
	}
	return n.text
}

// flag reads a boolean.
func (l *loader) flag(n *node, at place) bool {
	if n.kind != isBool {
		l.add(at, n.line, "expected true or false, not %s", n.kind)
	}
	return n.text == "true"
}

// claims reads claims and returns their JSON.
func (l *loader) claims(n *node, at place) string {
	if n.kind != isObject {
		l.add(at, n.line, "expected an object, not %s", n.kind)
		return ""
	}
	text := l.appendJSON(nil, n, at)
	if len(text) > maxClaims {
		l.add(at, n.line, "claims have at most %d bytes", maxClaims)
	}
	return string(text)
}

// appendJSON appends the JSON of a node.
func (l *loader) appendJSON(b []byte, n *node, at place) []byte {
	switch n.kind {
	case isNull:
		return append(b, "null"...)
	case isBool:
		return append(b, n.text...)
	case isInteger, isDouble:
		if !json.Valid([]byte(n.text)) {
			l.add(at, n.line, "%s is no number of JSON", n.text)
		}
		return append(b, n.text...)
	case isList:
		b = append(b, '[')
		for i, item := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = l.appendJSON(b, item, at.item(i))
		}
		return append(b, ']')
	case isObject:
		b = append(b, '{')
		for i, m := range l.object(n, at) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, m.name), ':')
			b = l.appendJSON(b, m.value, at.at(m.name))
		}
		return append(b, '}')
	default:
		return appendText(b, n.text)
	}
}

// appendText appends the JSON of a text.
func appendText(b []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		return strconv.AppendQuote(b, text) // a text has JSON
	}
	return append(b, quoted...)
}

// providers reads the users of identity providers.
func (l *loader) providers(n *node, at place) (out []userinfo.Provider) {
	if n.kind != isList {
		l.add(at, n.line, "expected a list, not %s", n.kind)
		return nil
	}
	seen := make(map[string]bool)
	for i, item := range n.items {
		p, inner := userinfo.Provider{}, at.item(i)
		for _, m := range l.object(item, inner, "providerId", "uid", "email", "displayName", "photoUrl") {
			text := l.text(m.value, inner.at(m.name))
			switch m.name {
			case "providerId":
				p.ProviderID = text
			case "uid":
				p.RawID = text
			case "email":
				p.Email = text
			case "displayName":
				p.DisplayName = &text
			case "photoUrl":
				p.PhotoURL = &text
			}
		}
		switch {
		case p.ProviderID == "" || p.RawID == "":
			l.add(inner, item.line, "expected providerId and uid, such as {providerId: google.com, uid: \"1\"}")
		case p.ProviderID == "password" || p.ProviderID == "phone":
			l.add(inner, item.line, "give password or phoneNumber instead of the provider %s", p.ProviderID)
		case seen[p.ProviderID]:
			l.add(inner, item.line, "an account has one user of a provider")
		}
		seen[p.ProviderID] = true
		out = append(out, p)
	}
	return out
}

// sameJSON reports whether two texts are the same value of JSON. An empty text is that of {}.
func sameJSON(a, b string) bool {
	return canonical(a) == canonical(b)
}

// canonical returns JSON with its members in order, the text itself if it is not JSON.
func canonical(text string) string {
	if text == "" {
		return "{}"
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return text
	}
	out, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return string(out)
}
