package download

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/terminal"
	"clave/server/internal/httpx/httpjson"
	"clave/server/internal/model/wire"
)

// maxAnswer is the maximum size in bytes of the answer to a call over HTTP: a page has a thousand accounts.
const maxAnswer = 256 << 20

// callTime is the time limit of a call over HTTP.
const callTime = 2 * time.Minute

// The retries of a call: the pause after the first failure, which doubles, the longest one, and the number of failures
// in turn, without progress, that end the download.
const (
	firstPause  = time.Second
	maxPause    = 32 * time.Second
	maxFailures = 8
)

// transient reports whether a call that has failed may succeed when it is repeated. Errors without a code are not those
// of calls.
func transient(err error) bool {
	var named *fault.Error
	if !errors.As(err, &named) {
		return false
	}
	switch named.Code {
	case fault.Unavailable, fault.ResourceExhausted, fault.DeadlineExceeded, fault.Aborted, fault.Internal:
		return true
	}
	return false
}

// retry calls do until it succeeds or fails for good. do reports whether it has made progress, after which the count of
// failures begins again.
func (d *download) retry(ctx context.Context, what string, do func() (progress bool, err error)) error {
	pause := d.o.Pause
	for failures := 1; ; failures++ {
		progress, err := do()
		if err == nil || ctx.Err() != nil || !transient(err) {
			return errors.Join(err, ctx.Err())
		}
		if progress {
			failures, pause = 1, d.o.Pause
		}
		if failures >= maxFailures {
			return fault.Wrap(err, fault.CodeOf(err), "%s: %s. It failed %d times; the same command continues", what, fault.FromError(err).Message, failures)
		}
		d.o.Log.Warn("retrying a call of the project", "call", what, "error", err)
		if err := clock.Sleep(ctx, d.o.Clock, pause/2+rand.N(pause/2+1)); err != nil {
			return err
		}
		pause = min(2*pause, maxPause)
	}
}

// authorization returns the value of the header by which a call is authorized.
func (d *download) authorization(ctx context.Context) (string, error) {
	if d.o.Token == nil {
		return "Bearer owner", nil // as emulators expect it
	}
	token, err := d.o.Token(ctx)
	return "Bearer " + token, err
}

// get reads a resource of an API over HTTP, with retries.
func (d *download) get(ctx context.Context, api, path string, query url.Values, out any) error {
	return d.retry(ctx, path, func() (bool, error) { return false, d.getOnce(ctx, api, path, query, out) })
}

// getOnce reads a resource once.
func (d *download) getOnce(ctx context.Context, api, path string, query url.Values, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	header, err := d.authorization(ctx)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, d.o.Endpoints[api]+path+"?"+query.Encode(), http.NoBody)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", header)
	res, err := d.o.HTTP.Do(r)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "cannot reach %s: %v", r.URL.Host, errors.Unwrap(err))
	}
	defer func() { _ = res.Body.Close() }() // a read
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return fault.Wrap(err, fault.Unavailable, "%s has not answered completely: %v", r.URL.Host, err)
	case len(text) > maxAnswer:
		return fault.E(fault.OutOfRange, "the answer of %s to %s is too large", r.URL.Host, path)
	case res.StatusCode != http.StatusOK:
		return fault.E(codeOf(res.StatusCode), "%s answers %s with %s %s", r.URL.Host, path, terminal.Text(res.Status), terminal.Text(httpjson.ErrorText(text)))
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fault.Wrap(err, fault.DataLoss, "the answer of %s to %s cannot be read", r.URL.Host, path)
	}
	return nil
}

// codeOf returns the code of an error by its status. Each status of a server's failure may be transient.
func codeOf(status int) fault.Code {
	if status >= http.StatusInternalServerError && status != http.StatusNotImplemented {
		return fault.Unavailable
	}
	return wire.CodeOfHTTP(status)
}

// pages reads the pages of a list. add receives each page, and returns the token of the next one.
func (d *download) pages(ctx context.Context, api, path string, query url.Values, add func(page json.RawMessage) (next string, err error)) error {
	token := "pageToken"
	if strings.HasSuffix(path, ":batchGet") {
		token = "nextPageToken"
	}
	seen := make(map[string]bool)
	for {
		var page json.RawMessage
		if err := d.get(ctx, api, path, query, &page); err != nil {
			return err
		}
		next, err := add(page)
		if err != nil {
			return fmt.Errorf("the list %s: %w", path, err)
		}
		if next == "" {
			return nil
		}
		if seen[next] {
			return fault.E(fault.DataLoss, "the list %s has no end: a page names an earlier one as the next", path)
		}
		seen[next] = true
		query.Set(token, next)
	}
}
