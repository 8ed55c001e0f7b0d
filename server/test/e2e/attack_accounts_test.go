package e2e

import (
	"bytes"
	"crypto/tls"
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
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	pb "clave/server/internal/model/wire/firestorepb"
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
	*production
	key []byte
	// claims are those of a token of v0.
	claims map[string]any
	tokens *token.Verifier
	users  int
}

// serveForAttacks runs a production server with accounts.
func serveForAttacks(t *testing.T, secure bool, flags ...string) *attacked {
	t.Helper()
	dir := productionFolder(t)
	const accounts = 40
	users := make([]string, accounts)
	for i := range users {
		users[i] = fmt.Sprintf(victimUser, fmt.Sprintf("v%d", i), fmt.Sprintf("v%d", i))
	}
	writeFile(t, filepath.Join(dir, "users.json"), `{"users":[`+strings.Join(users, ",")+`]}`)
	writeFile(t, filepath.Join(dir, "hash.txt"), victimHash)
	b := &attacked{key: createKey(t, dir, "backend")}
	if out, err := command(t, dir, "import", "--users", "users.json", "--hash-config", "hash.txt", "--project", realProject).CombinedOutput(); err != nil {
		t.Fatalf("import: %v\n%s", err, out)
	}
	b.production = serve(t, dir, secure, append(flags, "--no-sign-up")...)
	in := b.call(t, toolkitPath("accounts:signInWithPassword?key=k"), object{"email": "v0@example.org", "password": victimPassword, "returnSecureToken": true})
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

// toolkitPath is the path of a method of the Identity Toolkit.
func toolkitPath(method string) string {
	if strings.HasPrefix(method, "v2/") {
		return "/identitytoolkit.googleapis.com/" + method
	}
	return "/identitytoolkit.googleapis.com/v1/" + method
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
	made, err := b.tokens.MintID(realProject, uid, claims)
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
	r, err := http.NewRequestWithContext(t.Context(), method, b.url+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	r.Host = header["Host"]
	res, answer := do(t, b.client, r)
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
	alone(t, "old sessions are made with the keys in the data folder")
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
	admin := "projects/" + realProject
	const phone, sms = "+16505550101", "123456"
	b.admin(t, http.MethodPatch, toolkitPath("v2/"+admin+"/config?updateMask=signIn,mfa,emailPrivacyConfig"), object{
		// Otherwise an address cannot be changed without a link.
		"emailPrivacyConfig": object{"enableImprovedEmailPrivacy": false},
		"signIn":             object{"email": object{"enabled": true}, "phoneNumber": object{"enabled": true, "testPhoneNumbers": object{phone: sms}}},
		"mfa":                object{"state": "ENABLED", "enabledProviders": []string{"PHONE_SMS"}},
	}, nil)
	defer b.admin(t, http.MethodPatch, toolkitPath("v2/"+admin+"/config?updateMask=emailPrivacyConfig"),
		object{"emailPrivacyConfig": object{"enableImprovedEmailPrivacy": true}}, nil)
	linked := func(object) object {
		made := b.admin(t, http.MethodPost, toolkitPath(admin+"/accounts:sendOobCode"), object{
			"requestType": "EMAIL_SIGNIN", "email": "attacker@example.org", "returnOobLink": true, "continueUrl": b.url + "/", "canHandleCodeInApp": true,
		}, nil)
		return object{"email": "attacker@example.org", "oobCode": made["oobCode"]}
	}
	phoned := func(object) object {
		sent := b.call(t, toolkitPath("accounts:sendVerificationCode?key=k"), object{"phoneNumber": phone})
		return object{"sessionInfo": sent["sessionInfo"], "code": sms}
	}
	for _, tt := range []struct {
		name, method string
		body         object
		prepare      func(object) object
	}{
		{"a password", "accounts:update?key=k", object{"password": "stolen1"}, nil},
		{"an address", "accounts:update?key=k", object{"email": "attacker@example.org"}, nil},
		{"deleting address and password", "accounts:update?key=k", object{"deleteAttribute": []string{"EMAIL", "PASSWORD"}}, nil},
		{"deleting the password's provider", "accounts:update?key=k", object{"deleteProvider": []string{"password"}}, nil},
		{"signing up with another address", "accounts:signUp?key=k", object{"email": "attacker@example.org", "password": "stolen1"}, nil},
		{"a link to change the address", "accounts:sendOobCode?key=k", object{"requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "attacker@example.org"}, nil},
		{"an e-mail link", "accounts:signInWithEmailLink?key=k", nil, linked},
		{"a phone", "accounts:signInWithPhoneNumber?key=k", nil, phoned},
		{"a second factor", "v2/accounts/mfaEnrollment:start?key=k", object{"phoneEnrollmentInfo": object{"phoneNumber": phone}}, nil},
		{"withdrawing a second factor", "v2/accounts/mfaEnrollment:withdraw?key=k", object{"mfaEnrollmentId": "x"}, nil},
		{"deleting the account", "accounts:delete?key=k", object{}, nil},
	} {
		const refusal = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
		uid, body := b.victim(), tt.body
		if tt.prepare != nil {
			body = tt.prepare(body)
		}
		body["idToken"] = b.session(t, uid, 10*time.Minute)
		if code, text := b.send(t, http.MethodPost, toolkitPath(tt.method), body, nil); code != http.StatusBadRequest || !strings.Contains(text, refusal) {
			t.Errorf("%s with an old session: %d %s, want %s", tt.name, code, text, refusal)
		}
		body["idToken"] = b.session(t, uid, time.Minute)
		if code, text := b.send(t, http.MethodPost, toolkitPath(tt.method), body, nil); strings.Contains(text, refusal) || strings.Contains(text, "TOKEN") {
			t.Errorf("%s with a new session: %d %s: the attack is invalid", tt.name, code, text)
		}
	}
}

// foreignHosts sends requests whose Host is a name chosen by the attacker.
func (b *attacked) foreignHosts(t *testing.T) {
	evil := map[string]string{"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
	made := b.admin(t, http.MethodPost, toolkitPath("projects/"+realProject+"/accounts:sendOobCode"),
		object{"requestType": "PASSWORD_RESET", "email": "v0@example.org", "returnOobLink": true}, evil)
	if link := made["oobLink"].(string); !strings.HasPrefix(link, b.url+"/") || strings.Contains(link, "evil") {
		t.Errorf("a link made under a foreign Host leads to %s, want the public URL", link)
	}
	const path = "/oauth2.googleapis.com/token"
	for _, tt := range []struct {
		name, audience string
		header         map[string]string
		granted        bool
	}{
		{"for the public URL", b.url + path, nil, true},
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
		if code, text := b.exchange(t, b.url+path, assertion.AccessToken, tt.header["Host"]); (code == http.StatusOK) != tt.granted {
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
	res, text := do(t, b.client, r)
	return res.StatusCode, text
}

// listen opens a Listen stream on a document that its user may read. The channel receives the status code with which
// the stream ends.
func (b *attacked) listen(t *testing.T, uid, idToken string) <-chan codes.Code {
	t.Helper()
	transport := insecure.NewCredentials()
	if strings.HasPrefix(b.url, "https:") {
		transport = credentials.NewTLS(&tls.Config{RootCAs: b.roots})
	}
	_, address, _ := strings.Cut(b.url, "//")
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(transport))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	database := "projects/" + realProject + "/databases/(default)"
	ctx := metadata.AppendToOutgoingContext(t.Context(), "google-cloud-resource-prefix", database, "authorization", "Bearer "+idToken)
	ss, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/google.firestore.v1.Firestore/Listen")
	if err == nil {
		err = ss.SendMsg(&pb.ListenRequest{Database: database, TargetChange: &pb.ListenRequest_AddTarget{AddTarget: &pb.Target{
			TargetId: 2, TargetType: &pb.Target_Documents{Documents: &pb.Target_DocumentsTarget{Documents: []string{database + "/documents/mine/" + uid}}},
		}}})
	}
	for current := false; err == nil && !current; {
		var m pb.ListenResponse
		err = ss.RecvMsg(&m)
		current = m.GetTargetChange().GetTargetChangeType() == pb.TargetChange_CURRENT
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan codes.Code, 1)
	go func() {
		var err error
		for err == nil {
			err = ss.RecvMsg(&pb.ListenResponse{})
		}
		ended <- status.Code(err)
	}()
	return ended
}

// openStreams revokes sessions that have open streams, and expects the streams to end.
func (b *attacked) openStreams(t *testing.T) {
	admin := "projects/" + realProject
	tenant := b.admin(t, http.MethodPost, toolkitPath("v2/"+admin+"/tenants"), object{"displayName": "school", "allowPasswordSignup": true}, nil)["name"].(string)
	tenant = tenant[strings.LastIndexByte(tenant, '/')+1:]
	change := func(body object) func(string) {
		return func(uid string) {
			body["localId"] = uid
			b.admin(t, http.MethodPost, toolkitPath(admin+"/accounts:update"), body, nil)
		}
	}
	for _, tt := range []struct {
		name, tenant string
		end          func(uid string)
	}{
		{"disabled", "", change(object{"disableUser": true})},
		{"revoked", "", change(object{"validSince": fmt.Sprint(clock.System().Now().Add(time.Hour).Unix())})},
		{"deleted", "", func(uid string) {
			b.admin(t, http.MethodPost, toolkitPath(admin+"/accounts:delete"), object{"localId": uid}, nil)
		}},
		{"tenant closed", tenant, func(string) {
			b.admin(t, http.MethodPatch, toolkitPath("v2/"+admin+"/tenants/"+tenant+"?updateMask=disableAuth"), object{"disableAuth": true}, nil)
		}},
	} {
		uid, other := b.victim(), b.victim()
		in := object{"email": uid + "@example.org", "password": victimPassword, "returnSecureToken": true}
		if tt.tenant != "" {
			made := b.admin(t, http.MethodPost, toolkitPath(admin+"/tenants/"+tt.tenant+"/accounts"), object{"email": uid + "@example.org", "password": victimPassword}, nil)
			uid, in["tenantId"] = made["localId"].(string), tt.tenant
		}
		signedIn := b.call(t, toolkitPath("accounts:signInWithPassword?key=k"), in)
		ended, lasting := b.listen(t, uid, signedIn["idToken"].(string)), b.listen(t, other, b.session(t, other, time.Minute))
		tt.end(uid)
		select {
		case code := <-ended:
			if code != codes.Unauthenticated {
				t.Errorf("%s: the stream ended with %v, want UNAUTHENTICATED", tt.name, code)
			}
		case <-time.After(maxReauthorization):
			t.Errorf("%s: the stream is still open after %v", tt.name, maxReauthorization)
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
		body         func(i int) object
		// took handles a successful answer.
		took func(answer map[string]any)
	}{
		{"wrong passwords of an account", "accounts:signInWithPassword?key=k", 20, func(i int) object {
			return object{"email": owner + "@example.org", "password": fmt.Sprintf("guess%d", i)}
		}, nil},
		{"password resets of an address", "accounts:sendOobCode?key=k", 10, func(int) object {
			return object{"requestType": "PASSWORD_RESET", "email": "one@example.org"}
		}, nil},
		{"password resets of any addresses", "accounts:sendOobCode?key=k", 60, func(i int) object {
			return object{"requestType": "PASSWORD_RESET", "email": fmt.Sprintf("any%d@example.org", i)}
		}, nil},
		{"changes of a password, each of which costs a hash", "accounts:update?key=k", 120, func(i int) object {
			return object{"idToken": changing, "password": fmt.Sprintf("secreta%d", i), "returnSecureToken": true}
		}, func(answer map[string]any) { changing, _ = answer["idToken"].(string) }},
	} {
		refused, granted := "", 0
		for i := 0; i < tt.most && refused == ""; i++ {
			code, text := b.send(t, http.MethodPost, toolkitPath(tt.method), tt.body(i), nil)
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
	if code, text := b.send(t, http.MethodPost, toolkitPath("accounts:lookup?key=k"), object{"idToken": b.session(t, b.victim(), 0)}, nil); code != http.StatusOK {
		t.Errorf("after the floods another call of the address: %d %s", code, text)
	}
}
