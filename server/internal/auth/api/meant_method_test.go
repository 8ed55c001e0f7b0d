package api_test

import (
	"net/http"
	"testing"
)

// TestPatchByPost changes the settings of a project by POST with X-HTTP-Method-Override, as Java's Admin SDK does.
func TestPatchByPost(t *testing.T) {
	w := newFixture(t, setup{})
	path := "/identitytoolkit.googleapis.com/v2/projects/" + project + "/config?updateMask=mobileLinksConfig"
	for _, tt := range []struct {
		method, meant string
		want          int
	}{
		{http.MethodPost, "", http.StatusNotFound},
		{http.MethodPost, "DELETE", http.StatusNotFound},
		{http.MethodGet, "PATCH", http.StatusOK},
		{http.MethodPost, "PATCH", http.StatusOK},
	} {
		code, answer := w.send(tt.method, path, object{"mobileLinksConfig": object{"domain": "HOSTING_DOMAIN"}}, "Authorization", "Bearer owner", "X-HTTP-Method-Override", tt.meant)
		changed := answer["mobileLinksConfig"] != nil
		if code != tt.want || changed != (tt.method == http.MethodPost && tt.meant == "PATCH") {
			t.Errorf("%s that means %q: %d, changed: %v; want %d", tt.method, tt.meant, code, changed, tt.want)
		}
	}
}
