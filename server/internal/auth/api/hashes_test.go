package api_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// recordedImport is an import by the Admin SDK for Node, of one account with a password.
type recordedImport struct {
	Name, Password string
	Request        object
}

// recordedImports reads testdata/hashes.json, which hashes.mjs beside it records.
func recordedImports(t *testing.T) []recordedImport {
	t.Helper()
	text, err := os.ReadFile("testdata/hashes.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []recordedImport
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// base64Forms are the forms of base64 in which SDKs and the CLI send hashes, salts and keys.
var base64Forms = map[string]*base64.Encoding{
	"Node": nil, "Go": base64.RawURLEncoding, "Python and Java": base64.URLEncoding, "the CLI": base64.StdEncoding,
}

// reencoded returns a request whose bytes have another form of base64.
func reencoded(t *testing.T, request object, to *base64.Encoding) object {
	t.Helper()
	out := object{}
	for name, value := range request {
		switch v := value.(type) {
		case []any:
			user := v[0].(map[string]any)
			out[name] = []any{reencoded(t, user, to)}
			continue
		case string:
			if to != nil && (name == "signerKey" || name == "saltSeparator" || name == "passwordHash" || name == "salt") {
				raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(v, "="))
				if err != nil {
					t.Fatal(err)
				}
				value = to.EncodeToString(raw)
			}
		}
		out[name] = value
	}
	return out
}

// TestPasswordsOfNodesAdminSDK imports accounts as the Admin SDK for Node does, with every algorithm of Firebase and in
// every form of base64, and signs in with their passwords, and with another one.
func TestPasswordsOfNodesAdminSDK(t *testing.T) {
	for form, encoding := range base64Forms {
		w := newFixture(t, setup{})
		for _, tt := range recordedImports(t) {
			user := tt.Request["users"].([]any)[0].(map[string]any)
			answer := w.must(w.admin("POST", "v1/projects/"+project+"/accounts:batchCreate", reencoded(t, tt.Request, encoding)))
			if answer["error"] != nil {
				t.Errorf("%s in the form of %s: %v", tt.Name, form, answer["error"])
				continue
			}
			sign := func(password string) string {
				_, code := w.client("signInWithPassword", object{"email": user["email"], "password": password})
				return code
			}
			if code := sign("x" + tt.Password); code != "INVALID_PASSWORD" && code != "INVALID_LOGIN_CREDENTIALS" {
				t.Errorf("%s in the form of %s, another password: %q", tt.Name, form, code)
			}
			if code := sign(tt.Password); code != "" {
				t.Errorf("%s in the form of %s: %q", tt.Name, form, code)
			}
		}
	}
}

// TestOrderOfSaltAndPassword imports hashes in both orders, named and by number, and without an order: then HMACs are
// of the password and the salt, and plain digests of the salt and the password.
func TestOrderOfSaltAndPassword(t *testing.T) {
	w := newFixture(t, setup{})
	for _, tt := range []struct {
		algorithm string
		order     any
		sum       string // by openssl, of password "secret1" and salt "NaCl", with the key "llave"
	}{
		{"HMAC_SHA256", nil, "PS"}, {"HMAC_SHA256", "UNSPECIFIED_ORDER", "PS"}, {"HMAC_SHA256", "PASSWORD_AND_SALT", "PS"}, {"HMAC_SHA256", "SALT_AND_PASSWORD", "SP"},
		{"HMAC_SHA256", 2, "PS"}, {"HMAC_SHA256", 1, "SP"}, {"SHA256", nil, "sp"}, {"SHA256", "SALT_AND_PASSWORD", "sp"}, {"SHA256", "PASSWORD_AND_SALT", "ps"}, {"SHA256", 2, "ps"},
	} {
		request := object{
			"hashAlgorithm": tt.algorithm, "signerKey": base64.StdEncoding.EncodeToString([]byte("llave")), "rounds": 1,
			"users": []object{{"localId": "u", "email": "u@example.com", "passwordHash": orderedSums[tt.sum], "salt": base64.StdEncoding.EncodeToString([]byte("NaCl"))}},
		}
		if tt.order != nil {
			request["passwordHashOrder"] = tt.order
		}
		if answer := w.must(w.admin("POST", "v1/projects/"+project+"/accounts:batchCreate", request)); answer["error"] != nil {
			t.Fatal(answer["error"])
		}
		if _, code := w.client("signInWithPassword", object{"email": "u@example.com", "password": "secret1"}); code != "" {
			t.Errorf("%s in the order %v: %q", tt.algorithm, tt.order, code)
		}
	}
}

// orderedSums are hashes of "secret1" with the salt "NaCl": HMACs with the key "llave" in capital letters, digests in
// small ones. P and p stand for the password, S and s for the salt.
var orderedSums = map[string]string{
	"PS": "Z7Iao+z/IyC1Ex7JMgIcfY/HfwKkMiuRtd7qp19ofxE=",
	"SP": "y1s45HY8aGYxYRdFGH2ma2KdEvN1vsBlOMohFN9Q2BI=",
	"ps": "RtNGySPw2JpHgtbmKn0LiZfh6qB7b4Tg1cpnOGGEHQk=",
	"sp": "mwhhfYtDgCTXAx4O7/IbikwYup+hMZGylnZX99MvX2Y=",
}
