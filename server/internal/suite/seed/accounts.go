package seed

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/base/fault"
)

// maxAccounts is the maximum number of accounts of a project, or of a tenant, that seeds compare.
const maxAccounts = 100_000

// accounts returns the URL of a method on the accounts of a tenant; empty for the project's own accounts.
func (t *Target) accounts(tenant, method string) string {
	if tenant != "" {
		method = "/tenants/" + url.PathEscape(tenant) + method
	}
	return t.toolkit("v1", method)
}

// compareTenants compares the tenants.
func compareTenants(ctx context.Context, t *Target, s *Seed, _ bool) (out []*Difference, err error) {
	if len(s.Tenants)+len(s.Users) > 0 && t.Auth == "" {
		return nil, fault.E(fault.FailedPrecondition, "the seed has accounts, and Authentication does not run")
	}
	for i := range s.Tenants {
		want := &s.Tenants[i]
		var have struct {
			DisplayName string `json:"displayName"`
		}
		d := &Difference{Action: Change, Kind: kindTenant, Name: want.ID, Place: want.Place, tenant: want}
		switch err := t.call(ctx, http.MethodGet, t.toolkit("v2", "/tenants/"+url.PathEscape(want.ID)), nil, &have); {
		case fault.CodeOf(err) == fault.NotFound, err != nil && strings.Contains(err.Error(), "TENANT_NOT_FOUND"):
			return nil, fault.E(fault.FailedPrecondition, "%s: the project has no tenant %s, and the server gives new tenants ids of its own", want.Place, want.ID)
		case err != nil:
			return nil, err
		case want.DisplayName == "" || want.DisplayName == have.DisplayName:
			continue
		}
		d.member("displayName", fmt.Sprintf("%q", want.DisplayName), fmt.Sprintf("%q", have.DisplayName))
		out = append(out, d)
	}
	return out, nil
}

// apply sets the name of a tenant.
func (n *Tenant) apply(ctx context.Context, t *Target, _ Action) error {
	path := "/tenants/" + url.PathEscape(n.ID) + "?updateMask=displayName"
	return t.call(ctx, http.MethodPatch, t.toolkit("v2", path), map[string]string{"displayName": n.DisplayName}, nil)
}

// listAccounts reads the accounts of a tenant, by their ids.
func (t *Target) listAccounts(ctx context.Context, tenant string) (map[string]*userinfo.Info, error) {
	out := make(map[string]*userinfo.Info)
	for token := ""; ; {
		var page struct {
			Users []*userinfo.Info `json:"users"`
			Next  string           `json:"nextPageToken"`
		}
		query := url.Values{"maxResults": {"1000"}}
		if token != "" {
			query.Set("nextPageToken", token)
		}
		if err := t.call(ctx, http.MethodGet, t.accounts(tenant, "/accounts:batchGet?"+query.Encode()), nil, &page); err != nil {
			return nil, err
		}
		for _, u := range page.Users {
			out[u.LocalID] = u
		}
		if len(out) > maxAccounts {
			return nil, fault.E(fault.ResourceExhausted, "the project has more than %d accounts", maxAccounts)
		}
		if token = page.Next; token == "" || len(page.Users) == 0 {
			return out, nil
		}
	}
}

// hashParams returns the parameters with which a project hashes passwords. ok is false if the server does not tell.
func (t *Target) hashParams(ctx context.Context) (p passhash.Params, ok bool) {
	var config struct {
		SignIn struct {
			Hash struct {
				Algorithm  string `json:"algorithm"`
				SignerKey  []byte `json:"signerKey"`
				Separator  []byte `json:"saltSeparator"`
				Rounds     int    `json:"rounds"`
				MemoryCost int    `json:"memoryCost"`
			} `json:"hashConfig"`
		} `json:"signIn"`
	}
	err := t.call(ctx, http.MethodGet, t.toolkit("v2", "/config"), nil, &config)
	h := config.SignIn.Hash
	return passhash.Params{SignerKey: h.SignerKey, Separator: h.Separator, Rounds: h.Rounds, MemCost: h.MemoryCost}, err == nil && h.Algorithm == "SCRYPT" && len(h.SignerKey) > 0
}

// compareUsers compares the accounts.
func compareUsers(ctx context.Context, t *Target, s *Seed, prune bool) (out []*Difference, err error) {
	if len(s.Users) == 0 {
		return nil, nil
	}
	byTenant, order := make(map[string][]*User), []string(nil)
	for _, u := range s.Users {
		if byTenant[u.Tenant] == nil {
			order = append(order, u.Tenant)
		}
		byTenant[u.Tenant] = append(byTenant[u.Tenant], u)
	}
	params, comparable := t.hashParams(ctx)
	for _, tenant := range order {
		have, err := t.listAccounts(ctx, tenant)
		if err != nil {
			return nil, err
		}
		for _, u := range byTenant[tenant] {
			d := &Difference{Action: Add, Kind: kindUser, Name: named(tenant, u.ID), Place: u.Place, user: &userChange{want: u, have: have[u.ID]}}
			if old := have[u.ID]; old != nil {
				d.Action = Change
				d.compareUser(u, old, params, comparable)
			}
			if d.Action == Add || len(d.Members) > 0 {
				out = append(out, d)
			}
			delete(have, u.ID)
		}
		if prune {
			out = append(out, extraUsers(tenant, have)...)
		}
	}
	return out, nil
}

// named returns the name of an account of a tenant.
func named(tenant, id string) string {
	if tenant == "" {
		return id
	}
	return tenant + "/" + id
}

// extraUsers returns the removal of accounts.
func extraUsers(tenant string, have map[string]*userinfo.Info) (out []*Difference) {
	ids := make([]string, 0, len(have))
	for id := range have {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		out = append(out, &Difference{Action: Remove, Kind: kindUser, Name: named(tenant, id), remove: func(ctx context.Context, t *Target) error {
			return t.call(ctx, http.MethodPost, t.accounts(tenant, "/accounts:delete"), map[string]string{"localId": id}, nil)
		}})
	}
	return out
}

// compareUser adds the members of an account that differ.
func (d *Difference) compareUser(want *User, have *userinfo.Info, params passhash.Params, comparable bool) {
	text := func(path, want, have string) {
		if want != have {
			d.member(path, quoted(want), quoted(have))
		}
	}
	text("email", strings.ToLower(want.Email), have.Email)
	text("displayName", want.DisplayName, given(have.DisplayName))
	text("photoUrl", want.PhotoURL, given(have.PhotoURL))
	text("phoneNumber", want.Phone, have.PhoneNumber)
	flag := func(path string, want bool, have *bool) {
		if had := have != nil && *have; want != had {
			d.member(path, fmt.Sprint(want), fmt.Sprint(had))
		}
	}
	flag("emailVerified", want.EmailVerified, have.EmailVerified)
	flag("disabled", want.Disabled, have.Disabled)
	if claims := given(have.CustomAttributes); !sameJSON(want.Claims, claims) {
		d.member("claims", want.Claims, claims)
	}
	for _, p := range want.Providers {
		if i := linked(have, p.ProviderID); i == nil || !sameProvider(p, i) {
			d.member("providers."+p.ProviderID, quoted(p.RawID), "")
			d.user.link = append(d.user.link, p)
		}
	}
	for _, p := range have.ProviderUserInfo {
		if p.ProviderID != "password" && p.ProviderID != "phone" && !slices.ContainsFunc(want.Providers, func(one userinfo.Provider) bool { return one.ProviderID == p.ProviderID }) {
			d.member("providers."+p.ProviderID, "", quoted(p.RawID))
			d.user.unlink = append(d.user.unlink, p.ProviderID)
		}
	}
	if want.Password != "" && (have.PasswordHash == "" || passwordDiffers(want.Password, have, params, comparable)) {
		d.user.password = true
		d.member("password", "", "")
	}
}

// given returns a text that may be absent.
func given(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// quoted returns a text in quotes, nothing for an empty one.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf("%q", text)
}

// linked returns an account's user of a provider, or nil.
func linked(u *userinfo.Info, provider string) *userinfo.Provider {
	for i := range u.ProviderUserInfo {
		if u.ProviderUserInfo[i].ProviderID == provider {
			return &u.ProviderUserInfo[i]
		}
	}
	return nil
}

// sameProvider reports whether a linked user of a provider is what the seed describes.
func sameProvider(want userinfo.Provider, have *userinfo.Provider) bool {
	return want.RawID == have.RawID && want.Email == have.Email && given(want.DisplayName) == given(have.DisplayName) && given(want.PhotoURL) == given(have.PhotoURL)
}

// passwordDiffers reports whether the password of an account is known to be another one. That of a hash that cannot be
// computed is not known.
func passwordDiffers(password string, have *userinfo.Info, params passhash.Params, comparable bool) bool {
	if plain, ok := accountimport.FakePassword(have.PasswordHash); ok { // the official emulator
		return plain != password
	}
	if !comparable || have.PasswordHash == userinfo.Redacted {
		return false
	}
	sum, err := decode64(have.PasswordHash)
	salt, bad := decode64(have.Salt)
	if err != nil || bad != nil {
		return false
	}
	h := &passhash.Hash{Alg: "SCRYPT", Sum: sum, Salt: salt, Separator: params.Separator, Rounds: params.Rounds, MemCost: params.MemCost}
	if !h.Check() {
		return false
	}
	ok, err := h.Verify(password, params)
	return err == nil && !ok
}

// decode64 decodes base64 of either alphabet.
func decode64(text string) ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.NewReplacer("-", "+", "_", "/").Replace(text))
}

// userChange is what Apply does with an account.
type userChange struct {
	want *User
	// have is the account in the target; nil if there is none.
	have *userinfo.Info
	// password is set if the password is to be set, and link and unlink are what changes at the providers.
	password bool
	link     []userinfo.Provider
	unlink   []string
}

// apply creates or changes an account.
func (c *userChange) apply(ctx context.Context, t *Target) error {
	u := c.want
	if c.have == nil {
		body := map[string]any{"localId": u.ID, "disabled": u.Disabled}
		for name, text := range map[string]string{"email": u.Email, "password": u.Password, "displayName": u.DisplayName, "photoUrl": u.PhotoURL, "phoneNumber": u.Phone} {
			if text != "" {
				body[name] = text
			}
		}
		if u.Email != "" {
			body["emailVerified"] = u.EmailVerified
		}
		if err := t.call(ctx, http.MethodPost, t.accounts(u.Tenant, "/accounts"), body, nil); err != nil {
			return fmt.Errorf("%s: account %s: %w", u.Place, u.ID, err)
		}
		c.link = u.Providers
		if u.Claims == "{}" && len(c.link) == 0 {
			return nil
		}
	}
	for _, body := range c.updates() {
		if err := t.call(ctx, http.MethodPost, t.accounts(u.Tenant, "/accounts:update"), body, nil); err != nil {
			return fmt.Errorf("%s: account %s: %w", u.Place, u.ID, err)
		}
	}
	return nil
}

// updates returns the bodies of the requests that change an account. A request links one user of a provider.
func (c *userChange) updates() []map[string]any {
	u := c.want
	first := map[string]any{"localId": u.ID, "customAttributes": u.Claims}
	if c.have != nil {
		first["disableUser"] = u.Disabled
		var gone []string
		for name, one := range map[string]struct{ member, text string }{
			"EMAIL": {"email", u.Email}, "DISPLAY_NAME": {"displayName", u.DisplayName}, "PHOTO_URL": {"photoUrl", u.PhotoURL},
		} {
			if one.text != "" {
				first[one.member] = one.text
			} else if name != "EMAIL" || c.have.Email != "" {
				gone = append(gone, name)
			}
		}
		slices.Sort(gone)
		first["deleteAttribute"] = gone
		unlink := c.unlink
		switch {
		case u.Phone != "":
			first["phoneNumber"] = u.Phone
		case c.have.PhoneNumber != "":
			unlink = append(slices.Clone(unlink), "phone")
		}
		for _, p := range c.link {
			if linked(c.have, p.ProviderID) != nil {
				unlink = append(slices.Clone(unlink), p.ProviderID)
			}
		}
		first["deleteProvider"] = unlink
		if u.Email != "" {
			first["emailVerified"] = u.EmailVerified
		}
		if c.password {
			first["password"] = u.Password
		}
	}
	out := []map[string]any{first}
	for _, p := range c.link {
		out = append(out, map[string]any{"localId": u.ID, "linkProviderUserInfo": p})
	}
	return out
}
