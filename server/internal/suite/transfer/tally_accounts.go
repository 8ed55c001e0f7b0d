package transfer

import (
	"encoding/json"
	"slices"
	"strings"

	"clave/server/internal/auth/service/accountimport"
	contact "clave/server/internal/auth/service/field"
)

// lacks says what the source of an account does not have, so that it can't be compared with the target.
type lacks struct {
	// hash is set if the password is in plain text, and created if the time of creation is missing.
	hash, created bool
}

// comparedAccount is what imports keep of an account.
type comparedAccount struct {
	UID, Email, Name, Photo, Phone, Claims string
	Verified, Disabled                     bool
	Created, LastLogin                     int64
	Hash, Salt                             []byte
	Providers, Factors                     []string
}

// account adds an account of a tenant.
func (t *Tally) account(tenant string, u *accountimport.User, without lacks) {
	c := comparedAccount{
		UID: u.LocalID, Name: textOf(u.DisplayName), Photo: textOf(u.PhotoURL), Claims: textOf(u.CustomAttributes),
		Verified: u.EmailVerified != nil && *u.EmailVerified, Disabled: u.Disabled != nil && *u.Disabled, Created: u.CreatedAt, LastLogin: u.LastLoginAt,
	}
	c.Email, _ = contact.Email(u.Email)
	c.Phone, _ = contact.Phone(u.PhoneNumber)
	if without.created {
		c.Created = 0
	}
	if !without.hash && u.PasswordHash != "" {
		// The importer has decoded both, and refuses others.
		c.Hash, _ = accountimport.Decode64(u.PasswordHash)
		c.Salt, _ = accountimport.Decode64(u.Salt)
	}
	for _, p := range u.ProviderUserInfo {
		if p.ProviderID != "password" && p.ProviderID != "phone" {
			c.Providers = append(c.Providers, p.ProviderID+"\x00"+p.RawID)
			t.Providers[p.ProviderID]++
		}
	}
	for _, f := range u.MFAInfo {
		phone, _ := contact.Phone(f.PhoneInfo)
		c.Factors = append(c.Factors, phone)
	}
	slices.Sort(c.Providers)
	slices.Sort(c.Factors)
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // texts and numbers are JSON
	}
	t.add(kind{KindAccounts, "", tenant}, text)
}

// sourceAccounts adds the accounts of a request, except those that problems name by their indexes. They are compared
// with the target without what the source lacks.
func (t *Tally) sourceAccounts(tenant string, users []accountimport.User, problems []accountimport.Problem) {
	refused := make(map[int]string)
	for _, p := range problems {
		refused[p.Index] = p.Message
	}
	for i := range users {
		u := &users[i]
		name := accountName{tenant, u.LocalID}
		if why, ok := refused[i]; ok {
			t.refused[name] = true
			t.refuse(Refused{Kind: KindAccounts, Name: u.LocalID, Reason: why})
			continue
		}
		without := lacks{hash: strings.HasPrefix(u.PasswordHash, plainPrefix) || u.RawPassword != "", created: u.CreatedAt == 0}
		if without != (lacks{}) {
			t.partial[name] = without
		}
		t.account(tenant, u, without)
	}
}

// accepted returns the accounts of a file that an import tries to store: those that are not refused and not in the
// source before, unless again is set. Each pass begins with an empty t.seen.
func (t *Tally) accepted(tenant string, users []accountimport.User, again bool) []accountimport.User {
	if t == nil {
		return users
	}
	return slices.DeleteFunc(users, func(u accountimport.User) bool {
		name := accountName{tenant, u.LocalID}
		twice := t.seen[name] && !again
		t.seen[name] = true
		if twice && !t.refused[name] && !t.twice[name] {
			t.twice[name] = true
			t.refuse(Refused{Kind: KindAccounts, Name: u.LocalID, Reason: "it is in the source twice; the first is taken"})
		}
		return twice || t.refused[name]
	})
}

// textOf returns a text that may be missing.
func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
