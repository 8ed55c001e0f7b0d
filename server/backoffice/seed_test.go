package backoffice_test

import (
	"os"
	"testing"
	"time"

	"clave/server/backoffice/seed"
)

func TestSeedFillsOnlyAnEmptyProject(t *testing.T) {
	startServers(t)
	s, _ := newService(t)
	accounts, documents, err := s.Clients()
	if err != nil {
		t.Fatal(err)
	}
	data, err := seed.Load(t.Context(), os.DirFS("../../emulator-config"), time.Unix(1_800_000_000, 0))
	if err != nil {
		t.Fatal(err)
	}
	if done, err := seed.Apply(t.Context(), accounts, documents, data); !done || err != nil {
		t.Fatalf("Apply to an empty project = %v, %v, want true", done, err)
	}
	if done, err := seed.Apply(t.Context(), accounts, documents, data); done || err != nil {
		t.Errorf("Apply again = %v, %v, want false", done, err)
	}
	for _, d := range data.Documents {
		snapshot, err := documents.Doc(d.Path).Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := inUTC(t, snapshot.Data()), inUTC(t, d.Fields); got != want {
			t.Errorf("%s = %s, want %s", d.Path, got, want)
		}
		if _, err := documents.Doc(d.Path).Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if done, err := seed.Apply(t.Context(), accounts, documents, data); !done || err != nil {
		t.Errorf("Apply after the documents were lost, with the accounts there = %v, %v, want true", done, err)
	}
	for _, d := range data.Documents {
		if _, err := documents.Doc(d.Path).Delete(t.Context()); err != nil {
			t.Error(err)
		}
	}
	for _, a := range data.Accounts {
		user, err := accounts.GetUserByEmail(t.Context(), a.Email)
		if err != nil || user.UID != a.UID || user.DisplayName != a.DisplayName {
			t.Errorf("account %s = %+v, %v", a.Email, user, err)
		}
		if err := accounts.DeleteUser(t.Context(), a.UID); err != nil {
			t.Error(err)
		}
	}
}

// inUTC prints fields with their keys in order and their times in UTC.
func inUTC(t *testing.T, fields map[string]any) string {
	t.Helper()
	plain := make(map[string]any, len(fields))
	for key, value := range fields {
		if at, ok := value.(time.Time); ok {
			value = at.UTC()
		}
		plain[key] = value
	}
	return toJSON(t, plain)
}
