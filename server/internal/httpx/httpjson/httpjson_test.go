package httpjson_test

import (
	"net/http/httptest"
	"testing"

	"clave/server/internal/httpx/httpjson"
)

func TestWrite(t *testing.T) {
	for _, tt := range []struct {
		name, cache, wantCache, wantBody string
		value                            any
		status                           int
	}{
		{"an object", "", "no-store", `{"a":1}`, map[string]int{"a": 1}, 201},
		{"with a cache", "max-age=60", "max-age=60", `"x"`, "x", 200},
		{"no JSON", "", "no-store", `{"error":{"code":500,"message":"UNKNOWN"}}`, func() {}, 500},
	} {
		w := httptest.NewRecorder()
		if tt.cache != "" {
			w.Header().Set("Cache-Control", tt.cache)
		}
		status := tt.status
		if status == 500 {
			status = 200
		}
		httpjson.Write(w, status, tt.value)
		if w.Code != tt.status || w.Body.String() != tt.wantBody || w.Header().Get("Cache-Control") != tt.wantCache || w.Header().Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("%s: %d %q %v", tt.name, w.Code, w.Body, w.Header())
		}
	}
}

// TestErrorText reads the texts of errors, and of responses that are none.
func TestErrorText(t *testing.T) {
	for response, want := range map[string]string{
		`{"error": {"code": 404, "message": "not there", "status": "NOT_FOUND"}}`:     "not there",
		`[{"error": {"code": 403, "message": "denied"}}, {"error": {"message": ""}}]`: "denied",
		`{"documents": []}`: "", `[]`: "", `<html>`: "", ``: "", `{"error": "text"}`: "",
	} {
		if got := httpjson.ErrorText([]byte(response)); got != want {
			t.Errorf("the text of %s is %q, want %q", response, got, want)
		}
	}
}
