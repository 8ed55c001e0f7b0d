package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
)

// TestUploadsPassTheProxy names files of a version, and expects that the URL for their contents is that of the proxy,
// which sends them to the server with the token.
func TestUploadsPassTheProxy(t *testing.T) {
	s, key := open(t)
	s.admin.Close()
	var received string
	s.admin = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ":populateFiles") {
			_, _ = io.WriteString(w, `{"uploadRequiredHashes":["ab"],"uploadUrl":"http://`+r.Host+`/upload/v1beta1/projects/p/sites/p/versions/1/files"}`)
			return
		}
		text, _ := io.ReadAll(r.Body)
		received = r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization") + " " + string(text)
	}))
	t.Cleanup(s.admin.Close)
	p := run(t, s, key, clocktest.NewManual(time.Unix(0, 0)))
	code, text := send(t, http.MethodPost, p.URL()+"/admin/v1beta1/projects/p/sites/p/versions/1:populateFiles")
	var out struct {
		Hashes []string `json:"uploadRequiredHashes"`
		URL    string   `json:"uploadUrl"`
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil || code != 200 || len(out.Hashes) != 1 || out.URL != p.URL()+"/admin/upload/v1beta1/projects/p/sites/p/versions/1/files" {
		t.Fatalf("the response is %d %s", code, text)
	}
	if code, _ := send(t, http.MethodPost, out.URL+"/ab"); code != 200 || received != "POST /upload/v1beta1/projects/p/sites/p/versions/1/files/ab Bearer ya29.secret " {
		t.Errorf("an upload is answered with %d, the server got %q", code, received)
	}
}
