package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestBodiesOfManyValuesDoNotFillTheMemory sends the largest bodies with the most values over REST and WebChannel, as clients without credentials. A
// parsed value takes many times the memory of its bytes. The resident set must stay bounded, and the server must answer a small request.
func TestBodiesOfManyValuesDoNotFillTheMemory(t *testing.T) {
	parallel(t)
	if testing.Short() {
		t.Skip("hundreds of megabytes are sent")
	}
	const (
		requests = 12
		most     = 480 // MiB; one of these bodies alone took 750, and three 2,200
	)
	dir := productionFolder(t)
	writeFile(t, dir+"/firestore.rules", slowRules)
	p := serve(t, dir, false, "--trust-proxy", "--data", t.TempDir())
	s := &slowReader{t: t, origin: p.url, project: realProject}
	ctx, cancel := context.WithTimeout(t.Context(), 6*waitLimit)
	defer cancel()
	for _, size := range []int{3 * mib, 10 * mib} {
		fields := `{"fields":{"a":{"arrayValue":{"values":[` + strings.TrimSuffix(strings.Repeat("{},", size/3), ",") + `]}}}`
		writes := fmt.Sprintf(`{"database":%q,"writes":[{"update":%s,"name":"%s/documents/open/a"}}]}`, s.database(), fields, s.database())
		for name, send := range map[string]func(context.Context) error{
			"REST create":      func(ctx context.Context) error { return s.refused(ctx, "/documents/open", fields+"}") },
			"REST commit":      func(ctx context.Context) error { return s.refused(ctx, "/documents:commit", writes) },
			"WebChannel Write": func(ctx context.Context) error { return s.channelFails(ctx, writes) },
		} {
			began := time.Now()
			var all sync.WaitGroup
			for range requests {
				all.Go(func() {
					// The connection of a request that is refused before it is read is closed.
					if err := send(ctx); err != nil && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
						t.Errorf("%s of %d MiB: %v", name, size/mib, err)
					}
				})
			}
			all.Wait()
			peak := memoryOf(t, p.cmd, "VmHWM")
			t.Logf("%d × %s of %d MiB in %v: %d MiB at most until now", requests, name, size/mib, time.Since(began).Round(time.Millisecond), peak)
			if peak > most {
				t.Errorf("%s of %d MiB: the resident set reached %d MiB, want at most %d", name, size/mib, peak, most)
			}
		}
	}
	if code, _ := p.request(t, http.MethodGet, "/v1/"+s.database()+"/documents/other/a", "", nil); code != http.StatusNotFound {
		t.Errorf("a small request: %d, want 404", code)
	}
}

// refused sends a body by REST, which must be refused as invalid or for lack of room.
func (s *slowReader) refused(ctx context.Context, path, body string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.origin+"/v1/"+s.database()+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	res, err := s.client().Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusBadRequest && res.StatusCode != http.StatusServiceUnavailable {
		err = fmt.Errorf("%s %.200s", res.Status, text)
	}
	return err
}

// channelFails begins a Write stream over WebChannel with a message. It returns when the stream has failed, or when the server has
// refused the request or ended the session for lack of room.
func (s *slowReader) channelFails(ctx context.Context, message string) error {
	const form = "application/x-www-form-urlencoded"
	channel := s.origin + "/google.firestore.v1.Firestore/Write/channel?VER=8&database=" + url.QueryEscape(s.database())
	c := s.client()
	hello, err := s.channelRequest(ctx, c, http.MethodPost, channel+"&RID=1&CVER=22&t=1", form, "count=1&ofs=0&req0___data__="+message)
	if err != nil {
		return err
	}
	session := sessionPattern.FindStringSubmatch(hello)
	if session == nil {
		if strings.Contains(hello, "too many large requests") {
			return nil
		}
		return fmt.Errorf("no session in %.200s", hello)
	}
	text, err := s.channelRequest(ctx, c, http.MethodGet, channel+"&SID="+url.QueryEscape(session[1])+"&RID=rpc&AID=0&CI=0&TYPE=xmlhttp&t=1", form, "")
	ended := strings.Contains(text, "Unknown SID") || strings.HasSuffix(text, `[[1,["noop"]]]`)
	if err == nil && !ended && !strings.Contains(text, `"error"`) {
		err = fmt.Errorf("the stream has not failed: %.200s", text)
	}
	return err
}

// channelRequest returns the answer to a request of a session, up to the error of its stream.
func (s *slowReader) channelRequest(ctx context.Context, c *http.Client, method, address, kind, body string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", kind)
	res, err := c.Do(r)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	var text bytes.Buffer
	for !bytes.Contains(text.Bytes(), []byte(`"error"`)) {
		if _, err := io.CopyN(&text, res.Body, 1); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return "", err
		}
	}
	return text.String(), nil
}
