package download_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/suite/download"
)

// google are responses of Google's APIs over HTTP, by path and page token, as its documentation shows them. Other paths
// are forbidden.
type google map[string]string

// The path of the tests' project in the APIs.
const inProject = "/projects/" + project

// googleResponses are those of a project whose service account may not see password hashes.
func googleResponses() google {
	const db = "projects/" + project + "/databases/(default)"
	return google{
		"/v1" + inProject + "/databases": `{"databases": [{"name": "` + db + `", "type": "FIRESTORE_NATIVE", "pointInTimeRecoveryEnablement": "POINT_IN_TIME_RECOVERY_DISABLED"},
			{"name": "projects/` + project + `/databases/legacy", "type": "DATASTORE_MODE"}]}`,
		"/v1/" + db + "/collectionGroups/-/indexes": `{"indexes": [{"name": "` + db + `/collectionGroups/rooms/indexes/CICAgOjXh4EK", "queryScope": "COLLECTION", "state": "READY",
			"fields": [{"fieldPath": "kind", "order": "ASCENDING"}, {"fieldPath": "n", "order": "DESCENDING"}, {"fieldPath": "__name__", "order": "DESCENDING"}]}], "nextPageToken": "two"}`,
		"/v1/" + db + "/collectionGroups/-/indexes two": `{"indexes": [{"name": "` + db + `/collectionGroups/rooms/indexes/B", "queryScope": "COLLECTION_GROUP", "apiScope": "MONGODB_COMPATIBLE_API",
			"fields": [{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "ASCENDING"}]}]}`,
		"/v1/" + db + "/collectionGroups/-/fields": `{"fields": [{"name": "` + db + `/collectionGroups/__default__/fields/*", "indexConfig": {"indexes": [
			{"queryScope": "COLLECTION", "fields": [{"fieldPath": "*", "order": "ASCENDING"}], "state": "READY"}]}},
			{"name": "` + db + `/collectionGroups/rooms/fields/until", "ttlConfig": {"state": "ACTIVE"}, "indexConfig": {"usesAncestorConfig": true, "indexes": [
			{"queryScope": "COLLECTION", "fields": [{"fieldPath": "until", "order": "ASCENDING"}]}, {"queryScope": "COLLECTION", "fields": [{"fieldPath": "until", "arrayConfig": "CONTAINS"}]}]}}]}`,
		"/v1" + inProject + "/releases": `{"releases": [{"name": "projects/` + project + `/releases/cloud.firestore", "rulesetName": "projects/` + project + `/rulesets/one"},
			{"name": "projects/` + project + `/releases/firebase.storage/bucket", "rulesetName": "projects/` + project + `/rulesets/two"}]}`,
		"/v1" + inProject + "/rulesets/one": `{"name": "one", "source": {"files": [{"name": "firestore.rules", "content": "rules_version = '2';\n"}]}}`,
		"/v1" + inProject + "/accounts:batchGet": `{"kind": "identitytoolkit#DownloadAccountResponse", "users": [
			{"localId": "ana", "email": "ana@example.org", "passwordHash": "UkVEQUNURUQ=", "salt": "UkVEQUNURUQ=", "createdAt": "1600000000000", "lastLoginAt": "1600000000000"},
			{"localId": "eva", "phoneNumber": "+34600000001", "createdAt": "1600000000000"}], "nextPageToken": "two"}`,
		"/v1" + inProject + "/accounts:batchGet two": `{"kind": "identitytoolkit#DownloadAccountResponse", "nextPageToken": "three"}`,
		"/v2" + inProject + "/oauthIdpConfigs":       `{"oauthIdpConfigs": [{"name": "projects/` + project + `/oauthIdpConfigs/oidc.school", "issuer": "https://school.example", "clientSecret": "hidden"}]}`,
	}
}

// ServeHTTP implements http.Handler.
func (g google) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := r.URL.Path
	if token := r.URL.Query().Get("pageToken") + r.URL.Query().Get("nextPageToken"); token != "" {
		key += " " + token
	}
	body, ok := g[key]
	switch {
	case r.Header.Get("Authorization") != "Bearer owner":
		w.WriteHeader(http.StatusUnauthorized)
	case strings.HasSuffix(key, "/tenants"), ok && body == "":
		w.WriteHeader(http.StatusBadRequest)
		body = `{"error": {"code": 400, "message": "CONFIGURATION_NOT_FOUND", "status": "INVALID_ARGUMENT"}}`
	case !ok:
		w.WriteHeader(http.StatusForbidden)
		body = `{"error": {"code": 403, "message": "The caller does not have permission", "status": "PERMISSION_DENIED"}}`
	}
	_, _ = w.Write([]byte(body))
}

// downloaded downloads a project whose APIs over HTTP respond so, and returns the result and the folder.
func (l *live) downloaded(g google) (r *download.Result, dir string, err error) {
	l.t.Helper()
	s := httptest.NewServer(g)
	defer s.Close()
	dir = l.t.TempDir()
	o := l.options(dir)
	for _, api := range []string{download.APIAdmin, download.APIIdentity, download.APIRules} {
		o.Endpoints[api] = s.URL
	}
	r, err = download.Run(l.t.Context(), o)
	return r, dir, err
}

// TestWhatGoogleHas downloads rules, indexes and accounts in the forms of Google, and says what stays behind.
func TestWhatGoogleHas(t *testing.T) {
	l := start(t)
	l.put("(default)", 1, "rooms/a")
	r, dir, err := l.downloaded(googleResponses())
	if err != nil {
		t.Fatal(err)
	}
	wantContent(t, dir, map[string]int64{"documents (default) rooms": 1, "accounts": 2})
	if len(r.Databases) != 1 {
		t.Fatalf("the databases are %+v", r.Databases)
	}
	if text, err := os.ReadFile(r.Databases[0].Rules); err != nil || string(text) != "rules_version = '2';\n" {
		t.Errorf("the rules are %q, %v", text, err)
	}
	var got, want any
	text, err := os.ReadFile(r.Databases[0].Indexes)
	if err != nil || json.Unmarshal(text, &got) != nil {
		t.Fatalf("the indexes are %s, %v", text, err)
	}
	const indexes = `{"indexes": [{"collectionGroup": "rooms", "queryScope": "COLLECTION", "fields": [{"fieldPath": "kind", "order": "ASCENDING"}, {"fieldPath": "n", "order": "DESCENDING"}]}],
		"fieldOverrides": [{"collectionGroup": "rooms", "fieldPath": "until", "ttl": true, "indexes": [{"order": "ASCENDING", "queryScope": "COLLECTION"}, {"arrayConfig": "CONTAINS", "queryScope": "COLLECTION"}]}]}`
	if err := json.Unmarshal([]byte(indexes), &want); err != nil {
		t.Fatal(err)
	}
	if a, b := asJSON(t, got), asJSON(t, want); a != b {
		t.Errorf("the indexes are %s, want %s", a, b)
	}
	remarks := strings.Join(r.Remarks, "\n")
	for _, part := range []string{
		"the database legacy", "MONGODB_COMPATIBLE_API", "the indexes of all fields of (default)", "security rules of firebase.storage/bucket", "1 passwords: the service account may not see",
		"tenants, if there are any", "the configuration of the provider oidc.school", "settings of Authentication",
	} {
		if !strings.Contains(remarks, part) {
			t.Errorf("the remarks miss %q:\n%s", part, remarks)
		}
	}
	accounts, err := os.ReadFile(filepath.Join(dir, "auth_export", "accounts.json"))
	if err != nil || strings.Contains(string(accounts), "UkVEQUNURUQ") || strings.Contains(remarks+string(accounts), "hidden") {
		t.Errorf("the accounts are %s, %v", accounts, err)
	}
}

// TestPasswordsOfGoogle downloads password hashes with and without their parameters.
func TestPasswordsOfGoogle(t *testing.T) {
	l := start(t)
	g := googleResponses()
	g["/v1"+inProject+"/accounts:batchGet"] = `{"users": [{"localId": "ana", "email": "ana@example.org", "createdAt": "1600000000000",
		"passwordHash": "lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ==", "salt": "42xEC-ixf3L2lw=="}]}`
	r, _, err := l.downloaded(g)
	if err != nil || !strings.Contains(strings.Join(r.Remarks, "\n"), "1 passwords: the project does not show the parameters") {
		t.Errorf("without parameters: %+v, %v", r, err)
	}
	g["/v2"+inProject+"/config"] = `{"signIn": {"hashConfig": {"algorithm": "SCRYPT", "signerKey": "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==", "saltSeparator": "Bw==", "rounds": 8, "memoryCost": 14}}}`
	r, dir, err := l.downloaded(g)
	if err != nil || strings.Contains(strings.Join(r.Remarks, "\n"), "passwords") {
		t.Fatalf("with parameters: %+v, %v", r, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "auth_export", "accounts.json"))
	if err != nil || !strings.Contains(string(text), `"hashAlgorithm":"SCRYPT"`) || !strings.Contains(string(text), "lSrfV15") {
		t.Errorf("the accounts are %s, %v", text, err)
	}
	delete(g, "/v1"+inProject+"/accounts:batchGet")
	if _, _, err := l.downloaded(g); !fault.Is(err, fault.PermissionDenied) || !strings.Contains(err.Error(), "Firebase Authentication Viewer") {
		t.Errorf("accounts that are forbidden: %v", err)
	}
}

// TestAProjectWithoutAuthentication downloads a project that has documents of the Enterprise edition and no accounts.
func TestAProjectWithoutAuthentication(t *testing.T) {
	l := start(t)
	l.put("(default)", 1, "rooms/a")
	g := googleResponses()
	g["/v1"+inProject+"/databases"] = `{"databases": [{"name": "projects/` + project + `/databases/(default)", "type": "FIRESTORE_NATIVE", "databaseEdition": "ENTERPRISE"}]}`
	g["/v1"+inProject+"/accounts:batchGet"] = ""
	r, dir, err := l.downloaded(g)
	if err != nil {
		t.Fatal(err)
	}
	wantContent(t, dir, map[string]int64{"documents (default) rooms": 1})
	remarks := strings.Join(r.Remarks, "\n")
	for _, part := range []string{"accounts: the project does not use Authentication", "the edition of the database (default)"} {
		if !strings.Contains(remarks, part) {
			t.Errorf("the remarks miss %q:\n%s", part, remarks)
		}
	}
}

// asJSON returns a value as JSON.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
