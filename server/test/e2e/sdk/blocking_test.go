package sdk

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// eventOf decodes the event in a request to a blocking function.
func eventOf(r *http.Request) (map[string]any, error) {
	var sent struct{ Data struct{ JWT string } }
	if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
		return nil, err
	}
	parts := strings.Split(sent.Data.JWT, ".")
	if len(parts) != 3 {
		return nil, fmt.Errorf("%d parts", len(parts))
	}
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil, err
	}
	event := make(map[string]any)
	return event, json.Unmarshal(raw, &event)
}

// TestBlockingFunctionsOverHTTP runs blocking functions that refuse sign-ups and set display names.
func TestBlockingFunctionsOverHTTP(t *testing.T) {
	functions := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		event, err := eventOf(r)
		record, _ := event["user_record"].(map[string]any)
		email, _ := record["email"].(string)
		switch {
		case err != nil || record == nil || "/"+fmt.Sprint(event["event_type"]) != r.URL.Path || event["aud"] != "http://"+r.Host+r.URL.Path:
			http.Error(w, fmt.Sprintf("%v %v", err, event), http.StatusBadRequest)
		case strings.HasPrefix(email, "eve"):
			http.Error(w, `{"error":{"message":"members only"}}`, http.StatusForbidden)
		case event["event_type"] == "beforeCreate":
			fmt.Fprint(w, `{"userRecord":{"updateMask":"displayName","displayName":"Socia"}}`)
		default:
			fmt.Fprint(w, `{"userRecord":{"updateMask":"sessionClaims","sessionClaims":{"door":"front"}}}`)
		}
	}))
	t.Cleanup(functions.Close)
	addresses := harness.Start(t, nil)
	send := func(method, path, authorization string, body any) (int, string) {
		t.Helper()
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+addresses.Auth+"/identitytoolkit.googleapis.com/"+path, bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", authorization)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var answer bytes.Buffer
		if _, err := answer.ReadFrom(resp.Body); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, answer.String()
	}
	triggers := map[string]any{
		"beforeCreate": map[string]any{"functionUri": functions.URL + "/beforeCreate"}, "beforeSignIn": map[string]any{"functionUri": functions.URL + "/beforeSignIn"},
	}
	if code, answer := send("PATCH", "v2/projects/"+harness.Project+"/config?updateMask=blockingFunctions", "Bearer owner", map[string]any{"blockingFunctions": map[string]any{"triggers": triggers}}); code != 200 {
		t.Fatalf("PATCH config: %d %s", code, answer)
	}
	person := func(name string) map[string]any {
		return map[string]any{"email": name + "@example.org", "password": "secreta1", "returnSecureToken": true}
	}
	if code, answer := send("POST", "v1/accounts:signUp?key=k", "", person("eve")); code != 400 || !strings.Contains(answer, "BLOCKING_FUNCTION_ERROR_RESPONSE") || !strings.Contains(answer, "members only") {
		t.Errorf("a refused sign-up: %d %s", code, answer)
	}
	if code, answer := send("POST", "v1/accounts:signUp?key=k", "", person("ana")); code != 200 {
		t.Errorf("a sign-up: %d %s", code, answer)
	}
	code, answer := send("POST", "v1/accounts:signInWithPassword?key=k", "", person("ana"))
	var in struct{ DisplayName, IDToken string }
	if err := json.Unmarshal([]byte(answer), &in); err != nil || code != 200 || in.DisplayName != "Socia" {
		t.Fatalf("a sign-in: %d %s, want the name that the function gave", code, answer)
	}
	claims, err := base64.RawURLEncoding.DecodeString(strings.Split(in.IDToken, ".")[1])
	if err != nil || !strings.Contains(string(claims), `"door":"front"`) {
		t.Errorf("claims %s, %v; want the session claim that the function gave", claims, err)
	}
	functions.Close()
	if code, answer := send("POST", "v1/accounts:signInWithPassword?key=k", "", person("ana")); code != 400 || !strings.Contains(answer, "Failed to make request") {
		t.Errorf("a sign-in while the function is unreachable: %d %s", code, answer)
	}
}
