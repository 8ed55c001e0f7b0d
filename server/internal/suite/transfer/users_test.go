package transfer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/suite/transfer"
)

// The sample of github.com/firebase/scrypt, as the Firebase CLI and the console write it.
const (
	cliUsers = `{"users":[{"localId":"one","email":"one@example.org","emailVerified":true,"lastSignedInAt":"1700000000000","createdAt":"1600000000000",
		"passwordHash":"lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==","salt":"42xEC+ixf3L2lw==",
		"providerUserInfo":[]}]}`
	consoleHash = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}
`
)

func TestUsersOfFirebase(t *testing.T) {
	dir := t.TempDir()
	users, hash := filepath.Join(dir, "users.json"), filepath.Join(dir, "hash.txt")
	must(t, os.WriteFile(users, []byte(cliUsers), 0o600))
	must(t, os.WriteFile(hash, []byte(consoleHash), 0o600))
	h := newFixture(t, cheap)
	var sum transfer.Summary
	if err := h.ImportUsers(t.Context(), users, hash, &sum); err != nil || sum.Accounts != 1 || len(sum.Notes) > 0 {
		t.Fatalf("imported %v %v, %v", sum, sum.Notes, err)
	}
	if got := h.signIn("", "one@example.org", "user1password"); got != "" {
		t.Errorf("sign-in: %s", got)
	}
	sum = transfer.Summary{}
	if err := newFixture(t, cheap).ImportUsers(t.Context(), users, "", &sum); err != nil || len(sum.Notes) != 1 || !strings.Contains(sum.Notes[0], "1 passwords") {
		t.Errorf("without hash parameters: %v, notes %q", err, sum.Notes)
	}
	for text, want := range map[string]string{"": "expected the password hash parameters", "rounds: x\n": "is not a number", "salt: x\n": "is not a parameter"} {
		must(t, os.WriteFile(hash, []byte(text), 0o600))
		if err := h.ImportUsers(t.Context(), users, hash, &sum); fault.FromError(err).Code != fault.InvalidArgument || !strings.Contains(err.Error(), want) {
			t.Errorf("hash parameters %q: %v, want %q", text, err, want)
		}
	}
	if err := h.ImportUsers(t.Context(), users, filepath.Join(dir, "absent"), &sum); fault.FromError(err).Code != fault.NotFound {
		t.Errorf("no file of hash parameters: %v", err)
	}
	if err := h.ImportUsers(t.Context(), filepath.Join(dir, "absent"), "", &sum); fault.FromError(err).Code != fault.NotFound {
		t.Errorf("no file of users: %v", err)
	}
}

func TestEmpty(t *testing.T) {
	h := newFixture(t, cheap)
	if empty, err := h.Empty(t.Context()); !empty || err != nil {
		t.Errorf("new: %v, %v", empty, err)
	}
	h.put(database("named"), "c/d", nil)
	if empty, err := h.Empty(t.Context()); empty || err != nil {
		t.Errorf("with a document: %v, %v", empty, err)
	}
}
