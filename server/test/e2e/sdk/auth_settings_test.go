package sdk

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// TestAuthSettings starts the program with each choice of Auth settings and requests a password reset of an unknown
// address, which e-mail enumeration protection answers with success.
func TestAuthSettings(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"start has the official emulator's settings", nil, "EMAIL_NOT_FOUND"},
		{"start --as-emulator has them too", []string{"--as-emulator"}, "EMAIL_NOT_FOUND"},
		{"start --production-settings has a production project's", []string{"--production-settings"}, "GetOobConfirmationCodeResponse"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			port := harness.FreePorts(t, 1)[0]
			harness.WriteFile(t, dir+"/firebase.json", fmt.Sprintf(`{"emulators": {"auth": {"port": %d}}}`, port))
			harness.StartProgram(t, dir, append([]string{"--memory", "--only", "auth", "--project", "demo-e2e"}, tt.args...)...)
			url := fmt.Sprintf("http://127.0.0.1:%d/identitytoolkit.googleapis.com/v1/accounts:sendOobCode", port)
			if _, text := harness.Plain(t, http.MethodPost, url, `{"requestType": "PASSWORD_RESET", "email": "nobody@example.com"}`); !strings.Contains(text, tt.want) {
				t.Errorf("password reset of an unknown address answers %s; want %s", text, tt.want)
			}
		})
	}
}
