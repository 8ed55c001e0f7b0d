package attack

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2/google"
	"google.golang.org/grpc/codes"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"

	"clave/server/test/e2e/harness"
)

// The password hash of the accounts, as `firebase auth:export` writes it, and its parameters.
const (
	victimPassword = "user1password"
	victimUser     = `{"localId":"%s","email":"%s@example.org","emailVerified":true,"createdAt":"1600000000000","validSince":"1600000000","lastSignedInAt":"1700000000000",
		"passwordHash":"lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==","salt":"42xEC+ixf3L2lw==","providerUserInfo":[]}`
	victimHash = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}
`
)

// attacked is a production server with accounts v0, v1 and so on, and its administrator.
type attacked struct {
	*harness.Production
	key []byte
	// claims are those of a token of v0.
	claims map[string]any
	tokens *token.Verifier
	users  int
}

// serveForAttacks runs a production server with accounts.
func serveForAttacks(t *testing.T, secure bool, flags ...string) *attacked {
	t.Helper()
	dir := harness.ProductionFolder(t)
	const accounts = 40
	users := make([]string, accounts)
	for i := range users {
		users[i] = fmt.Sprintf(victimUser, fmt.Sprintf("v%d", i), fmt.Sprintf("v%d", i))
	}
	harness.WriteFile(t, filepath.Join(dir, "users.json"), `{"users":[`+strings.Join(users, ",")+`]}`)
	harness.WriteFile(t, filepath.Join(dir, "hash.txt"), victimHash)
	b := &attacked{key: harness.CreateKey(t, dir, "backend")}
	if out, err := harness.Command(t, dir, "import", "--users", "users.json", "--hash-config", "hash.txt", "--project", harness.RealProject).CombinedOutput(); err != nil {
		t.Fatalf("import: %v\n%s", err, out)
	}
	b.Production = harness.Serve(t, dir, secure, append(flags, "--no-sign-up")...)
	in := b.Call(t, harness.ToolkitPath("accounts:signInWithPassword?key=k"), harness.Object{"email": "v0@example.org", "password": victimPassword, "returnSecureToken": true})
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(in["idToken"].(string), ".")[1])
	if err == nil {
		err = json.Unmarshal(payload, &b.claims)
	}
	if err != nil {
		t.Fatal(err)
	}
	keys, err := token.OpenKeys(token.KeyOptions{Dir: filepath.Join(dir, ".clave", "keys")})
	if err != nil {
		t.Fatal(err)
	}
	b.tokens = token.New(token.Options{Keys: keys})
	return b
}

// victim returns an account that no attack has used yet.
func (b *attacked) victim() (uid string) {
	b.users++
	return fmt.Sprintf("v%d", b.users)
}

// session returns an ID token of an account that signed in a given time ago, signed with the server's own key.
func (b *attacked) session(t *testing.T, uid string, ago time.Duration) string {
	t.Helper()
	claims := maps.Clone(b.claims)
	claims["auth_time"] = clock.System().Now().Add(-ago).Unix()
	claims["email"] = uid + "@example.org"
	made, err := b.tokens.MintID(harness.RealProject, uid, claims)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// send makes a request without a token, or with headers, and returns status and body. A header Host sets the request's
// host.
func (b *attacked) send(t *testing.T, method, path string, body any, header map[string]string) (int, string) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, b.URL+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	r.Host = header["Host"]
	res, answer := harness.Do(t, b.Client, r)
	return res.StatusCode, answer
}

// admin makes a call as the administrator and returns its answer.
func (b *attacked) admin(t *testing.T, method, path string, body any, header map[string]string) map[string]any {
	t.Helper()
	source, err := google.JWTAccessTokenSourceFromJSON(b.key, "https://identitytoolkit.googleapis.com/")
	if err != nil {
		t.Fatal(err)
	}
	access, err := source.Token()
	if err != nil {
		t.Fatal(err)
	}
	header = maps.Clone(header)
	if header == nil {
		header = make(map[string]string)
	}
	header["Authorization"] = "Bearer " + access.AccessToken
	code, text := b.send(t, method, path, body, header)
	answer := make(map[string]any)
	if err := json.Unmarshal([]byte(text), &answer); code != http.StatusOK || err != nil {
		t.Fatalf("%s %s: %d %s", method, path, code, text)
	}
	return answer
}

// TestAttacksOnAccounts attacks accounts of production servers with old sessions, foreign host names, open streams and
// floods. The floods come last because they exhaust the rate limit of the test's address.
func TestAttacksOnAccounts(t *testing.T) {
	harness.Alone(t, "old sessions are made with the keys in the data folder")
	for name, flags := range map[string][]string{onTLS: nil, onProxy: {"--trust-proxy", "--host", "0.0.0.0"}} {
		t.Run(name, func(t *testing.T) {
			b := serveForAttacks(t, name == onTLS, flags...)
			t.Run("old sessions", b.oldSessions)
			t.Run("hosts", b.foreignHosts)
			t.Run("streams", b.openStreams)
			t.Run("forged tokens", b.forgeries)
			t.Run("ended sessions", b.endedSessions)
			t.Run("recreated accounts", b.recreatedAccounts)
			t.Run("parallel guesses", b.parallelGuesses)
			t.Run("floods", b.floods)
		})
	}
}

// oldSessions tries each change that requires a recent sign-in with a session of ten minutes. It repeats the request
// with a new session, which must succeed; otherwise the request itself is wrong.
func (b *attacked) oldSessions(t *testing.T) {
	admin := "projects/" + harness.RealProject
	const phone, sms = "+16505550101", "123456"
	b.admin(t, http.MethodPatch, harness.ToolkitPath("v2/"+admin+"/config?updateMask=signIn,mfa,emailPrivacyConfig"), harness.Object{
		// Otherwise an address cannot be changed without a link.
		"emailPrivacyConfig": harness.Object{"enableImprovedEmailPrivacy": false},
		"signIn":             harness.Object{"email": harness.Object{"enabled": true}, "phoneNumber": harness.Object{"enabled": true, "testPhoneNumbers": harness.Object{phone: sms}}},
		"mfa":                harness.Object{"state": "ENABLED", "enabledProviders": []string{"PHONE_SMS"}},
	}, nil)
	defer b.admin(t, http.MethodPatch, harness.ToolkitPath("v2/"+admin+"/config?updateMask=emailPrivacyConfig"),
		harness.Object{"emailPrivacyConfig": harness.Object{"enableImprovedEmailPrivacy": true}}, nil)
	linked := func(harness.Object) harness.Object {
		made := b.admin(t, http.MethodPost, harness.ToolkitPath(admin+"/accounts:sendOobCode"), harness.Object{
			"requestType": "EMAIL_SIGNIN", "email": "attacker@example.org", "returnOobLink": true, "continueUrl": b.URL + "/", "canHandleCodeInApp": true,
		}, nil)
		return harness.Object{"email": "attacker@example.org", "oobCode": made["oobCode"]}
	}
	phoned := func(harness.Object) harness.Object {
		sent := b.Call(t, harness.ToolkitPath("accounts:sendVerificationCode?key=k"), harness.Object{"phoneNumber": phone})
		return harness.Object{"sessionInfo": sent["sessionInfo"], "code": sms}
	}
	for _, tt := range []struct {
		name, method string
		body         harness.Object
		prepare      func(harness.Object) harness.Object
	}{
		{"a password", "accounts:update?key=k", harness.Object{"password": "stolen1"}, nil},
		{"an address", "accounts:update?key=k", harness.Object{"email": "attacker@example.org"}, nil},
		{"deleting address and password", "accounts:update?key=k", harness.Object{"deleteAttribute": []string{"EMAIL", "PASSWORD"}}, nil},
		{"deleting the password's provider", "accounts:update?key=k", harness.Object{"deleteProvider": []string{"password"}}, nil},
		{"signing up with another address", "accounts:signUp?key=k", harness.Object{"email": "attacker@example.org", "password": "stolen1"}, nil},
		{"a link to change the address", "accounts:sendOobCode?key=k", harness.Object{"requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "attacker@example.org"}, nil},
		{"an e-mail link", "accounts:signInWithEmailLink?key=k", nil, linked},
		{"a phone", "accounts:signInWithPhoneNumber?key=k", nil, phoned},
		{"a second factor", "v2/accounts/mfaEnrollment:start?key=k", harness.Object{"phoneEnrollmentInfo": harness.Object{"phoneNumber": phone}}, nil},
		{"withdrawing a second factor", "v2/accounts/mfaEnrollment:withdraw?key=k", harness.Object{"mfaEnrollmentId": "x"}, nil},
		{"deleting the account", "accounts:delete?key=k", harness.Object{}, nil},
	} {
		const refusal = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
		uid, body := b.victim(), tt.body
		if tt.prepare != nil {
			body = tt.prepare(body)
		}
		body["idToken"] = b.session(t, uid, 10*time.Minute)
		if code, text := b.send(t, http.MethodPost, harness.ToolkitPath(tt.method), body, nil); code != http.StatusBadRequest || !strings.Contains(text, refusal) {
			t.Errorf("%s with an old session: %d %s, want %s", tt.name, code, text, refusal)
		}
		body["idToken"] = b.session(t, uid, time.Minute)
		if code, text := b.send(t, http.MethodPost, harness.ToolkitPath(tt.method), body, nil); strings.Contains(text, refusal) || strings.Contains(text, "TOKEN") {
			t.Errorf("%s with a new session: %d %s: the attack is invalid", tt.name, code, text)
		}
	}
}

// foreignHosts sends requests whose Host is a name chosen by the attacker.
func (b *attacked) foreignHosts(t *testing.T) {
	evil := map[string]string{"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
	made := b.admin(t, http.MethodPost, harness.ToolkitPath("projects/"+harness.RealProject+"/accounts:sendOobCode"),
		harness.Object{"requestType": "PASSWORD_RESET", "email": "v0@example.org", "returnOobLink": true}, evil)
	if link := made["oobLink"].(string); !strings.HasPrefix(link, b.URL+"/") || strings.Contains(link, "evil") {
		t.Errorf("a link made under a foreign Host leads to %s, want the public URL", link)
	}
	const path = "/oauth2.googleapis.com/token"
	for _, tt := range []struct {
		name, audience string
		header         map[string]string
		granted        bool
	}{
		{"for the public URL", b.URL + path, nil, true},
		{"for a foreign Host", "https://evil.example" + path, evil, false},
	} {
		source, err := google.JWTAccessTokenSourceFromJSON(b.key, tt.audience)
		if err != nil {
			t.Fatal(err)
		}
		assertion, err := source.Token()
		if err != nil {
			t.Fatal(err)
		}
		if code, text := b.exchange(t, b.URL+path, assertion.AccessToken, tt.header["Host"]); (code == http.StatusOK) != tt.granted {
			t.Errorf("an assertion %s: %d %s, want it granted: %v", tt.name, code, text, tt.granted)
		}
	}
}

// exchange requests an access token with a service account's assertion.
func (b *attacked) exchange(t *testing.T, address, assertion, host string) (int, string) {
	t.Helper()
	form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {assertion}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, text := harness.Do(t, b.Client, r)
	return res.StatusCode, text
}

// openStreams revokes sessions that have open streams, and expects the streams to end.
func (b *attacked) openStreams(t *testing.T) {
	admin := "projects/" + harness.RealProject
	tenant := b.admin(t, http.MethodPost, harness.ToolkitPath("v2/"+admin+"/tenants"), harness.Object{"displayName": "school", "allowPasswordSignup": true}, nil)["name"].(string)
	tenant = tenant[strings.LastIndexByte(tenant, '/')+1:]
	change := func(body harness.Object) func(string) {
		return func(uid string) {
			body["localId"] = uid
			b.admin(t, http.MethodPost, harness.ToolkitPath(admin+"/accounts:update"), body, nil)
		}
	}
	for _, tt := range []struct {
		name, tenant string
		end          func(uid string)
	}{
		{"disabled", "", change(harness.Object{"disableUser": true})},
		{"revoked", "", change(harness.Object{"validSince": fmt.Sprint(clock.System().Now().Add(time.Hour).Unix())})},
		{"deleted", "", func(uid string) {
			b.admin(t, http.MethodPost, harness.ToolkitPath(admin+"/accounts:delete"), harness.Object{"localId": uid}, nil)
		}},
		{"tenant closed", tenant, func(string) {
			b.admin(t, http.MethodPatch, harness.ToolkitPath("v2/"+admin+"/tenants/"+tenant+"?updateMask=disableAuth"), harness.Object{"disableAuth": true}, nil)
		}},
	} {
		uid, other := b.victim(), b.victim()
		in := harness.Object{"email": uid + "@example.org", "password": victimPassword, "returnSecureToken": true}
		if tt.tenant != "" {
			made := b.admin(t, http.MethodPost, harness.ToolkitPath(admin+"/tenants/"+tt.tenant+"/accounts"), harness.Object{"email": uid + "@example.org", "password": victimPassword}, nil)
			uid, in["tenantId"] = made["localId"].(string), tt.tenant
		}
		signedIn := b.Call(t, harness.ToolkitPath("accounts:signInWithPassword?key=k"), in)
		ended, lasting := b.Listen(t, uid, signedIn["idToken"].(string)), b.Listen(t, other, b.session(t, other, time.Minute))
		tt.end(uid)
		select {
		case code := <-ended:
			if code != codes.Unauthenticated {
				t.Errorf("%s: the stream ended with %v, want UNAUTHENTICATED", tt.name, code)
			}
		case <-time.After(harness.MaxReauthorization):
			t.Errorf("%s: the stream is still open after %v", tt.name, harness.MaxReauthorization)
		}
		select {
		case code := <-lasting:
			t.Errorf("%s: another user's stream ended with %v", tt.name, code)
		default:
		}
	}
}

// floods repeats expensive requests from one address until they are refused.
func (b *attacked) floods(t *testing.T) {
	owner := b.victim()
	changing := b.session(t, owner, 0)
	for _, tt := range []struct {
		name, method string
		most         int
		body         func(i int) harness.Object
		// took handles a successful answer.
		took func(answer map[string]any)
	}{
		{"wrong passwords of an account", "accounts:signInWithPassword?key=k", 20, func(i int) harness.Object {
			return harness.Object{"email": owner + "@example.org", "password": fmt.Sprintf("guess%d", i)}
		}, nil},
		{"password resets of an address", "accounts:sendOobCode?key=k", 10, func(int) harness.Object {
			return harness.Object{"requestType": "PASSWORD_RESET", "email": "one@example.org"}
		}, nil},
		{"password resets of any addresses", "accounts:sendOobCode?key=k", 60, func(i int) harness.Object {
			return harness.Object{"requestType": "PASSWORD_RESET", "email": fmt.Sprintf("any%d@example.org", i)}
		}, nil},
		{"changes of a password, each of which costs a hash", "accounts:update?key=k", 120, func(i int) harness.Object {
			return harness.Object{"idToken": changing, "password": fmt.Sprintf("secreta%d", i), "returnSecureToken": true}
		}, func(answer map[string]any) { changing, _ = answer["idToken"].(string) }},
	} {
		refused, granted := "", 0
		for i := 0; i < tt.most && refused == ""; i++ {
			code, text := b.send(t, http.MethodPost, harness.ToolkitPath(tt.method), tt.body(i), nil)
			switch {
			case strings.Contains(text, "TOO_MANY_ATTEMPTS_TRY_LATER"):
				refused = text
			case code == http.StatusOK:
				answer := make(map[string]any)
				if err := json.Unmarshal([]byte(text), &answer); err != nil {
					t.Fatal(err)
				}
				if tt.took != nil {
					tt.took(answer)
				}
				granted++
			case !strings.Contains(text, "INVALID_LOGIN_CREDENTIALS"):
				t.Fatalf("%s: request %d: %d %s", tt.name, i, code, text)
			}
		}
		if refused == "" {
			t.Errorf("%s: none of %d is refused with TOO_MANY_ATTEMPTS_TRY_LATER", tt.name, tt.most)
		}
	}
	if code, text := b.send(t, http.MethodPost, harness.ToolkitPath("accounts:lookup?key=k"), harness.Object{"idToken": b.session(t, b.victim(), 0)}, nil); code != http.StatusOK {
		t.Errorf("after the floods another call of the address: %d %s", code, text)
	}
}
