package attack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"clave/server/test/e2e/harness"
	"clave/server/test/kit/openid"
)

// maxProviderMemory is how much a server may grow while providers answer without an end, in MiB. It measures 33.
const maxProviderMemory = 160

// maxProviderSent is how much an endless provider can send before the server hangs up: a mebibyte for each sign-in, and
// what the buffers of the connections hold.
const maxProviderSent = 96 << 20

// hang answers nothing until the server hangs up, which is noticed only after the body was read.
func hang(_ http.ResponseWriter, r *http.Request) bool {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
	return true
}

// at breaks only the requests to a path.
func at(path string, breaks func(http.ResponseWriter, *http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool { return r.URL.Path == path && breaks(w, r) }
}

// slowSignIn is a sign-in at a provider that does not answer as it should.
type slowSignIn struct{ name, method, body, want string }

// slowProviders begins sign-ins at providers that answer too slowly, without an end, or with what is no answer, at each
// step of a sign-in. It returns a function that waits until all have been refused: the server gives up after ten
// seconds, in which further attacks may go on.
func (d *doors) slowProviders(t *testing.T) (wait func()) {
	const unreachable = "INVALID_IDP_RESPONSE : Error connecting to the given credential's issuer."
	var sent atomic.Int64
	endless := func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		part := bytes.Repeat([]byte(" "), 64<<10)
		for r.Context().Err() == nil {
			n, err := w.Write(part)
			if sent.Add(int64(n)); err != nil {
				break
			}
		}
		return true
	}
	html := func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>" + strings.Repeat("<p>Bad gateway</p>", 64<<10)))
		return true
	}
	var all []slowSignIn
	begin := func(name string, breaks func(http.ResponseWriter, *http.Request) bool) {
		broken := openid.New(t)
		broken.Break = breaks
		d.configure(t, "oidc."+name, broken.URL)
		all = append(all, slowSignIn{name, "accounts:createAuthUri", d.json(t, harness.Object{"providerId": "oidc." + name, "continueUri": d.page()}), unreachable})
	}
	respond := func(name, path string, breaks func(http.ResponseWriter, *http.Request) bool) {
		broken := openid.New(t)
		broken.Break = at(path, breaks)
		d.configure(t, "oidc."+name, broken.URL)
		session, uri := d.begin(t, "oidc."+name)
		all = append(all, slowSignIn{name, "accounts:signInWithIdp", d.json(t, harness.Object{"requestUri": uri.String(), "sessionId": session, "returnSecureToken": true}), "INVALID_IDP_RESPONSE"})
	}
	begin("silent", hang)
	begin("endless", endless)
	respond("silenttoken", "/token", hang)
	respond("silentkeys", "/keys", hang)
	respond("endlesstoken", "/token", endless)
	respond("endlesskeys", "/keys", endless)
	respond("htmltoken", "/token", html)
	respond("htmlkeys", "/keys", html)

	before := harness.MemoryOf(t, d.Cmd, "VmHWM")
	var done sync.WaitGroup
	for _, one := range all {
		done.Go(func() {
			if code, text, err := d.post(t, one.method, one.body); err != nil {
				t.Errorf("%s: %v", one.name, err)
			} else {
				refuses(t, "a sign-in at a provider: "+one.name, one.want, code, text)
			}
		})
	}
	return func() {
		done.Wait()
		grown := harness.MemoryOf(t, d.Cmd, "VmHWM") - before
		t.Logf("providers without an end sent %d MiB, and the server has grown by %d MiB", sent.Load()>>20, grown)
		if grown > maxProviderMemory || sent.Load() > maxProviderSent {
			t.Errorf("providers without an end sent %d MiB, and the server has grown by %d MiB, want at most %d and %d", sent.Load()>>20, grown, maxProviderSent>>20, maxProviderMemory)
		}
	}
}

// json returns a value as JSON.
func (d *doors) json(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// post calls the Identity Toolkit as the app. It may be called concurrently.
func (d *doors) post(t *testing.T, method, body string) (int, string, error) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.URL+harness.ToolkitPath(method+"?"+url.Values{"key": {"k"}}.Encode()), strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Firebase-AppCheck", d.app)
	res, err := d.Client.Do(r)
	if err != nil {
		return 0, "", fmt.Errorf("the server does not give up: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, string(text), err
}
