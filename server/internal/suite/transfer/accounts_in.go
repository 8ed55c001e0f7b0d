package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/auth/service/settings"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/regularfile"
)

// maxAccounts is the number of accounts that one request imports.
const maxAccounts = 1000

// plainPrefix begins the hashes of the Emulator Suite, which hold the password in plain text.
const plainPrefix = "fakeHash:"

// maxNotes is the maximum number of refused accounts in the notes.
const maxNotes = 10

// importAccounts imports a folder of accounts, or only verifies it.
func (t *Transfer) importAccounts(ctx context.Context, folder regularfile.Folder, p *pass, sum *Summary) error {
	if err := t.importSettings(ctx, folder, p.verify); err != nil {
		return err
	}
	if err := t.importProviders(ctx, folder, p.verify, sum); err != nil {
		return err
	}
	entries, err := folder.ReadDir(".")
	if err != nil {
		return fault.Wrap(err, fault.NotFound, "the export is incomplete: %v", err)
	}
	var first, second []string
	for _, e := range entries {
		switch name := e.Name(); {
		case !strings.HasSuffix(name, jsonSuffix):
		case strings.HasPrefix(name, accountsName):
			first = append(first, name)
		case strings.HasPrefix(name, hashesName):
			second = append(second, name)
		}
	}
	if len(first) == 0 { // as in the Emulator Suite, which imports the settings alone
		sum.Notes = append(sum.Notes, "accounts: the export has none, not even an empty "+accountsName+jsonSuffix)
	}
	in := &accountsIn{t: t, pass: p, notes: &sum.Notes}
	for _, name := range first {
		tenant := strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(name, accountsName), jsonSuffix), "-")
		if err := in.read(ctx, folder, name, tenant); err != nil {
			return err
		}
	}
	// The accounts of the second files are in the first ones already. They are imported again with their passwords, and
	// not counted twice.
	sum.Accounts += in.count
	in.again = true
	defer func() { in.again = false }()
	for _, name := range second {
		if err := in.read(ctx, folder, name, ""); err != nil {
			return err
		}
	}
	return in.refusal()
}

// importSettings imports settings and tenants, or only verifies that they can be read.
func (t *Transfer) importSettings(ctx context.Context, folder regularfile.Folder, verify bool) error {
	// Exports of Clave have all settings in a file of their own. Those of the Emulator Suite have only config.json.
	stored, err := folder.ReadText(settingsName, maxMetadata)
	switch {
	case err == nil && verify:
		err = isObject(stored)
	case err == nil:
		_, err = t.o.Identity.Settings(ctx, t.admin(""), stored)
	case errors.Is(err, fs.ErrNotExist):
		err = t.importConfig(ctx, folder, verify)
	}
	if err != nil {
		return fault.Wrap(err, fault.InvalidArgument, "the settings of Auth cannot be read: %v", err)
	}
	text, err := folder.ReadText(tenantsName, maxMetadata)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var tenants []*settings.Tenant
	if err == nil {
		err = json.Unmarshal(text, &tenants)
	}
	for _, tenant := range tenants {
		if err == nil && !verify {
			tenant.Name = "projects/" + t.o.Project + "/tenants/" + tenant.TenantID
			err = t.o.Identity.PutTenant(ctx, t.admin(""), tenant)
		}
	}
	if err != nil {
		return fault.Wrap(err, fault.InvalidArgument, "%s cannot be read: %v", tenantsName, err)
	}
	return nil
}

// importProviders imports the configurations of identity providers, or only verifies that they can be read.
func (t *Transfer) importProviders(ctx context.Context, folder regularfile.Folder, verify bool, sum *Summary) error {
	text, err := folder.ReadText(providersName, maxMetadata)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var providers []service.ExportedIdpConfig
	if err == nil {
		err = json.Unmarshal(text, &providers)
	}
	for i := range providers {
		if err != nil {
			break
		}
		if p := &providers[i]; verify {
			err = p.Check()
		} else {
			var missing []string
			if missing, err = t.o.Identity.ImportIdpConfig(ctx, t.admin(""), p); len(missing) > 0 {
				sum.Notes = append(sum.Notes, fmt.Sprintf("the %s of %s: nobody can sign in with it until it is stored again", strings.Join(missing, ", "), p.ID))
			}
		}
	}
	if err != nil {
		return fault.Wrap(err, fault.InvalidArgument, "%s cannot be read: %v", providersName, err)
	}
	return nil
}

// importConfig reads the settings that the Emulator Suite exports.
func (t *Transfer) importConfig(ctx context.Context, folder regularfile.Folder, verify bool) error {
	text, err := folder.ReadText(configName, maxMetadata)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var config map[string]any
	if err == nil {
		err = json.Unmarshal(text, &config)
	}
	if err == nil && !verify {
		_, err = t.o.Identity.EmulatorConfig(ctx, t.admin(""), config)
	}
	return err
}

// isObject checks that a text is a JSON object.
func isObject(text []byte) error {
	var object map[string]any
	return json.Unmarshal(text, &object)
}

// maxAccountsFile is the maximum size in bytes of a file of accounts, which is read as a whole: some two million
// accounts.
const maxAccountsFile = 1 << 30

// accountsIn imports files of accounts, or only verifies them.
type accountsIn struct {
	*pass
	t *Transfer
	// count is the number of imported accounts, and refused the number of refused ones.
	count, refused int64
	// lost counts second factors that were omitted, and unknown counts passwords whose hash cannot be verified.
	lost, unknown int64
	notes         *[]string
	// hash describes the hashing of passwords for files that do not describe it; nil if it is unknown.
	hash *accountimport.Request
}

// read imports a file in the format of accounts:batchGet or of `firebase auth:export`.
func (in *accountsIn) read(ctx context.Context, folder regularfile.Folder, name, tenant string) error {
	text, err := folder.ReadText(name, maxAccountsFile)
	if err != nil {
		err = unreadable(name, err)
		return fault.Wrap(err, fault.CodeOf(err), "cannot read the accounts: %s", reason(err))
	}
	file, err := parseAccounts(name, text)
	if err != nil {
		return fault.Wrap(err, fault.DataLoss, "%s cannot be read: %v", name, err)
	}
	if file.Tenant != "" {
		tenant = file.Tenant
	}
	if file.HashAlgorithm == "" && in.hash != nil {
		file.Request = *in.hash
	}
	size := maxAccounts
	if in.verify {
		size = max(len(file.Users), 1) // All are checked together, so that conflicts between any two are found.
	} else if err := in.makeTenant(ctx, tenant); err != nil {
		return err
	}
	for users := range slices.Chunk(file.Users, size) {
		if err := in.put(ctx, name, tenant, file.Request, users); err != nil {
			return err
		}
	}
	return nil
}

// accountsText is the content of a file of accounts.
type accountsText struct {
	Users  []map[string]any `json:"users"`
	Tenant string           `json:"tenantId"`
	accountimport.Request
}

// parseAccounts parses a file in the format of accounts:batchGet, or of `firebase auth:export` as JSON or CSV.
func parseAccounts(name string, text []byte) (file accountsText, err error) {
	if isCSV(name) {
		file.Users, err = parseCSV(text)
		return file, err
	}
	return file, decodeNumbers(text, &file)
}

// decodeAccount decodes one account.
func decodeAccount(text []byte) (given map[string]any, err error) {
	return given, decodeNumbers(text, &given)
}

// decodeNumbers decodes JSON and keeps numbers as they are written.
func decodeNumbers(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

// put imports or verifies accounts of a file.
func (in *accountsIn) put(ctx context.Context, name, tenant string, request accountimport.Request, users []map[string]any) error {
	for _, given := range users {
		u, err := in.user(given)
		if err != nil {
			return fault.Wrap(err, fault.DataLoss, "%s cannot be read: %v", name, err)
		}
		if request.HashAlgorithm == "" && u.PasswordHash != "" && !strings.HasPrefix(u.PasswordHash, plainPrefix) {
			in.unknown++
		}
		request.Users = append(request.Users, u)
	}
	if request.Users = in.tally.accepted(tenant, request.Users, in.again); len(request.Users) == 0 {
		return nil
	}
	create := in.t.o.Identity.BatchCreate
	if in.verify {
		create = in.t.o.Identity.CheckImport
	}
	answer, err := create(ctx, in.t.admin(tenant), &request)
	if err != nil {
		return err
	}
	in.count += int64(len(request.Users) - len(answer.Error))
	if in.tally != nil && in.verify && !in.again {
		in.tally.sourceAccounts(tenant, request.Users, answer.Error)
		return nil
	}
	for _, e := range answer.Error {
		in.refused++
		if in.refused <= maxNotes {
			*in.notes = append(*in.notes, fmt.Sprintf("account %s of %s is refused: %s", request.Users[e.Index].LocalID, name, e.Message))
		}
	}
	return nil
}

// makeTenant creates a tenant with every provider enabled, for an export with accounts of a tenant but without its
// settings, as the Emulator Suite writes it.
func (in *accountsIn) makeTenant(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	svc, call := in.t.o.Identity, in.t.admin("")
	if _, err := svc.GetTenant(ctx, call, &service.TenantRequest{ID: id}); err == nil {
		return nil
	}
	return svc.PutTenant(ctx, call, &settings.Tenant{
		Name: "projects/" + call.Project + "/tenants/" + id, TenantID: id,
		AllowPasswordSignup: true, EnableEmailLinkSignin: true, EnableAnonymousUser: true,
	})
}

// user returns an account to import. Numbers may be strings, as in responses; factors without a telephone number are
// omitted.
func (in *accountsIn) user(given map[string]any) (u accountimport.User, err error) {
	if at, ok := given["lastSignedInAt"]; ok {
		given["lastLoginAt"] = at // as `firebase auth:export` calls it
	}
	for _, name := range []string{"createdAt", "lastLoginAt", "validSince", "passwordUpdatedAt"} {
		if text, ok := given[name].(string); ok {
			given[name] = json.Number(text)
		}
	}
	factors, _ := given["mfaInfo"].([]any)
	given["mfaInfo"] = slices.DeleteFunc(factors, func(f any) bool {
		factor, _ := f.(map[string]any)
		if factor["phoneInfo"] != nil {
			return false
		}
		in.lost++
		return true
	})
	text, err := json.Marshal(given)
	if err == nil {
		err = json.Unmarshal(text, &u)
	}
	return u, err
}

// refusal records the omitted data, and returns an error if accounts were refused.
func (in *accountsIn) refusal() error {
	if in.lost > 0 {
		*in.notes = append(*in.notes, fmt.Sprintf("%d second factors by an authenticator app are not in the export", in.lost))
	}
	if in.unknown > 0 {
		*in.notes = append(*in.notes, fmt.Sprintf("%d passwords: the export does not say how they are hashed; their users must reset them", in.unknown))
	}
	if in.refused > 0 {
		return fault.E(fault.InvalidArgument, "%d accounts are refused:\n%s", in.refused, strings.Join(*in.notes, "\n"))
	}
	return nil
}
