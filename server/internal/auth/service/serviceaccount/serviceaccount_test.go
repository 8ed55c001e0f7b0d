package serviceaccount_test

import (
	"encoding/json"
	"slices"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/serviceaccount"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/pebble/pebbletest"
)

// open returns a registry without keys, and the accounts beside it.
func open(t *testing.T) (*serviceaccount.Registry, *account.Store) {
	t.Helper()
	store := pebbletest.Open(t)
	accounts := account.New(store)
	return serviceaccount.New(accounts, nil), accounts
}

func TestKeyIsRegisteredUntilItIsRevoked(t *testing.T) {
	keys, accounts := open(t)
	var ended []string
	accounts.OnRevoke(func(r account.Revocation) { ended = append(ended, r.UID) })
	made, err := keys.Create(t.Context(), "demo", "backend", "https://data.example.org/token")
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]string
	if err := json.Unmarshal(made.File, &file); err != nil {
		t.Fatal(err)
	}
	if file["client_email"] != made.Email || file["private_key_id"] != made.KeyID || file["project_id"] != "demo" {
		t.Errorf("the file names %q, key %q of %q; want %q, %q of demo", file["client_email"], file["private_key_id"], file["project_id"], made.Email, made.KeyID)
	}
	got, err := keys.Get(t.Context(), made.Email)
	if err != nil || got.Project != "demo" || !got.Keys[made.KeyID].Equal(made.Public) {
		t.Fatalf("Get = %+v, %v; want the created key of demo", got, err)
	}
	list, err := keys.List(t.Context())
	if err != nil || len(list) != 1 || list[0].KeyID != made.KeyID || list[0].Created.IsZero() {
		t.Fatalf("List = %+v, %v; want the created key with its time", list, err)
	}
	gone, err := keys.Revoke(t.Context(), made.Email, made.KeyID)
	if err != nil || !slices.Equal(gone, []string{made.KeyID}) {
		t.Fatalf("Revoke = %q, %v; want the key", gone, err)
	}
	if got, err := keys.Get(t.Context(), made.Email); err != nil || len(got.Keys) != 0 {
		t.Errorf("Get after Revoke = %+v, %v; want no keys", got, err)
	}
	if !slices.Equal(ended, []string{made.Email}) {
		t.Errorf("sessions of %q ended, want those of %s", ended, made.Email)
	}
	if _, err := keys.Revoke(t.Context(), made.Email, made.KeyID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a second Revoke: %v, want NotFound", err)
	}
}

func TestAccountBelongsToOneProject(t *testing.T) {
	keys, _ := open(t)
	made, err := keys.Create(t.Context(), "demo", "backend", "https://data.example.org/token")
	if err != nil {
		t.Fatal(err)
	}
	if err := keys.Register(t.Context(), serviceaccount.Account{Project: "other", Email: made.Email, Role: token.Owner}, made.Public); !fault.Is(err, fault.FailedPrecondition) {
		t.Errorf("registering a key of demo's account for another project: %v, want FailedPrecondition", err)
	}
}

// TestRoleOfAnAccount changes the role of an account, which needs that no key is left.
func TestRoleOfAnAccount(t *testing.T) {
	keys, _ := open(t)
	made, err := keys.Create(t.Context(), "demo", "backend", "https://data.example.org/token")
	if err != nil {
		t.Fatal(err)
	}
	viewer := serviceaccount.Account{Project: "demo", Email: made.Email, Role: token.Viewer}
	if err := keys.Register(t.Context(), viewer, made.Public); !fault.Is(err, fault.FailedPrecondition) {
		t.Errorf("another role for an owner with a key: %v, want FailedPrecondition", err)
	}
	if known, err := keys.Get(t.Context(), made.Email); err != nil || known.Role != token.Owner {
		t.Errorf("the account is %+v, %v", known, err)
	}
	if _, err := keys.Revoke(t.Context(), made.Email, ""); err != nil {
		t.Fatal(err)
	}
	if err := keys.Register(t.Context(), viewer, made.Public); err != nil {
		t.Errorf("a role for an account without keys: %v", err)
	}
	if known, err := keys.Get(t.Context(), made.Email); err != nil || known.Role != token.Viewer {
		t.Errorf("the account is %+v, %v", known, err)
	}
	viewer.Role = "editor"
	if err := keys.Register(t.Context(), viewer, made.Public); !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("an unknown role: %v, want InvalidArgument", err)
	}
}

func TestNewKeyRefusesNames(t *testing.T) {
	for _, name := range []string{"", "a", "Backend", "1backend", "back end", "backend-"} {
		if _, err := serviceaccount.NewKey("demo", name, ""); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("NewKey(%q): %v, want InvalidArgument", name, err)
		}
	}
}
