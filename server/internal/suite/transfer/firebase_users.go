package transfer

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/model/resource"
)

// UserFile is a file of accounts that `firebase auth:import` reads.
type UserFile struct {
	Name     string
	Tenant   string
	Accounts int64
	// Hash has the parameters of the password hashes.
	Hash *accountimport.Request
}

// cliUser is an account with the members that the Firebase CLI accepts; it refuses files with others.
type cliUser struct {
	LocalID          string            `json:"localId"`
	Email            string            `json:"email,omitempty"`
	EmailVerified    *bool             `json:"emailVerified,omitempty"`
	PasswordHash     string            `json:"passwordHash,omitempty"`
	Salt             string            `json:"salt,omitempty"`
	DisplayName      *string           `json:"displayName,omitempty"`
	PhotoURL         *string           `json:"photoUrl,omitempty"`
	CreatedAt        string            `json:"createdAt,omitempty"`
	LastSignedInAt   string            `json:"lastSignedInAt,omitempty"`
	PhoneNumber      string            `json:"phoneNumber,omitempty"`
	Disabled         *bool             `json:"disabled,omitempty"`
	CustomAttributes *string           `json:"customAttributes,omitempty"`
	ProviderUserInfo []cliProvider     `json:"providerUserInfo,omitempty"`
	MFAInfo          []userinfo.Factor `json:"mfaInfo,omitempty"`
}

// cliProvider is a linked identity with the members that the Firebase CLI accepts.
type cliProvider struct {
	ProviderID  string  `json:"providerId"`
	RawID       string  `json:"rawId"`
	Email       string  `json:"email,omitempty"`
	DisplayName *string `json:"displayName,omitempty"`
	PhotoURL    *string `json:"photoUrl,omitempty"`
}

// cliAlgorithms are the hashes that the Firebase CLI accepts.
var cliAlgorithms = []string{
	"SCRYPT", "STANDARD_SCRYPT", "BCRYPT", "PBKDF_SHA1", "PBKDF2_SHA256", "HMAC_SHA512", "HMAC_SHA256", "HMAC_SHA1", "HMAC_MD5", "MD5", "SHA1", "SHA256", "SHA512",
}

// The names of files of accounts.
const (
	usersName    = "users"
	usersPattern = usersName + "*" + jsonSuffix
)

// usersOut writes files that `firebase auth:import` reads: one for each tenant and each kind of hashes.
type usersOut struct {
	dir   string
	files []*UserFile
	open  map[string]*accountsFile // by tenant and parameters
	of    map[string]*UserFile
	// lost counts what the CLI does not accept, by its description.
	lost map[string]int64
}

// WriteUsers writes the accounts to files in a folder that `firebase auth:import` reads, and replaces those of an
// earlier call. notes describe what these can't hold.
func (t *Transfer) WriteUsers(ctx context.Context, dir string) (files []*UserFile, notes []string, err error) {
	earlier, err := filepath.Glob(filepath.Join(globbed(dir), usersPattern))
	if err != nil {
		return nil, nil, err
	}
	for _, name := range earlier {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, cannotWrite(err)
		}
	}
	ids, err := t.tenantIDs(ctx)
	if err != nil {
		return nil, nil, err
	}
	own, err := t.o.Identity.OwnHash(ctx, t.admin(""))
	if err != nil {
		return nil, nil, err
	}
	out := &usersOut{dir: dir, open: make(map[string]*accountsFile), of: make(map[string]*UserFile), lost: make(map[string]int64)}
	for _, id := range ids {
		err = errors.Join(err, t.o.Identity.Export(ctx, t.admin(id), own, func(u userinfo.Info, hash *accountimport.Request) error { return out.add(id, u, hash) }))
	}
	for _, f := range out.open {
		err = errors.Join(err, f.end(""))
	}
	for what, n := range out.lost {
		notes = append(notes, fmt.Sprintf("%d %s", n, what))
	}
	slices.Sort(notes)
	return out.files, notes, err
}

// globbed returns a path as a pattern that matches only it.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// add writes an account to the file of its tenant and its hash.
func (o *usersOut) add(tenant string, u userinfo.Info, hash *accountimport.Request) error {
	c, err := o.convert(u, hash)
	if err != nil {
		return err
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	parameters, err := hashText(hash)
	if err != nil {
		return err
	}
	key := tenant + "\x00" + parameters
	if o.open[key] == nil {
		name := usersName + jsonSuffix
		if len(o.files) > 0 {
			name = fmt.Sprint(usersName, "-", len(o.files)+1, jsonSuffix)
		}
		if o.open[key], err = newAccountsFile(filepath.Join(o.dir, name)); err != nil {
			return err
		}
		o.of[key] = &UserFile{Name: name, Tenant: tenant, Hash: hash}
		o.files = append(o.files, o.of[key])
	}
	o.of[key].Accounts++
	return o.open[key].add(text)
}

// convert returns an account as the CLI accepts it, and counts what it does not accept.
func (o *usersOut) convert(u userinfo.Info, hash *accountimport.Request) (*cliUser, error) {
	c := &cliUser{
		LocalID: u.LocalID, Email: u.Email, EmailVerified: u.EmailVerified, DisplayName: u.DisplayName, PhotoURL: u.PhotoURL, CreatedAt: u.CreatedAt,
		LastSignedInAt: u.LastLoginAt, PhoneNumber: u.PhoneNumber, Disabled: u.Disabled, CustomAttributes: u.CustomAttributes,
	}
	switch {
	case u.PasswordHash == "":
	case !slices.Contains(cliAlgorithms, hash.HashAlgorithm):
		o.lost["passwords with hashes of "+hash.HashAlgorithm+", which firebase auth:import does not accept; these users must reset them"]++
	default:
		sum, err := accountimport.Decode64(u.PasswordHash)
		salt, saltErr := accountimport.Decode64(u.Salt)
		if err := errors.Join(err, saltErr); err != nil {
			return nil, err
		}
		c.PasswordHash, c.Salt = base64.StdEncoding.EncodeToString(sum), base64.StdEncoding.EncodeToString(salt)
	}
	for _, p := range u.ProviderUserInfo {
		switch {
		case p.ProviderID == "password" || p.ProviderID == "phone": // the hash and the number represent these
		case !isCLIProvider(p.ProviderID):
			o.lost["links to "+p.ProviderID+", which firebase auth:import does not accept; an Admin SDK imports them from auth_export"]++
		default:
			c.ProviderUserInfo = append(c.ProviderUserInfo, cliProvider{ProviderID: p.ProviderID, RawID: p.RawID, Email: p.Email, DisplayName: p.DisplayName, PhotoURL: p.PhotoURL})
		}
	}
	for _, f := range u.MFAInfo {
		if f.TOTPInfo != nil {
			o.lost["second factors by an authenticator app"]++
			continue
		}
		f.UnobfuscatedPhoneInfo = ""
		c.MFAInfo = append(c.MFAInfo, f)
	}
	return c, nil
}

// isCLIProvider reports whether the Firebase CLI accepts links to a provider: those that have columns in its CSV.
func isCLIProvider(id string) bool {
	for _, known := range csvProviders {
		if id == known {
			return true
		}
	}
	return false
}

// DatabaseFolders returns the folders of an export with the documents of databases, by the ids of these.
func DatabaseFolders(dir string) (map[string]string, error) {
	content, err := contentOf(dir)
	if err != nil {
		return nil, err
	}
	folders := make(map[string]string)
	if content.Firestore != nil {
		folders[resource.DefaultDatabase] = content.Firestore.Path
	}
	for _, e := range content.Databases {
		folders[e.Database] = e.Path
	}
	return folders, nil
}
