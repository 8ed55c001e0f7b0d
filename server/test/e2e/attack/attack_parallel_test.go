package attack

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/test/e2e/harness"
)

// parallelGuesses tries a hundred passwords of an account at the same time. The limit must hold as if they were tried
// one after another.
func (b *attacked) parallelGuesses(t *testing.T) {
	const guesses, most = 100, 11 // ten, and one for the time that they take
	owner := b.victim()
	var tried atomic.Int64
	var all sync.WaitGroup
	for i := range guesses {
		all.Go(func() {
			code, text := b.send(t, http.MethodPost, harness.ToolkitPath("accounts:signInWithPassword?key=k"), harness.Object{"email": owner + "@example.org", "password": fmt.Sprintf("guess%d", i)}, nil)
			switch {
			case strings.Contains(text, "INVALID_LOGIN_CREDENTIALS"):
				tried.Add(1)
			case !strings.Contains(text, "TOO_MANY_ATTEMPTS_TRY_LATER"):
				t.Errorf("guess %d: %d %s", i, code, text)
			}
		})
	}
	all.Wait()
	if n := tried.Load(); n < 1 || n > most {
		t.Errorf("%d of %d guesses at the same time were tried, want at most %d", n, guesses, most)
	}
}

// recreatedAccounts uses the sessions of accounts that were deleted and created again with the same id.
func (b *attacked) recreatedAccounts(t *testing.T) {
	admin := "projects/" + harness.RealProject
	uid := b.victim()
	in := b.Call(t, harness.ToolkitPath("accounts:signInWithPassword?key=k"), harness.Object{"email": uid + "@example.org", "password": victimPassword, "returnSecureToken": true})
	b.admin(t, http.MethodPost, harness.ToolkitPath(admin+"/accounts:delete"), harness.Object{"localId": uid}, nil)
	b.admin(t, http.MethodPost, harness.ToolkitPath(admin+"/accounts"), harness.Object{"localId": uid, "email": uid + "@example.org", "password": "another-secret"}, nil)
	for name, raw := range map[string]string{"of the session before": in["idToken"].(string), "of an hour ago": b.session(t, uid, time.Hour-time.Minute)} {
		if code, text := b.send(t, http.MethodPost, harness.ToolkitPath("accounts:lookup?key=k"), harness.Object{"idToken": raw}, nil); code != http.StatusBadRequest {
			t.Errorf("a token %s looks up the new account: %d %s, want 400", name, code, text)
		}
		read := "/v1/projects/" + harness.RealProject + "/databases/(default)/documents/mine/" + uid
		if code, text := b.send(t, http.MethodGet, read, nil, map[string]string{"Authorization": "Bearer " + raw}); code != http.StatusUnauthorized {
			t.Errorf("a token %s reads: %d %s, want 401", name, code, text)
		}
	}
	refresh := harness.Object{"grantType": "refresh_token", "refreshToken": in["refreshToken"]}
	if code, text := b.send(t, http.MethodPost, "/securetoken.googleapis.com/v1/token?key=k", refresh, nil); code != http.StatusBadRequest {
		t.Errorf("the refresh token of the session before: %d %s, want 400", code, text)
	}
}
