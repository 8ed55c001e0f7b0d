package hub_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/suite/hub"
)

// call records the arguments of an export.
type call struct {
	dir, by string
	only    []string
}

// newHub returns the options of a hub at an address, with Firestore and Auth.
func newHub(address string, calls *[]call, err error) hub.Options {
	return hub.Options{
		Version: "1.2.3", PID: 7,
		Emulators: hub.Emulators{Hub: hub.At("hub", address), Firestore: hub.At("firestore", "0.0.0.0:8080"), Auth: hub.At("auth", "[::]:9099")},
		Export: func(_ context.Context, dir, by string, only []string) error {
			*calls = append(*calls, call{dir, by, only})
			return err
		},
	}
}

// request sends a request and returns the answer's status and text.
func request(h http.Handler, method, path, body string, headers ...string) (int, string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:4400"
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestAnswers(t *testing.T) {
	h := hub.New(newHub("127.0.0.1:4400", new([]call), nil))
	for _, tt := range []struct {
		method, path string
		code         int
		want         string
	}{
		{"GET", "/", 200, `{"version":"1.2.3","origins":["http://127.0.0.1:4400"],"pid":7,"host":"127.0.0.1","port":4400}`},
		{"GET", "/emulators", 200, `{"hub":{"listen":[{"address":"127.0.0.1","family":"IPv4","port":4400}],"name":"hub","host":"127.0.0.1","port":4400},` +
			`"auth":{"listen":[{"address":"::","family":"IPv6","port":9099}],"name":"auth","host":"::1","port":9099},` +
			`"firestore":{"listen":[{"address":"0.0.0.0","family":"IPv4","port":8080}],"name":"firestore","host":"127.0.0.1","port":8080}}`},
		{"PUT", "/functions/disableBackgroundTriggers", 400, `{"error":"The Cloud Functions emulator is not running."}`},
		{"PUT", "/functions/enableBackgroundTriggers", 400, `{"error":"The Cloud Functions emulator is not running."}`},
		{"POST", "/dataconnect/clearData", 400, `{"error":"The SQL Connect emulator is not running."}`},
	} {
		code, text := request(h, tt.method, tt.path, "")
		var got, want any
		if err := errors.Join(json.Unmarshal([]byte(text), &got), json.Unmarshal([]byte(tt.want), &want)); err != nil || code != tt.code || !reflect.DeepEqual(got, want) {
			t.Errorf("%s %s: %d %s (%v), want %d %s", tt.method, tt.path, code, text, err, tt.code, tt.want)
		}
	}
	if code, _ := request(h, "GET", "/nothing", ""); code != http.StatusNotFound {
		t.Errorf("GET /nothing: %d, want 404", code)
	}
}

func TestExport(t *testing.T) {
	const everywhere = "0.0.0.0:4400"
	refused := fault.E(fault.FailedPrecondition, "name another folder")
	for _, tt := range []struct {
		name, at, body string
		headers        []string
		err            error
		code           int
		want           *call
	}{
		{"all", "127.0.0.1:4400", `{"path":"/x","initiatedBy":"me"}`, nil, nil, 200, &call{"/x", "me", []string{"firestore", "auth"}}},
		{"a target", "[::1]:4400", `{"path":"/x","targets":["auth","hosting"]}`, []string{"Host", "[::1]:4400"}, nil, 200, &call{"/x", "", []string{"auth"}}},
		{"nothing that keeps data", "127.0.0.1:4400", `{"path":"/x","targets":["hosting"]}`, nil, nil, 500, nil},
		{"localhost", "127.0.0.1:4400", `{"path":"/x"}`, []string{"Host", "localhost:4400"}, nil, 200, &call{"/x", "", []string{"firestore", "auth"}}},
		{"a page", "127.0.0.1:4400", `{"path":"/x"}`, []string{"Origin", "http://127.0.0.1:4400"}, nil, 403, nil},
		{"a page without origin", "127.0.0.1:4400", `{"path":"/x"}`, []string{"Origin", "null"}, nil, 403, nil},
		{"a name that leads here", "127.0.0.1:4400", `{"path":"/x"}`, []string{"Host", "evil.example:4400"}, nil, 403, nil},
		{"a name where other machines are allowed", everywhere, `{"path":"/x"}`, []string{"Host", "firebase:4400"}, nil, 200, &call{"/x", "", []string{"firestore", "auth"}}},
		{"a form", "127.0.0.1:4400", `{"path":"/x"}`, []string{"Content-Type", "text/plain"}, nil, 400, nil},
		{"no folder", "127.0.0.1:4400", `{}`, nil, nil, 400, nil},
		{"no JSON", "127.0.0.1:4400", `path`, nil, nil, 400, nil},
		{"too much", "127.0.0.1:4400", `{"path":"` + strings.Repeat("x", 1<<20) + `"}`, nil, nil, 400, nil},
		{"a folder that can't be", "127.0.0.1:4400", `{"path":"/x"}`, nil, refused, 500, &call{"/x", "", []string{"firestore", "auth"}}},
	} {
		var calls []call
		code, text := request(hub.New(newHub(tt.at, &calls, tt.err)), "POST", "/_admin/export", tt.body, tt.headers...)
		var answer struct{ Message string }
		if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Message == "" || code != tt.code || tt.err != nil && answer.Message != refused.Message {
			t.Errorf("%s: %d %s, want %d and a message", tt.name, code, text, tt.code)
		}
		if tt.want == nil && len(calls) > 0 || tt.want != nil && (len(calls) != 1 || !slices.Equal(calls[0].only, tt.want.only) || calls[0].dir != tt.want.dir || calls[0].by != tt.want.by) {
			t.Errorf("%s: exported %v, want %v", tt.name, calls, tt.want)
		}
	}
}
