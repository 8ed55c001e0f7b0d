package transfer_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/record"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/suite/transfer"
)

// load loads a source after a survey, and returns the counts of both sides.
func (h *fixture) load(s transfer.Source) (source, target []transfer.Count) {
	h.t.Helper()
	tally, _, err := h.Survey(h.t.Context(), s)
	must(h.t, err)
	err = h.Load(h.t.Context(), s, "source", tally, 0, func(int64) error { return nil }, func(transfer.Summary) error {
		counts, err := h.Counts(h.t.Context(), tally)
		if err == nil {
			source, target = tally.Counts(), counts.Counts()
		}
		return err
	})
	must(h.t, err)
	return source, target
}

// TestSourcesAndTargetsAreCounted loads exports of all kinds. Both sides have the same counts, and other ones after a
// change of one field.
func TestSourcesAndTargetsAreCounted(t *testing.T) {
	dir := t.TempDir()
	users, table, hash := filepath.Join(dir, "users.json"), filepath.Join(dir, "users.csv"), filepath.Join(dir, "hash.txt")
	must(t, os.WriteFile(users, []byte(cliUsers), 0o600))
	must(t, os.WriteFile(table, []byte(cliTable), 0o600))
	must(t, os.WriteFile(hash, []byte(consoleHash), 0o600))
	for _, s := range []transfer.Source{
		{Folder: "testdata/suite"}, {Folder: "testdata/suite/firestore_export", Database: "named"},
		{Folder: "testdata/suite", UsersFile: users, HashFile: hash}, {UsersFile: table, HashFile: hash}, {UsersFile: users},
	} {
		h := newFixture(t, cheap)
		source, target := h.load(s)
		if len(source) == 0 || !slices.Equal(source, target) {
			t.Errorf("%+v: the source has %v, the target %v", s, source, target)
		}
		h.put(database(cmp.Or(s.Database, resource.DefaultDatabase)), "all/types", value.Map{"s": value.String("other")})
		changed, err := h.Counts(t.Context(), nil)
		must(t, err)
		if slices.Equal(source, changed.Counts()) {
			t.Errorf("%+v: the counts are the same after a change", s)
		}
	}
}

// TestManagedExportsOfADatabase names the database of an export that says itself of which it is, and an invalid one.
func TestManagedExportsOfADatabase(t *testing.T) {
	h := newFixture(t, cheap)
	for _, s := range []transfer.Source{{Folder: "testdata/suite", Database: "named"}, {Folder: "testdata/suite/firestore_export", Database: "a\x00b"}} {
		if _, _, err := h.Survey(t.Context(), s); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("%+v: %v, want INVALID_ARGUMENT", s, err)
		}
	}
	if source, _ := h.load(transfer.Source{Folder: "testdata/suite/firestore_export", Database: "named"}); source[0].Database != "named" {
		t.Errorf("the documents are in %q, want the named database", source[0].Database)
	}
}

// TestALoadContinues stops a load after its first commits, and continues it. No document is written twice.
func TestALoadContinues(t *testing.T) {
	const documents = 1700
	from := newFixture(t, cheap)
	for i := range documents {
		from.put(database(resource.DefaultDatabase), fmt.Sprintf("rooms/%04d", i), value.Map{"n": value.Int(i)})
	}
	folder, _ := from.export()
	s := transfer.Source{Folder: folder}
	h := newFixture(t, cheap)
	tally, _, err := h.Survey(t.Context(), s)
	must(t, err)
	stopped, written := errors.New("stopped"), int64(0)
	err = h.Load(t.Context(), s, "source", tally, 0, func(n int64) error {
		if written = n; n > documents/2 {
			return stopped
		}
		return nil
	}, func(transfer.Summary) error { return nil })
	if !errors.Is(err, stopped) || written == 0 || written == documents || len(h.documents(database(resource.DefaultDatabase))) != int(written) {
		t.Fatalf("the first load: %v after %d documents", err, written)
	}
	var commits []int64
	must(t, h.Load(t.Context(), s, "source", tally, written, func(n int64) error { commits = append(commits, n); return nil }, func(transfer.Summary) error { return nil }))
	if commits[0] <= written || commits[len(commits)-1] != documents || len(commits) > int(documents-written)/500+1 {
		t.Errorf("the second load, after %d documents, wrote up to %v", written, commits)
	}
	counts, err := h.Counts(t.Context(), tally)
	must(t, err)
	if !slices.Equal(counts.Counts(), tally.Counts()) {
		t.Errorf("the source has %v, the target %v", tally.Counts(), counts.Counts())
	}
}

// TestRefusedOfASource surveys accounts that Clave refuses and loads the others.
func TestRefusedOfASource(t *testing.T) {
	users := filepath.Join(t.TempDir(), "users.json")
	must(t, os.WriteFile(users, []byte(`{"users": [
		{"localId": "one", "email": "one@example.org"}, {"localId": "two", "email": "no address"}, {"localId": "one", "email": "again@example.org"},
		{"localId": "three", "email": "one@example.org"}, {"localId": "four", "phoneNumber": "+34600000001", "providerUserInfo": [{"providerId": "google.com", "rawId": "4"}]}]}`), 0o600))
	h, s := newFixture(t, cheap), transfer.Source{UsersFile: users}
	tally, _, err := h.Survey(t.Context(), s)
	must(t, err)
	var refused []string
	for _, r := range tally.Refused {
		refused = append(refused, r.Name)
	}
	slices.Sort(refused)
	if !slices.Equal(refused, []string{"one", "three", "two"}) || tally.RefusedNumber != 3 || tally.Providers["google.com"] != 1 {
		t.Errorf("refused are %v, providers %v", tally.Refused, tally.Providers)
	}
	source, target := h.load(s)
	if !slices.Equal(source, target) || len(source) != 1 || source[0].Number != 2 {
		t.Errorf("the source has %v, the target %v; want two accounts", source, target)
	}
}

// TestRefusedDocumentsOfASource loads an export with a document whose id is reserved, and one below it.
func TestRefusedDocumentsOfASource(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "suite")
	must(t, os.CopyFS(dir, os.DirFS("testdata/suite")))
	edit(t, dir+"/"+outputFile, func(text string) string {
		var entities []string
		for log := record.NewReader(strings.NewReader(text), 0); ; {
			r, err := log.Next()
			if errors.Is(err, io.EOF) {
				return frame(t, entities...)
			}
			must(t, err)
			entity, err := io.ReadAll(r)
			must(t, err)
			entities = append(entities, string(bytes.ReplaceAll(entity, []byte("types"), []byte("__a__"))))
		}
	})
	h, s := newFixture(t, cheap), transfer.Source{Folder: dir}
	tally, _, err := h.Survey(t.Context(), s)
	must(t, err)
	if len(tally.Refused) != 2 || tally.Refused[0].Kind != transfer.KindDocuments || tally.Refused[0].Name != "all/__a__" || !strings.Contains(tally.Refused[0].Reason, "reserved") {
		t.Errorf("refused are %+v, want the document and the one below it", tally.Refused)
	}
	if source, target := h.load(s); !slices.Equal(source, target) || len(h.documents(everything)) != 2 {
		t.Errorf("the source has %v, the target %v; want two documents", source, target)
	}
	if _, err := newFixture(t, cheap).Import(t.Context(), dir); !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("clave import: %v, want INVALID_ARGUMENT", err)
	}
}

// cliTable is what `firebase auth:export users.csv` writes of the accounts of cliUsers and one with claims.
var cliTable = `one,one@example.org,true,lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==,42xEC+ixf3L2lw==,"Ann, the ""first""",,g1,one@gmail.com,Ann,,` +
	strings.Repeat(",", 12) + `1600000000000,1700000000000,+34600000001,false,"{""role"":""a\"b"",""n"":1}",` + strings.Repeat(",", 24) + "\n" +
	"two,," + strings.Repeat(",", 21) + "1600000000000,,,true,\n"

// TestUsersAsCSV imports accounts from CSV.
func TestUsersAsCSV(t *testing.T) {
	dir := t.TempDir()
	users, hash := filepath.Join(dir, "users.CSV"), filepath.Join(dir, "hash.txt")
	must(t, os.WriteFile(users, []byte(cliTable), 0o600))
	must(t, os.WriteFile(hash, []byte(consoleHash), 0o600))
	h := newFixture(t, cheap)
	var sum transfer.Summary
	if err := h.ImportUsers(t.Context(), users, hash, &sum); err != nil || sum.Accounts != 2 {
		t.Fatalf("imported %v, %v", sum, err)
	}
	if got := h.signIn("", "one@example.org", "user1password"); got != "" {
		t.Errorf("sign-in: %s", got)
	}
	folder, _ := h.export()
	text, err := os.ReadFile(filepath.Join(folder, "auth_export", "accounts.json"))
	must(t, err)
	for _, want := range []string{`"Ann, the \"first\""`, `{\"role\":\"a\\\"b\",\"n\":1}`, `"rawId":"g1"`, `"phoneNumber":"+34600000001"`, `"disabled":true`, `"createdAt":"1600000000000"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the accounts miss %s:\n%s", want, text)
		}
	}
	for text, want := range map[string]string{"one,two\n": "line 1 has 2 columns", "a,,maybe" + strings.Repeat(",", 24): "not true or false", "a,," + strings.Repeat(",", 25) + "{": "is not JSON"} {
		must(t, os.WriteFile(users, []byte(text), 0o600))
		if err := h.ImportUsers(t.Context(), users, hash, &sum); !fault.Is(err, fault.DataLoss) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
