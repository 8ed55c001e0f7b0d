package download

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/base/fault"
)

// redacted is what the Identity Toolkit shows in place of a password hash to who may not see it: REDACTED in base64.
const redacted = "UkVEQUNURUQ"

// otherSettings is what a download does not have of Authentication.
const otherSettings = "settings of Authentication (templates, authorized domains, blocking functions, policies): enter them in the console or with an Admin SDK"

// tenant is what is taken over of a tenant's settings.
type tenant struct {
	Name                  string `json:"name"`
	TenantID              string `json:"tenantId"`
	DisplayName           string `json:"displayName,omitempty"`
	AllowPasswordSignup   bool   `json:"allowPasswordSignup"`
	EnableEmailLinkSignin bool   `json:"enableEmailLinkSignin"`
	EnableAnonymousUser   bool   `json:"enableAnonymousUser"`
	DisableAuth           bool   `json:"disableAuth"`
}

// accountsIn downloads accounts.
type accountsIn struct {
	*download
	// hash has the parameters of the password hashes; nil if they are unknown.
	hash *accountimport.Request
	// hidden counts the passwords that the caller may not see, and passwords those that it sees.
	hidden, passwords int64
	// none is set if the project does not use Authentication.
	none bool
}

// accounts downloads the accounts without a tenant, and those of all tenants.
func (d *download) accounts(ctx context.Context) error {
	if d.o.NoAccounts {
		return nil
	}
	if d.o.Endpoints[APIIdentity] == "" {
		d.remark("accounts: the endpoint of identity is not named; give --users")
		return nil
	}
	in := &accountsIn{download: d, hash: d.o.Hash}
	if in.hash == nil {
		if err := in.askHash(ctx); err != nil {
			return err
		}
	}
	tenants, err := d.tenants(ctx)
	if err != nil {
		return err
	}
	for _, t := range append([]tenant{{}}, tenants...) {
		if err := in.ofTenant(ctx, t.TenantID); err != nil {
			return err
		}
		if in.none {
			d.remark("accounts: the project does not use Authentication")
			return nil
		}
	}
	if err := d.providers(ctx); err != nil {
		return err
	}
	if in.hidden > 0 {
		d.remark(fmt.Sprintf("%d passwords: the service account may not see their hashes (it needs the permission firebaseauth.configs.getHashConfig, which the role Firebase Authentication Admin has). "+
			"Grant it, or give --users with a file of firebase auth:export and --hash-config", in.hidden))
	}
	if in.passwords > 0 && in.hash == nil {
		d.remark(fmt.Sprintf("%d passwords: the project does not show the parameters of their hashes to the service account. Give --hash-config with those that the Firebase console shows", in.passwords))
	}
	d.remark(otherSettings)
	d.s.HasAccounts = true
	return nil
}

// askHash asks the project for the parameters of the password hashes.
func (in *accountsIn) askHash(ctx context.Context) error {
	var config struct {
		SignIn struct {
			Hash struct {
				Algorithm  string `json:"algorithm"`
				SignerKey  string `json:"signerKey"`
				Separator  string `json:"saltSeparator"`
				Rounds     int64  `json:"rounds"`
				MemoryCost int64  `json:"memoryCost"`
			} `json:"hashConfig"`
		} `json:"signIn"`
	}
	err := in.get(ctx, APIIdentity, "/v2/projects/"+in.o.Project+"/config", nil, &config)
	if optional(err) {
		return nil
	}
	if h := config.SignIn.Hash; err == nil && h.Algorithm != "" && h.SignerKey != "" && !strings.HasPrefix(h.SignerKey, redacted) {
		in.hash = &accountimport.Request{HashAlgorithm: h.Algorithm, SignerKey: h.SignerKey, SaltSeparator: h.Separator, Rounds: h.Rounds, MemoryCost: h.MemoryCost}
	}
	return err
}

// tenants downloads the tenants. A project without the Identity Platform has none.
func (d *download) tenants(ctx context.Context) (all []tenant, err error) {
	err = d.pages(ctx, APIIdentity, "/v2/projects/"+d.o.Project+"/tenants", url.Values{"pageSize": {"100"}}, func(text json.RawMessage) (string, error) {
		var page struct {
			Tenants []tenant `json:"tenants"`
			Next    string   `json:"nextPageToken"`
		}
		if err := json.Unmarshal(text, &page); err != nil {
			return "", err
		}
		for _, t := range page.Tenants {
			t.TenantID = t.Name[strings.LastIndexByte(t.Name, '/')+1:]
			all = append(all, t)
		}
		return page.Next, nil
	})
	switch {
	case fault.Is(err, fault.InvalidArgument), fault.Is(err, fault.FailedPrecondition), optional(err):
		d.remark("tenants, if there are any: " + fault.FromError(err).Message)
		return nil, nil
	case err != nil || len(all) == 0:
		return nil, err
	}
	d.remark(fmt.Sprintf("settings of %d tenants but their names and kinds of sign-in", len(all)))
	return all, d.out.WriteTenants(all)
}

// ofTenant downloads the accounts of a tenant, or those without one, to a file.
func (in *accountsIn) ofTenant(ctx context.Context, id string) (err error) {
	path := "/v1/projects/" + in.o.Project
	if id != "" {
		path += "/tenants/" + url.PathEscape(id)
	}
	file, err := in.out.CreateAccounts(id)
	if err != nil {
		return err
	}
	err = in.pages(ctx, APIIdentity, path+"/accounts:batchGet", url.Values{"maxResults": {"1000"}}, func(text json.RawMessage) (string, error) {
		var page struct {
			Users []map[string]json.RawMessage `json:"users"`
			Next  string                       `json:"nextPageToken"`
		}
		if err := json.Unmarshal(text, &page); err != nil {
			return "", err
		}
		for _, u := range page.Users {
			if err := in.account(file.Add, u); err != nil {
				return "", err
			}
		}
		if len(page.Users) == 0 {
			return "", nil // The page after the last one may have a token.
		}
		return page.Next, nil
	})
	err = errors.Join(err, file.Close(in.hash, err == nil))
	switch {
	case id == "" && without(err):
		in.none = true
		return nil
	case fault.Is(err, fault.PermissionDenied):
		return fault.Wrap(err, fault.PermissionDenied, "the accounts cannot be read: %s The service account needs the role Firebase Authentication Viewer or Admin. "+
			"Grant it, or give --users with a file of firebase auth:export", fault.FromError(err).Message)
	}
	return err
}

// without reports whether an error says that a project does not use Authentication.
func without(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "CONFIGURATION_NOT_FOUND") || strings.Contains(err.Error(), "has not been used in project"))
}

// account writes an account, without a password hash that the caller may not see.
func (in *accountsIn) account(add func(json.RawMessage) error, u map[string]json.RawMessage) error {
	var hash string
	if text, ok := u["passwordHash"]; ok {
		if err := json.Unmarshal(text, &hash); err != nil {
			return err
		}
	}
	switch {
	case strings.TrimRight(hash, "=") == redacted:
		in.hidden++
		delete(u, "passwordHash")
		delete(u, "salt")
	case hash != "":
		in.passwords++
	}
	text, err := json.Marshal(u)
	if err != nil {
		return err
	}
	return add(text)
}

// providers says which identity providers the project has: what they share with it is for nobody else.
func (d *download) providers(ctx context.Context) error {
	for _, kind := range idp.Kinds {
		err := d.pages(ctx, APIIdentity, "/v2/projects/"+d.o.Project+"/"+kind, url.Values{"pageSize": {"100"}}, func(text json.RawMessage) (string, error) {
			var page map[string]json.RawMessage
			var list []struct{ Name string }
			var next string
			err := json.Unmarshal(text, &page)
			if err == nil && page[kind] != nil {
				err = json.Unmarshal(page[kind], &list)
			}
			if err == nil && page["nextPageToken"] != nil {
				err = json.Unmarshal(page["nextPageToken"], &next)
			}
			for _, p := range list {
				d.remark(fmt.Sprintf("the configuration of the provider %s, with its secret: store it with clave providers add", p.Name[strings.LastIndexByte(p.Name, '/')+1:]))
			}
			return next, err
		})
		if err != nil && !optional(err) && !fault.Is(err, fault.InvalidArgument) {
			return err
		}
	}
	return nil
}
