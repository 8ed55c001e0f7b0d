package production

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"clave/server/test/e2e/harness"
)

// TestAuthSettingsHaveAnEffect stores settings of Auth by REST in a running server: regions of messages have an effect,
// and what would have none is refused. Apple's tokens are revoked for their users only.
func TestAuthSettingsHaveAnEffect(t *testing.T) {
	harness.Parallel(t)
	var sent atomic.Int64
	messages := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent.Add(1) }))
	t.Cleanup(messages.Close)
	dir := harness.ProductionFolder(t)
	owner := accessOf(t, harness.CreateKey(t, dir, "backend"))
	p := harness.Serve(t, dir, false, "--sms-webhook", messages.URL)
	const toolkit = "/identitytoolkit.googleapis.com/"
	const project = toolkit + "v2/projects/" + harness.RealProject
	change := func(path string, body harness.Object) (int, map[string]any) {
		t.Helper()
		return p.Request(t, http.MethodPatch, project+path, owner, body)
	}
	status, tenant := p.Request(t, http.MethodPost, project+"/tenants", owner, harness.Object{"displayName": "school"})
	if status != http.StatusOK {
		t.Fatalf("a tenant: %d %v", status, tenant)
	}
	of := "/tenants/" + text(t, tenant, "name")[strings.LastIndex(text(t, tenant, "name"), "/")+1:]
	for _, c := range []struct {
		path string
		body harness.Object
	}{
		{"/config", harness.Object{"recaptchaConfig": harness.Object{"emailPasswordEnforcementState": "ENFORCE"}}},
		{"/config", harness.Object{"recaptchaConfig": harness.Object{"phoneEnforcementState": "AUDIT"}}},
		{"/config", harness.Object{"quota": harness.Object{"signUpQuotaConfig": harness.Object{"quota": "100"}}}},
		{"/config", harness.Object{"notification": harness.Object{"sendEmail": harness.Object{"resetPasswordTemplate": harness.Object{"subject": "Hi"}}}}},
		{"/config", harness.Object{"notification": harness.Object{"defaultLocale": "fr"}}},
		{"/config", harness.Object{"mobileLinksConfig": harness.Object{"domain": "FIREBASE_DYNAMIC_LINK_DOMAIN"}}},
		{of, harness.Object{"recaptchaConfig": harness.Object{"emailPasswordEnforcementState": "ENFORCE"}}},
		{of, harness.Object{"inheritance": harness.Object{"emailSendingConfig": false}}},
	} {
		if status, answer := change(c.path, c.body); status != http.StatusNotImplemented {
			t.Errorf("%s %v: %d %v, want 501", c.path, c.body, status, answer)
		}
	}

	if status, answer := change("/config?updateMask=smsRegionConfig", harness.Object{"smsRegionConfig": harness.Object{"allowlistOnly": harness.Object{"allowedRegions": []string{"DO"}}}}); status != http.StatusOK {
		t.Fatalf("the regions: %d %v", status, answer)
	}
	for phone, want := range map[string]int{"+18095550111": http.StatusOK, "+79161234567": http.StatusBadRequest} {
		before := sent.Load()
		status, answer := p.Request(t, http.MethodPost, toolkit+"v1/accounts:sendVerificationCode?key=k", "", harness.Object{"phoneNumber": phone})
		if status != want || (sent.Load() > before) != (want == http.StatusOK) {
			t.Errorf("a code for %s: %d %v after %d messages, want %d", phone, status, answer, sent.Load()-before, want)
		}
	}

	user := p.Call(t, toolkit+"v1/accounts:signUp?key=k", harness.Object{"returnSecureToken": true})
	status, answer := p.Request(t, http.MethodPost, toolkit+"v2/accounts:revokeToken?key=k", "", harness.Object{"providerId": "apple.com", "tokenType": "ACCESS_TOKEN", "token": "t", "idToken": user["idToken"]})
	if status != http.StatusBadRequest || !strings.Contains(fmt.Sprint(answer), "NO_SUCH_PROVIDER") {
		t.Errorf("a token of Apple of a user who has none: %d %v, want NO_SUCH_PROVIDER", status, answer)
	}
	p.Stop(t)
}
