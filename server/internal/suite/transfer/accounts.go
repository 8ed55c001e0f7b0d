package transfer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/auth/service/settings"
	"clave/server/internal/auth/service/userinfo"
)

// The files of accounts. The Emulator Suite imports config.json and accounts[-TENANT].json and ignores the others. So
// it loses the settings that it does not support, the settings of tenants, and passwords that another service hashed.
const (
	accountsName = "accounts"
	// hashesName begins the names of files with accounts whose password hashes have other parameters than the project's.
	hashesName   = "hashes-"
	jsonSuffix   = ".json"
	configName   = "config.json"
	settingsName = "settings.json"
	tenantsName  = "tenants.json"
	// providersName is the name of the file with the configurations of identity providers.
	providersName = "providers.json"
)

// accountsKind is the kind of a response of accounts:batchGet, which is the format of a file of accounts.
const accountsKind = "identitytoolkit#DownloadAccountResponse"

// admin returns a call by an administrator.
func (t *Transfer) admin(tenant string) service.Call {
	return service.Call{Project: t.o.Project, Tenant: tenant, Admin: true, Transfer: true}
}

// exportAccounts writes the project's accounts, settings and tenants to a folder.
func (t *Transfer) exportAccounts(ctx context.Context, dir string, sum *Summary) error {
	shown, err := t.o.Identity.EmulatorConfig(ctx, t.admin(""), nil)
	if err != nil {
		return err
	}
	stored, err := t.o.Identity.Settings(ctx, t.admin(""), nil)
	if err != nil {
		return err
	}
	tenants, err := t.tenants(ctx)
	if err != nil {
		return err
	}
	providers, err := t.o.Identity.ExportIdpConfigs(ctx, t.admin(""))
	if err != nil {
		return err
	}
	for _, p := range providers {
		if len(p.Secrets) > 0 {
			sum.Notes = append(sum.Notes, fmt.Sprintf("the %s of %s: exports hold no secrets of identity providers", strings.Join(p.Secrets, ", "), p.ID))
		}
	}
	for name, content := range map[string]any{configName: shown, settingsName: stored, tenantsName: tenants, providersName: providers} {
		text, err := json.MarshalIndent(content, "", "  ")
		if err == nil {
			err = writeFile(filepath.Join(dir, name), text)
		}
		if err != nil {
			return err
		}
	}
	out := &accountsOut{dir: dir}
	if out.own, err = t.o.Identity.OwnHash(ctx, t.admin("")); err != nil {
		return err
	}
	// The accounts without a tenant are exported as those of a tenant without an id.
	for _, tenant := range append([]*settings.Tenant{{}}, tenants...) {
		if err := out.writeAll(ctx, t, tenant.TenantID); err != nil {
			return err
		}
	}
	sum.Accounts += out.count
	if out.lost > 0 {
		sum.Notes = append(sum.Notes, fmt.Sprintf("%d second factors by an authenticator app: exports hold no secrets of theirs", out.lost))
	}
	return nil
}

// tenantIDs returns the ids of all tenants after the empty one, of the accounts without a tenant.
func (t *Transfer) tenantIDs(ctx context.Context) ([]string, error) {
	tenants, err := t.tenants(ctx)
	ids := []string{""}
	for _, tenant := range tenants {
		ids = append(ids, tenant.TenantID)
	}
	return ids, err
}

// tenants returns all tenants.
func (t *Transfer) tenants(ctx context.Context) ([]*settings.Tenant, error) {
	all := []*settings.Tenant{}
	request := &service.TenantRequest{Stored: true, PageSize: maxAccounts}
	for {
		page, err := t.o.Identity.ListTenants(ctx, t.admin(""), request)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Tenants...)
		if page.NextPageToken == "" {
			return all, nil
		}
		request.PageToken = page.NextPageToken
	}
}

// accountsOut writes accounts to a folder.
type accountsOut struct {
	dir string
	own *accountimport.Request
	// files counts the files with other hashes, count the accounts, and lost the second factors that can't be exported.
	files       int
	count, lost int64
}

// writeAll writes the accounts of a tenant, or of none.
func (o *accountsOut) writeAll(ctx context.Context, t *Transfer, tenant string) error {
	name := accountsName
	if tenant != "" {
		name += "-" + tenant
	}
	// Every account is in the main file, which the Emulator Suite imports. One whose password another service hashed is
	// also in a file with the parameters of that hash, which importAccounts reads later; others collects those by their
	// parameters.
	others := make(map[string][]json.RawMessage)
	main, err := newAccountsFile(filepath.Join(o.dir, name+jsonSuffix))
	if err != nil {
		return err
	}
	err = t.o.Identity.Export(ctx, t.admin(tenant), o.own, func(u userinfo.Info, hash *accountimport.Request) error {
		o.count++
		for _, factor := range u.MFAInfo {
			if factor.TOTPInfo != nil {
				o.lost++
			}
		}
		text, err := json.Marshal(u)
		if err == nil && hash != o.own {
			var key string
			key, err = hashText(hash)
			others[key] = append(others[key], text)
		}
		return errors.Join(err, main.add(text))
	})
	own, hashErr := hashText(o.own)
	if err := errors.Join(err, hashErr, main.end(own)); err != nil {
		return err
	}
	for hash, users := range others {
		o.files++
		file, err := newAccountsFile(filepath.Join(o.dir, fmt.Sprint(hashesName, o.files, jsonSuffix)))
		if err != nil {
			return err
		}
		for _, text := range users {
			err = errors.Join(err, file.add(text))
		}
		if tenant != "" {
			hash += fmt.Sprintf(`,"tenantId":%q`, tenant)
		}
		if err := errors.Join(err, file.end(hash)); err != nil {
			return err
		}
	}
	return nil
}

// hashText returns the members of a JSON object that describe the hashing of passwords.
func hashText(r *accountimport.Request) (string, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		return "", err
	}
	for name, v := range members {
		if v == nil || v == "" || v == 0.0 {
			delete(members, name)
		}
	}
	text, err = json.Marshal(members)
	if err != nil || len(members) == 0 {
		return "", err
	}
	return string(text[1 : len(text)-1]), nil
}

// accountsFile is a file of accounts that is being written.
type accountsFile struct {
	file  *os.File
	w     *bufio.Writer
	users int
}

// newAccountsFile begins a file.
func newAccountsFile(name string) (*accountsFile, error) {
	f, err := createFile(name)
	if err != nil {
		return nil, err
	}
	a := &accountsFile{file: f, w: bufio.NewWriter(f)}
	return a, a.begin()
}

// begin writes what is before the accounts.
func (a *accountsFile) begin() error {
	_, err := fmt.Fprintf(a.w, `{"kind":%q,"users":[`, accountsKind)
	return err
}

// add adds an account.
func (a *accountsFile) add(user json.RawMessage) error {
	separator := ",\n"
	if a.users == 0 {
		separator = "\n"
	}
	a.users++
	_, err := a.w.WriteString(separator)
	if err == nil {
		_, err = a.w.Write(user)
	}
	return err
}

// end ends the file with further members of its object.
func (a *accountsFile) end(members string) error {
	if members != "" {
		members = ",\n" + members
	}
	_, err := a.w.WriteString("]" + members + "}\n")
	return errors.Join(err, a.w.Flush(), a.file.Sync(), a.file.Close())
}
