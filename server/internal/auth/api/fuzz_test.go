package api

import (
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/auth/service/updateform"
)

// FuzzBody sends arbitrary bodies to the methods with the largest requests. None may panic, and refusals must be client
// errors.
func FuzzBody(f *testing.F) {
	f.Add(`{"local_id":"a","deleteAttribute":[1,"EMAIL"],"validSince":"12","mfa":{"enrollments":[{"phoneInfo":"+1"}]}}`, false)
	f.Add(`{"users":[{"localId":1,"passwordHash":"x"}],"rounds":1e3}`, false)
	f.Add("grant_type=refresh_token&refresh_token=a&refresh_token=b", true)
	f.Add(strings.Repeat(`{"a":`, 100), false)
	f.Add(`null`, false)
	f.Fuzz(func(t *testing.T, text string, form bool) {
		r := httptest.NewRequest("POST", "/", strings.NewReader(text))
		if form {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		raw, err := readBody(httptest.NewRecorder(), r, maxBody)
		var body map[string]any
		if err == nil {
			body, err = parseBody(r, raw)
		}
		if err != nil {
			if got := describe(err).Code; got != 400 {
				t.Errorf("%q is answered with %d", text, got)
			}
			return
		}
		for _, into := range []any{&updateform.Request{}, &accountimport.Request{}, &service.QueryRequest{}, &service.MFARequest{}, &service.RefreshRequest{}} {
			if err := assign(reflect.ValueOf(into).Elem(), body, ""); err != nil && describe(err).Code != 400 {
				t.Errorf("%q into %T: %v", text, into, err)
			}
		}
	})
}

func TestAssignIsLenient(t *testing.T) {
	tests := []struct {
		name, in string
		want     service.QueryRequest
		bad      bool
	}{
		{"camel and snake case", `{"sort_by":"NAME","order":"DESC"}`, service.QueryRequest{SortBy: "NAME", Order: "DESC"}, false},
		{"enums by number", `{"sortBy":3,"order":2}`, service.QueryRequest{SortBy: "CREATED_AT", Order: "DESC"}, false},
		{"one for a list", `{"expression":{"user_id":7}}`, service.QueryRequest{Expression: []service.Expression{{UserID: "7"}}}, false},
		{"null is absent", `{"sortBy":null,"limit":null}`, service.QueryRequest{}, false},
		{"unknown fields", `{"nope":1}`, service.QueryRequest{}, false},
		{"an unknown enum", `{"sortBy":"NOPE"}`, service.QueryRequest{}, true},
		{"an enum's number out of range", `{"sortBy":99}`, service.QueryRequest{}, true},
		{"a text for a number", `{"limit":"x"}`, service.QueryRequest{}, true},
		{"an object for a text", `{"expression":[{"email":{}}]}`, service.QueryRequest{}, true},
	}
	for _, tt := range tests {
		body, err := parseObject([]byte(tt.in))
		if err != nil {
			t.Fatal(err)
		}
		var got service.QueryRequest
		err = assign(reflect.ValueOf(&got).Elem(), body, "")
		if (err != nil) != tt.bad || err == nil && !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, %v; want %+v, refused %v", tt.name, got, err, tt.want, tt.bad)
		}
	}
}

func TestUnbuiltMethodsAnswerUnimplemented(t *testing.T) {
	h := New(Options{Service: service.New(service.Options{})})
	for name := range unbuilt {
		if _, ok := h.routes[name]; !ok {
			t.Errorf("%s has no route", name)
		}
	}
	r := httptest.NewRequest("POST", "/"+toolkit+"v1/accounts:verifyIosClient?key=k", nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 501 || !strings.Contains(w.Body.String(), "verifyIosClient") {
		t.Errorf("verifyIosClient answers %d %s", w.Code, w.Body)
	}
}
