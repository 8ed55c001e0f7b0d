package api

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"clave/server/internal/auth/service"
)

// TestOpenAPI reads the description as a client does. It must contain every method once, and all its references must
// resolve.
func TestOpenAPI(t *testing.T) {
	h := New(Options{Service: service.New(service.Options{})})
	w := httptest.NewRecorder()
	h.OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", OpenAPIPath, nil))
	var doc struct {
		OpenAPI    string
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || w.Code != 200 || !strings.HasPrefix(doc.OpenAPI, "3.0") {
		t.Fatalf("%d %.200s: %v", w.Code, w.Body, err)
	}
	named, routed := make(map[string]string), 0
	for path, methods := range doc.Paths {
		for verb, raw := range methods {
			if verb == "parameters" || verb == "servers" {
				continue
			}
			var m struct{ OperationID string }
			if err := json.Unmarshal(raw, &m); err != nil {
				t.Fatal(err)
			}
			if other := named[m.OperationID]; other != "" {
				t.Errorf("%s %s and %s are both %s", verb, path, other, m.OperationID)
			}
			named[m.OperationID] = verb + " " + path
		}
	}
	for name := range h.routes {
		if strings.Contains(name, " "+toolkit) || strings.Contains(name, " "+secure) {
			routed++
		}
	}
	if len(named) != routed {
		t.Errorf("%d methods are described, %d are routed", len(named), routed)
	}
	for id, want := range map[string]string{
		"identitytoolkit.accounts.signInWithPassword":      "post /v1/accounts:signInWithPassword",
		"identitytoolkit.projects.tenants.accounts.lookup": "post /v1/projects/{targetProjectId}/tenants/{tenantId}/accounts:lookup",
		"identitytoolkit.projects.tenants.patch":           "patch /v2/projects/{targetProjectId}/tenants/{tenantId}",
		"identitytoolkit.projects.oauthIdpConfigs.create":  "post /v2/projects/{targetProjectId}/oauthIdpConfigs",
		"identitytoolkit.projects.inboundSamlConfigs.get":  "get /v2/projects/{targetProjectId}/inboundSamlConfigs/{inboundSamlConfigsId}",
		"identitytoolkit.projects.getConfig":               "get /v2/projects/{targetProjectId}/config",
		"identitytoolkit.getRecaptchaParams":               "get /v1/recaptchaParams",
		"identitytoolkit.accounts.mfaSignIn.finalize":      "post /v2/accounts/mfaSignIn:finalize",
		"identitytoolkit.projects.tenants.setIamPolicy":    "post /v2/projects/{targetProjectId}/tenants/{tenantId}:setIamPolicy",
		"identitytoolkit.projects.createSessionCookie":     "post /v1/projects/{targetProjectId}:createSessionCookie",
		"identitytoolkit.projects.accounts":                "post /v1/projects/{targetProjectId}/accounts",
		"securetoken.token":                                "post /v1/token",
	} {
		if named[id] != want {
			t.Errorf("%s is %q, want %q", id, named[id], want)
		}
	}
	for _, name := range []string{"UserInfo", "ProviderUserInfo", "MFAInfo", "ImportRequest", "ImportUser", "SignUpRequest"} {
		if doc.Components.Schemas[name] == nil {
			t.Errorf("schema %s is missing", name)
		}
	}
	const ref = `"$ref":"#/components/schemas/`
	for rest := w.Body.String(); strings.Contains(rest, ref); {
		rest = rest[strings.Index(rest, ref)+len(ref):]
		if name, _, _ := strings.Cut(rest, `"`); doc.Components.Schemas[name] == nil {
			t.Errorf("schema %s is missing", name)
		}
	}
	other := httptest.NewRecorder()
	if h.OpenAPI().ServeHTTP(other, httptest.NewRequest("GET", "/emulator/other", nil)); other.Code != 404 {
		t.Errorf("another path answers %d", other.Code)
	}
}
