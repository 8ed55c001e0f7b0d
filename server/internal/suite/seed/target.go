package seed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/httpjson"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// Target is a project of a server.
type Target struct {
	// Firestore and Auth are the origins of the two APIs, such as http://127.0.0.1:8080; Auth is empty if there is none.
	Firestore, Auth string
	// DB is the database of the documents, and its project that of the accounts.
	DB resource.Database
	// Token returns the credential of a server of production. Without it, the server must be an emulator, whose
	// administrators need none.
	Token func(ctx context.Context) (string, error)
	// Do sends requests; nil means an HTTP client that follows no redirects.
	Do func(r *http.Request) (*http.Response, error)
}

// owner is the credential of administrators of emulators.
const owner = "owner"

// maxResponse is the maximum size of a response in bytes, and requestTimeout the time limit of a request.
const (
	maxResponse    = 96 << 20
	requestTimeout = time.Minute
)

// Emulator returns the target of emulators at two addresses HOST:PORT. auth may be empty.
func Emulator(firestore, auth string, db resource.Database) *Target {
	t := &Target{Firestore: "http://" + firestore, DB: db}
	if auth != "" {
		t.Auth = "http://" + auth
	}
	return t
}

// client makes requests. It follows no redirects, so that credentials are sent to the named server only.
var client = &http.Client{Timeout: requestTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// call makes a request and decodes the response. out may be nil.
func (t *Target) call(ctx context.Context, method, url string, body, out any) error {
	var sent io.Reader = http.NoBody
	if body != nil {
		text, ok := body.(json.RawMessage)
		if !ok {
			var err error
			if text, err = json.Marshal(body); err != nil {
				return err
			}
		}
		sent = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, url, sent)
	if err != nil {
		return fault.Wrap(err, fault.InvalidArgument, "%s is no address of a server", url)
	}
	token := owner
	if t.Token != nil {
		if token, err = t.Token(ctx); err != nil {
			return err
		}
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	send := t.Do
	if send == nil {
		send = client.Do
	}
	res, err := send(r)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "the server does not respond: %v", err)
	}
	defer func() { _ = res.Body.Close() }() // a read
	text, err := io.ReadAll(io.LimitReader(res.Body, maxResponse+1))
	switch {
	case err != nil:
		return fault.Wrap(err, fault.Unavailable, "the response was not read to its end: %v", err)
	case len(text) > maxResponse:
		return fault.E(fault.ResourceExhausted, "the response to %s %s is larger than %d bytes", method, r.URL.Path, maxResponse)
	case res.StatusCode != http.StatusOK:
		return refusal(r, res.StatusCode, text)
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fault.Wrap(err, fault.Unavailable, "the response to %s %s is no JSON of this API", method, r.URL.Path)
	}
	return nil
}

// refusal returns the error of a response.
func refusal(r *http.Request, status int, text []byte) error {
	return fault.E(wire.CodeOfHTTP(status), "%s %s: %d %s", r.Method, r.URL.Path, status, httpjson.ErrorText(text))
}

// toolkit returns the URL of a path of Identity Toolkit. version is v1 or v2.
func (t *Target) toolkit(version, path string) string {
	return t.Auth + "/identitytoolkit.googleapis.com/" + version + "/projects/" + url.PathEscape(t.DB.Project) + path
}

// documents returns the URL of a path below the documents, whose ids are escaped, or of a method of them.
func (t *Target) documents(path string) string {
	if path == "" || path[0] == ':' {
		return t.Firestore + "/v1/" + t.DB.Root() + path
	}
	ids := strings.Split(path, "/")
	for i, id := range ids {
		ids[i] = url.PathEscape(id)
	}
	return t.Firestore + "/v1/" + t.DB.Root() + "/" + strings.Join(ids, "/")
}

// Now returns the time to which the relative moments of a seed refer: that of the project's clock at Clave, which tests
// may set, else that of the machine.
func (t *Target) Now(ctx context.Context) time.Time {
	var state struct {
		Now time.Time `json:"now"`
	}
	if t.Token == nil && t.call(ctx, http.MethodGet, t.Firestore+"/emulator/v1/projects/"+url.PathEscape(t.DB.Project)+":clock", nil, &state) == nil && !state.Now.IsZero() {
		return state.Now
	}
	return clock.System().Now()
}

// String returns the target for messages.
func (t *Target) String() string {
	return fmt.Sprintf("%s at %s", t.DB.Project, strings.TrimPrefix(strings.TrimPrefix(t.Firestore, "http://"), "https://"))
}

// Snapshot keeps the documents of a project under a name, or restores them. verb is snapshot or restore. Only Clave has
// these routes.
func (t *Target) Snapshot(ctx context.Context, verb, name string) error {
	return t.call(ctx, http.MethodPost, t.Firestore+"/emulator/v1/projects/"+url.PathEscape(t.DB.Project)+":"+verb, map[string]string{"name": name}, nil)
}
