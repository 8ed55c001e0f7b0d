package sdk

import (
	"net/http"
	"testing"

	"clave/server/internal/app"

	"clave/server/test/e2e/harness"
)

// TestHealthOfEveryPort requests the health of each port of a development server.
func TestHealthOfEveryPort(t *testing.T) {
	a := harness.Start(t, map[string]string{"firebase.json": `{"hosting": {"public": "site"}}`, "index.html": "hi"})
	for name, address := range map[string]string{"firestore": a.Firestore, "auth": a.Auth, "hosting": a.Hosting, "requests": a.Websocket} {
		res, err := http.Get("http://" + address + app.HealthPath)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: %s, want 200", name, res.Status)
		}
	}
}
