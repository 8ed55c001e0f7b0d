package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"clave/server/backoffice/api"
)

func TestOnlyAdministratorsUploadPictures(t *testing.T) {
	handler := newHandler(t, api.Options{})
	r := httptest.NewRequest(http.MethodPost, "/api/admin/imagenes", strings.NewReader("bytes"))
	r.Header.Set("Content-Type", "image/webp")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if body := decode(t, w.Result()); w.Code != http.StatusForbidden || body.Error.Code != "permission-denied" {
		t.Errorf("without a token: %d %+v", w.Code, body)
	}
	w = httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/admin/imagenes", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != http.MethodPost {
		t.Errorf("GET: %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}
