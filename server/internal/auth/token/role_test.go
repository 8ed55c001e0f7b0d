package token_test

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
)

// TestRoles presents the tokens of service accounts with each role: as callers on documents, on accounts and of the
// administration APIs, with access tokens and JWTs of their own, and custom tokens that they have signed.
func TestRoles(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	kid := token.KeyID(&key.PublicKey)
	known := token.ServiceAccount{Project: project, Keys: map[string]*rsa.PublicKey{kid: &key.PublicKey}}
	v, _ := signed(t, clocktest.NewManual(start), token.Options{ServiceKeys: func(context.Context, string) (token.ServiceAccount, error) { return known, nil }})
	sign := func(text string) []byte {
		digest := sha256.Sum256([]byte(text))
		signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
		if err != nil {
			t.Fatal(err)
		}
		return signature
	}
	jwt := func(more map[string]any) string {
		const email = "backend@p1.iam.gserviceaccount.com"
		base := map[string]any{"iss": email, "sub": email, "iat": start.Unix(), "exp": start.Unix() + 3600}
		return forge(t, map[string]any{"alg": "RS256", "typ": "JWT", "kid": kid}, with(base, more), sign)
	}
	access, _, err := v.Assertion(t.Context(), jwt(map[string]any{"aud": "https://x/token"}), []string{"https://x/token"})
	if err != nil {
		t.Fatal(err)
	}
	self := jwt(map[string]any{"aud": "https://firestore.googleapis.com/"})
	custom := jwt(map[string]any{"aud": "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit", "uid": "ann"})
	for _, tt := range []struct {
		role                    token.Role
		reads, writes, accounts bool
		has, lacks              string
	}{
		{token.Owner, true, true, true, "anything", ""},
		{token.DatastoreOwner, true, true, false, "datastore.databases.delete", "firebaserules.releases.update"},
		{token.IndexAdmin, false, false, false, "datastore.indexes.create", "datastore.databases.create"},
		{token.RulesAdmin, false, false, false, "firebaserules.releases.update", "datastore.indexes.create"},
		{token.Viewer, true, false, false, "datastore.indexes.list", "firebaserules.rulesets.create"},
		{"", false, false, false, "", "firebase.projects.get"},
		{"unknown", false, false, false, "", "firebase.projects.get"},
	} {
		known.Role = tt.role
		for name, raw := range map[string]string{"an access token": access, "a JWT": self} {
			c, err := v.Caller(t.Context(), "Bearer "+raw, project)
			if reads := err == nil && c.Privileged; reads != tt.reads || err != nil && !fault.Is(err, fault.PermissionDenied) {
				t.Errorf("%s of %q on documents: %+v, %v, want reads %t", name, tt.role, c, err, tt.reads)
			}
			if err == nil {
				if _, err := c.Change(func() token.Change { return token.Change{} }); (err == nil) != tt.writes || err != nil && !fault.Is(err, fault.PermissionDenied) {
					t.Errorf("a change by %s of %q: %v, want writes %t", name, tt.role, err, tt.writes)
				}
			}
			if _, err := v.Admin(t.Context(), "Bearer "+raw, project); (err == nil) != tt.accounts || err != nil && !fault.Is(err, fault.PermissionDenied) {
				t.Errorf("%s of %q on accounts: %v, want %t", name, tt.role, err, tt.accounts)
			}
			if c, err := v.Account(t.Context(), "Bearer "+raw, project); err != nil || c.Role != tt.role || c.Privileged {
				t.Errorf("%s of %q as an account: %+v, %v", name, tt.role, c, err)
			}
		}
		if _, err := v.Custom(t.Context(), custom, project); (err == nil) != tt.accounts {
			t.Errorf("a custom token by %q: %v, want it accepted: %t", tt.role, err, tt.accounts)
		}
		if tt.has != "" && !tt.role.Permits(tt.has) || tt.lacks != "" && tt.role.Permits(tt.lacks) {
			t.Errorf("%q permits %s: %t, and %s: %t", tt.role, tt.has, tt.role.Permits(tt.has), tt.lacks, tt.role.Permits(tt.lacks))
		}
	}
}
