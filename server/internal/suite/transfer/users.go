package transfer

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/model/document"
)

// Empty reports whether the project has neither documents nor accounts.
func (t *Transfer) Empty(ctx context.Context) (bool, error) {
	filled, err := t.hasDocuments(ctx)
	if err != nil {
		return false, err
	}
	one := int64(1)
	page, err := t.o.Identity.BatchGet(ctx, t.admin(""), &service.BatchGetRequest{MaxResults: &one})
	if err != nil {
		return false, err
	}
	return !filled && len(page.Users) == 0, nil
}

// hasDocuments reports whether the project has documents.
func (t *Transfer) hasDocuments(ctx context.Context) (bool, error) {
	filled := false
	for _, db := range t.databases() {
		err := t.documents(ctx, db, 1, time.Time{}, func(*document.Document) error {
			filled = true
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	return filled, nil
}

// ImportUsers imports the accounts of a file that `firebase auth:export` wrote. hashFile, if not empty, is a file with
// the password hash parameters in the form in which the Firebase console shows them.
func (t *Transfer) ImportUsers(ctx context.Context, usersFile, hashFile string, sum *Summary) error {
	hash, err := ReadHash(hashFile)
	if err != nil {
		return err
	}
	if err := t.importUsers(ctx, usersFile, hash, &pass{verify: true}, &Summary{}); err != nil {
		return err
	}
	return t.marked(usersFile, func() error { return t.importUsers(ctx, usersFile, hash, &pass{}, sum) })
}

// ReadHash reads a file with password hash parameters in the form in which the Firebase console shows them; nil without
// a file.
func ReadHash(hashFile string) (*accountimport.Request, error) {
	if hashFile == "" {
		return nil, nil
	}
	text, err := regularfile.ReadText(hashFile, maxMetadata)
	if err != nil {
		return nil, fault.Wrap(err, fault.NotFound, "cannot read the hash parameters: %v", err)
	}
	hash, err := parseHash(string(text))
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidArgument, "%s: %v", hashFile, err)
	}
	return hash, nil
}

// importUsers imports a file that `firebase auth:export` wrote, or only verifies it.
func (t *Transfer) importUsers(ctx context.Context, usersFile string, hash *accountimport.Request, p *pass, sum *Summary) error {
	in := &accountsIn{t: t, pass: p, hash: hash, notes: &sum.Notes}
	err := in.read(ctx, regularfile.Folder(filepath.Dir(usersFile)), filepath.Base(usersFile), "")
	sum.Accounts += in.count
	if err != nil {
		return err
	}
	return in.refusal()
}

// parseHash reads password hash parameters as the Firebase console shows them:
//
//	hash_config {
//	  algorithm: SCRYPT,
//	  base64_signer_key: …,
//	  base64_salt_separator: …,
//	  rounds: 8,
//	  mem_cost: 14,
//	}
func parseHash(text string) (*accountimport.Request, error) {
	r := &accountimport.Request{}
	texts := map[string]*string{"algorithm": &r.HashAlgorithm, "base64_signer_key": &r.SignerKey, "base64_salt_separator": &r.SaltSeparator}
	numbers := map[string]*int64{"rounds": &r.Rounds, "mem_cost": &r.MemoryCost}
	for line := range strings.Lines(text) {
		name, v, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		name, v = strings.Trim(strings.TrimSpace(name), `"`), strings.Trim(strings.TrimSpace(v), `",`)
		if to := texts[name]; to != nil {
			*to = v
		} else if to := numbers[name]; to != nil {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %q is not a number", name, v)
			}
			*to = n
		} else {
			return nil, fmt.Errorf("%q is not a parameter of a password hash", name)
		}
	}
	if r.HashAlgorithm == "" || r.SignerKey == "" {
		return nil, fmt.Errorf("expected the password hash parameters that the Firebase console shows: algorithm, base64_signer_key, base64_salt_separator, rounds, mem_cost")
	}
	return r, nil
}
